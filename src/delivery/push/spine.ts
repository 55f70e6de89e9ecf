/** What rooms share about pushes of a database, in the memory of a process. */
import type { Transaction } from '../../../db/index.ts'
import { createSignal } from '../../core/signal.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly push: ReturnType<typeof createPushSpine>
  }
}

/** How a push ended, or that it is attempted again. */
export const PUSH_OUTCOMES = ['sent', 'pending', 'skipped', 'failed'] as const

interface SettledPushes {
  outcome: (typeof PUSH_OUTCOMES)[number]
  count: number
}

/** `findHeld`: of the messages of these fans, those whose pushes wait, since their campaign is stopped. */
export const createPushSpine = (
  findHeld: (tx: Transaction, userIds: string[]) => Promise<ReadonlySet<string>>,
) => ({
  findHeld,
  /** Pushes are due, of these services. */
  queued: createSignal<readonly string[]>(),
  settled: createSignal<SettledPushes>(),
})
