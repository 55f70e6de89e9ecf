/** Work of higher rooms after the erasure of a fan, in the same unit of work. */
import type { Transaction } from '../../../db/index.ts'

declare module '../../../db/types.ts' {
  interface Spine {
    readonly account: ReturnType<typeof createAccountSpine>
  }
}

/** `userIds`: the records of the fan, of whom one remains and others were merged into it. */
type AfterErasure = (tx: Transaction, userIds: string[]) => Promise<void>

export const createAccountSpine = (afterErasure: AfterErasure) => ({ afterErasure })
