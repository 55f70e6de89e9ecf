/** Refuses writes of fans who are suspended, or lack the consent of a guardian, in the unit of work of the write. */
import type { Transaction } from '../../../db/index.ts'
import { type Caller, NOBODY, type Subject, type Viewer } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { type LockedCaller, lockCaller } from '../users/callers.ts'
import type { Locking } from '../users/locks.ts'
import { readAppeal } from './appeals.ts'
import { foldDecisions, listDecisions } from './decisions.ts'

export interface Writing extends Locking {
  allowedWhenSuspended: boolean
  /** Of what suspended fans may write. */
  allowedWithoutGuardian?: boolean
  /**
   * The write only deletes: for a caller without a record none is created, and `work` gets a caller with an
   * empty id.
   */
  onlyDeletes?: boolean
}

/**
 * Runs the write for the fan of the caller. Locks the fan first, or creates the record: a suspension and a revoked consent wait for
 * this lock, so no write commits after them.
 * @throws DomainError `invalid_token`, `suspended`, `guardian_consent_required`
 */
export async function writeAsFan<Response>(
  tx: Transaction,
  caller: Subject & Viewer,
  { allowedWhenSuspended, allowedWithoutGuardian = false, onlyDeletes = false, ...locking }: Writing,
  work: (fan: Caller) => Promise<Response>,
): Promise<Response> {
  if (onlyDeletes && caller.userId === NOBODY) return work({ ...caller, isNew: false })
  const fan = await lockCaller(tx, caller, locking)
  if (!allowedWhenSuspended) await requireActive(tx, fan)
  else if (!allowedWithoutGuardian) requireConsent(fan)
  return work(fan)
}

/**
 * For a part of an operation that suspended fans may call. The fan is locked.
 * @throws DomainError `suspended`, `guardian_consent_required`
 */
export async function requireActiveCaller(tx: Transaction, caller: Subject & Viewer): Promise<void> {
  if (caller.userId !== NOBODY) await requireActive(tx, await lockCaller(tx, caller))
}

function requireConsent({ isFrozen }: Pick<LockedCaller, 'isFrozen'>): void {
  if (isFrozen) throw new DomainError(transportProblems.guardian_consent_required)
}

async function requireActive(tx: Transaction, { userId, suspendedUntil, isFrozen }: LockedCaller) {
  if (!suspendedUntil || suspendedUntil <= tx.now()) return requireConsent({ isFrozen })
  const { suspended } = foldDecisions(await listDecisions(tx, userId))
  throw new DomainError(transportProblems.suspended, {
    until: suspendedUntil.toISOString(),
    reason: suspended?.reason ?? 'other',
    appealable: suspended !== null && !(await readAppeal(tx, suspended.id)),
  })
}
