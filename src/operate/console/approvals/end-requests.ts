/** Requests end with the sessions of the one who asked, and with the role that allowed them. */
import { and, eq, gt, isNotNull, isNull, notInArray } from 'drizzle-orm'
import type { Transaction } from '../../../../db/index.ts'
import { permissionsOf } from '../roles.ts'
import type { Staff } from '../staff.ts'

/**
 * All of the person that are open. One that is being carried out does not wait again if it fails. Call it after the update of
 * their sessions, whose locks let a request of one of these either come before it, or be refused. Returns how many ended.
 */
export async function endRequestsOf(tx: Transaction, staffId: string, by: Staff): Promise<number> {
  const { consoleApprovals: approvals } = tx.tables
  await tx
    .update(approvals)
    .set({ request: null })
    .where(
      and(
        eq(approvals.requestedById, staffId),
        eq(approvals.decision, 'confirmed'),
        isNotNull(approvals.request),
      ),
    )
  return (await close(tx, staffId, by)).length
}

/** Those that the role of a new session does not allow. */
export async function endRequestsWithoutRole(tx: Transaction, staff: Staff): Promise<void> {
  const { permission } = tx.tables.consoleApprovals
  await close(tx, staff.id, staff, notInArray(permission, permissionsOf(staff.role)))
}

function close(tx: Transaction, staffId: string, by: Staff, which?: ReturnType<typeof eq>) {
  const { consoleApprovals: approvals } = tx.tables
  const isOpen = and(isNull(approvals.decision), gt(approvals.expiresAt, tx.now()))
  const decided = { decision: 'refused', decidedById: by.id, decidedByName: by.name, decidedAt: tx.now() }
  return tx
    .update(approvals)
    .set({ ...decided, request: null })
    .where(and(eq(approvals.requestedById, staffId), isOpen, which))
    .returning()
}
