/** Refuses writes of suspended fans, in the unit of work of the write. */
import type { Transaction } from '../../../db/index.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { readFoundLate } from '../users/sanction-state.ts'
import { lockCaller, type User } from '../users/users.ts'
import { readAppeal } from './appeals.ts'
import { foldDecisions, listDecisions } from './decisions.ts'

/**
 * Runs the write. Locks the caller first, as `lockCaller` by the same statement: a suspension waits for this lock, so no write
 * commits after it. The record of a caller without one may be created and suspended meanwhile: then it is refused at the end.
 * @throws DomainError `invalid_token`, `suspended`
 */
export async function writeAsFan<Response>(
  tx: Transaction,
  caller: Pick<Caller, 'userId'>,
  allowedWhenSuspended: boolean,
  work: () => Promise<Response>,
): Promise<Response> {
  const locked = await lockCaller(tx, caller)
  if (locked && !allowedWhenSuspended) await requireActive(tx, locked)
  const response = await work()
  const late = readFoundLate(tx)
  if (late && !allowedWhenSuspended) await requireActive(tx, late)
  return response
}

async function requireActive(tx: Transaction, { id, suspendedUntil }: Pick<User, 'id' | 'suspendedUntil'>) {
  if (!suspendedUntil || suspendedUntil <= tx.now()) return
  const { suspended } = foldDecisions(await listDecisions(tx, id))
  throw new DomainError(transportProblems.suspended, {
    until: suspendedUntil.toISOString(),
    reason: suspended?.reason ?? 'other',
    appealable: suspended !== null && !(await readAppeal(tx, suspended.id)),
  })
}
