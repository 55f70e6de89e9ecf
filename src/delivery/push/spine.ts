/** What rooms share about pushes of a database, in the memory of a process. */
import type { Transaction } from '../../../db/index.ts'
import { createSignal } from '../../core/signal.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly push: ReturnType<typeof createPushSpine>
  }
}

/** Kinds of services: each host of Web Push is a service. */
export const SERVICE_KINDS = ['webpush', 'fcm', 'apns'] as const
export type ServiceKind = (typeof SERVICE_KINDS)[number]

/** Guarantee of the cast: `putDevice` names services, those of Web Push with their host. */
export const kindOfService = (service: string) => service.split(':')[0] as ServiceKind

/** Pushes of a service that take turns of their own: single ones do not wait for those of a campaign. */
export interface Queue {
  service: string
  bulk: boolean
}

export const queuesOf = (rows: Queue[]): Queue[] => [
  ...new Map(rows.map(({ service, bulk }) => [`${service} ${bulk}`, { service, bulk }])).values(),
]

/** How a push ended, or `pending`: it is attempted again. */
export const PUSH_OUTCOMES = ['sent', 'pending', 'skipped', 'gone', 'wrong', 'no_more_attempts'] as const
export type PushOutcome = (typeof PUSH_OUTCOMES)[number]

interface SettledPushes {
  service: ServiceKind
  outcome: PushOutcome
  count: number
}

/** `findHeld`: of the messages of these fans, those whose pushes wait, since their campaign is stopped. */
export const createPushSpine = (
  findHeld: (tx: Transaction, userIds: string[]) => Promise<ReadonlySet<string>>,
) => ({
  findHeld,
  /** Pushes are due, in these queues. */
  queued: createSignal<readonly Queue[]>(),
  settled: createSignal<SettledPushes>(),
})
