/** What rooms share about the deliveries of a database, in the memory of a process. */
import type { Transaction } from '../../../db/index.ts'
import { createSignal } from '../../core/signal.ts'
import type { Endpoint } from './endpoints.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly webhooks: ReturnType<typeof createWebhooksSpine>
  }
}

/** `pending`: the delivery is attempted again. `failed`: that was its last attempt. */
export const ATTEMPT_OUTCOMES = ['delivered', 'pending', 'failed'] as const

interface SettledAttempts {
  outcome: (typeof ATTEMPT_OUTCOMES)[number]
  count: number
}

interface Claiming {
  /**
   * Claims deliveries in the unit of work that makes them due and has locked their endpoints: set by the dispatcher of this process. Without one, those of
   * others find what is due by their poll.
   */
  claimDue?: (tx: Transaction, endpoints: Endpoint[]) => Promise<void>
}

export const createWebhooksSpine = (claiming: Claiming = {}) => ({
  ...claiming,
  /** The results of attempts are stored. */
  attemptsSettled: createSignal<SettledAttempts>(),
})
