/**
 * Ends approval requests when the sessions or the role of the person who asked end, or when the fan in the request is
 * erased.
 */
import { and, eq, isNotNull, notInArray, type SQL } from 'drizzle-orm'
import type { Transaction } from '../../../../db/index.ts'
import { listErased } from '../../users/tombstone.ts'
import { recordAction } from '../audit/record.ts'
import { permissionsOf } from '../roles.ts'
import { ERASURE, type Staff } from '../staff.ts'
import { isOpen } from './state.ts'

/**
 * Ends all open requests of the person. A request that is being run does not wait again if it fails. Call it after the
 * update of the person's sessions, whose locks ensure that a concurrent request either comes before or is refused. Returns
 * how many ended.
 */
export async function endRequestsOf(tx: Transaction, staffId: string, by: Staff): Promise<number> {
  return (await end(tx, by, eq(tx.tables.consoleApprovals.requestedById, staffId))).length
}

/** Ends requests that the role of a new session does not allow. */
export async function endRequestsWithoutRole(tx: Transaction, staff: Staff): Promise<void> {
  const { permission, requestedById } = tx.tables.consoleApprovals
  const isOfOthers = notInArray(permission, permissionsOf(staff.role))
  await end(tx, staff, and(eq(requestedById, staff.id), isOfOthers))
}

/**
 * Ends all requests that name an erased fan, as their subject or in their input, and deletes the input. Each is recorded in
 * the audit log. Requests about an order or payment of the fan name nobody and keep waiting, because money must be returned.
 */
export async function endRequestsAbout(tx: Transaction, userIds: string[]): Promise<void> {
  const { consoleApprovals: approvals } = tx.tables
  const kept = await tx.select().from(approvals).where(isNotNull(approvals.request))
  const about = kept.filter(row => userIds.some(id => row.request?.includes(id)))
  for (const { id } of about) {
    const [ended] = await close(tx, ERASURE, eq(approvals.id, id))
    if (!ended) await tx.update(approvals).set({ request: null }).where(eq(approvals.id, id))
    else
      await recordAction(tx, {
        staff: ERASURE,
        operation: 'endRequest',
        subject: { kind: 'approval', id },
        reason: 'The fan is erased.',
        detail: { operation: ended.operation },
      })
  }
}

/** Ends requests that were made during the erasure of their fan, or later. */
export async function endRequestsAboutErased(tx: Transaction): Promise<void> {
  const { consoleApprovals: approvals } = tx.tables
  const subjects = await tx
    .selectDistinct({ id: approvals.subjectId })
    .from(approvals)
    .where(and(eq(approvals.subjectKind, 'fan'), isNotNull(approvals.request)))
  const erased = await listErased(
    tx,
    subjects.map(({ id }) => id),
  )
  if (erased.size > 0) await endRequestsAbout(tx, [...erased])
}

/** Also ends requests that are being run, which then do not wait again. Returns the open ones. */
async function end(tx: Transaction, by: Staff, which: SQL | undefined) {
  const { consoleApprovals: approvals } = tx.tables
  const closed = await close(tx, by, which)
  const isUnderWay = and(eq(approvals.decision, 'confirmed'), isNotNull(approvals.request))
  await tx.update(approvals).set({ request: null }).where(and(isUnderWay, which))
  return closed
}

function close(tx: Transaction, by: Staff, which: SQL | undefined) {
  const { consoleApprovals: approvals } = tx.tables
  const decided = { decision: 'refused', decidedById: by.id, decidedByName: by.name, decidedAt: tx.now() }
  return tx
    .update(approvals)
    .set({ ...decided, request: null })
    .where(and(isOpen(tx), which))
    .returning()
}
