/** Exports and erases what a fan has reported, and erases notices about a fan. */
import { and, asc, eq, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { recordResolved } from './events.ts'
import { presentReport } from './reports.ts'

/** The reports that a fan has filed, in their order. */
export async function exportReports(reader: Reader, userId: string) {
  const { reports } = reader.tables
  const rows = await reader
    .select()
    .from(reports)
    .where(eq(reports.reporterId, userId))
    .orderBy(asc(reports.createdAt), asc(reports.id))
  return rows.map(presentReport)
}

/** Empties the reports about a fan and resolves them, and deletes what the fan wrote in reports about others. */
export async function eraseReports(tx: Transaction, userId: string): Promise<void> {
  const { reports } = tx.tables
  await tx
    .update(reports)
    .set({ reference: null, note: null, evidence: null })
    .where(eq(reports.fanId, userId))
  const resolved = await tx
    .update(reports)
    .set({ resolvedAt: tx.now(), actionTaken: false })
    .where(and(eq(reports.fanId, userId), isNull(reports.resolvedAt)))
    .returning()
  await recordResolved(tx, resolved)
  await tx.update(reports).set({ note: null }).where(eq(reports.reporterId, userId))
}

/** Empties the notices about a fan and closes open ones. The notifiers stay for `CLEARED_AFTER_DAYS`, so that they can be told. */
export async function eraseNotices(tx: Transaction, userId: string): Promise<void> {
  const { contentNotices: notices } = tx.tables
  await tx
    .update(notices)
    .set({ reference: null, location: null, explanation: null, evidence: null, answer: null })
    .where(eq(notices.fanId, userId))
  await tx
    .update(notices)
    .set({ decidedAt: tx.now(), actionTaken: false })
    .where(and(eq(notices.fanId, userId), isNull(notices.decidedAt)))
}
