/** Requests end with the sessions of the one who asked, with the role that allowed them, and with the fan whom they name. */
import { and, eq, isNotNull, notInArray, type SQL } from 'drizzle-orm'
import type { Transaction } from '../../../../db/index.ts'
import { listErased } from '../../../identity/users/tombstone.ts'
import { recordAction } from '../audit/record.ts'
import { permissionsOf } from '../roles.ts'
import { ERASURE, type Staff } from '../staff.ts'
import { isOpen } from './state.ts'

/**
 * All of the person that are open. One that is being carried out does not wait again if it fails. Call it after the update of
 * their sessions, whose locks let a request of one of these either come before it, or be refused. Returns how many ended.
 */
export async function endRequestsOf(tx: Transaction, staffId: string, by: Staff): Promise<number> {
  return (await end(tx, by, eq(tx.tables.consoleApprovals.requestedById, staffId))).length
}

/** Those that the role of a new session does not allow. */
export async function endRequestsWithoutRole(tx: Transaction, staff: Staff): Promise<void> {
  const { permission, requestedById } = tx.tables.consoleApprovals
  const isOfOthers = notInArray(permission, permissionsOf(staff.role))
  await end(tx, staff, and(eq(requestedById, staff.id), isOfOthers))
}

/**
 * All that name a fan who is erased, as their subject or within their input, which is deleted. Each is a row of the audit log. What
 * is about an order or a payment of the fan names nobody, and waits on: money has to go back.
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

/** Those that somebody asked for while the erasure of their fan ran, or later. */
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

/** Also those that are being carried out, which do not wait again. Returns the open ones. */
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
