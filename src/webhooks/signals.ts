/** What the units of work of this process tell about deliveries. */
import { createSignal } from '../core/signal.ts'

/** `pending`: the delivery is attempted again. `failed`: that was its last attempt. */
export const ATTEMPT_OUTCOMES = ['delivered', 'pending', 'failed'] as const

interface SettledAttempts {
  outcome: (typeof ATTEMPT_OUTCOMES)[number]
  count: number
}

/** The results of attempts are stored. */
export const attemptsSettled = createSignal<SettledAttempts>()
