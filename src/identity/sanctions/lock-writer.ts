/** Refuses writes of suspended fans, in the unit of work of the write. */
import type { Transaction } from '../../../db/index.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { lockCaller } from '../users/users.ts'
import { foldDecisions, listDecisions } from './decisions.ts'

/**
 * Locks the caller as `lockCaller`, by the same statement. A suspension waits for this lock, so no write commits after it.
 * @throws DomainError `invalid_token`, `suspended`
 */
export async function lockWriter(
  tx: Transaction,
  caller: Pick<Caller, 'userId'>,
  allowedWhenSuspended: boolean,
): Promise<void> {
  const locked = await lockCaller(tx, caller)
  if (allowedWhenSuspended || !locked?.suspendedUntil || locked.suspendedUntil <= tx.now()) return
  const { suspended } = foldDecisions(await listDecisions(tx, locked.id))
  throw new DomainError(transportProblems.suspended, {
    until: locked.suspendedUntil.toISOString(),
    reason: suspended?.reason ?? 'other',
  })
}
