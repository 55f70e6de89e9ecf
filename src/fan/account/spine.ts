/** Work of higher rooms after the erasure of a fan, in the same unit of work. */
import type { Transaction } from '../../../db/index.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly account: ReturnType<typeof createAccountSpine>
  }
}

/** `userIds`: all records of the fan: the remaining one, and those that were merged into it. */
type AfterErasure = (tx: Transaction, userIds: string[]) => Promise<void>

export const createAccountSpine = (afterErasure: AfterErasure) => ({ afterErasure })
