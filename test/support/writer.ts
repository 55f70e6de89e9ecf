import type { Transaction } from '../../db/index.ts'
import { NOBODY, type Subject } from '../../src/core/caller.ts'
import { lockCaller } from '../../src/identity/users/callers.ts'

/** The fan of a write, as of a request that was authenticated before the fan had a record. */
export const writerOf = (tx: Transaction, { provider, subject }: Subject) =>
  lockCaller(tx, { provider, subject, userId: NOBODY })
