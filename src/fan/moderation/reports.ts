/** Files reports, and lists those of a fan. */
import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import type { Caller, Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page, type TimedPosition } from '../../core/pagination.ts'
import type { Reason } from '../../identity/sanctions/reasons.ts'
import { readShownProfile } from '../../identity/users/public-profile.ts'
import type { NewReport, Report } from './schema.ts'
import { type SubjectKind, subjects } from './subjects.ts'

type StoredReport = Tables['reports']['$inferSelect']

/** A fan has one open report about a subject: a repeat returns it as it is. */
export async function fileReport(
  tx: Transaction,
  { userId: reporterId }: Caller,
  { subject: { kind, id: reference }, reason, note }: NewReport,
): Promise<{ created: boolean; report: Report }> {
  const { id: subjectId, fanId, evidence } = await subjects[kind](tx, reporterId, reference)
  const { reports } = tx.tables
  const [filed] = await tx
    .insert(reports)
    .values({
      id: tx.newId(),
      reporterId,
      subjectKind: kind,
      subjectId,
      fanId,
      reference,
      reason,
      note: note ?? null,
      evidence: JSON.stringify(evidence),
      createdAt: tx.now(),
    })
    .onConflictDoNothing()
    .returning()
  const row = filed ?? (await selectOpen(tx, reporterId, kind, subjectId))
  if (!row) throw new Error('the open report disappeared, though its subject is locked')
  return { created: filed !== undefined, report: presentReport(row) }
}

const selectOpen = preparedRow((reader: Reader, reporterId: string, kind: string, subjectId: string) => {
  const { reports } = reader.tables
  return reader
    .select()
    .from(reports)
    .where(
      and(
        ...[eq(reports.reporterId, reporterId), eq(reports.subjectKind, kind)],
        ...[eq(reports.subjectId, subjectId), isNull(reports.resolvedAt)],
      ),
    )
})

/** A report without a reporter, about texts that a fan is writing. The fan's record is locked. One is open at a time. */
export async function fileAutomaticReport(tx: Transaction, fanId: string, texts: string[]): Promise<void> {
  const { reports } = tx.tables
  const evidence = { ...(await readShownProfile(tx, fanId)), texts }
  await tx
    .insert(reports)
    .values({
      id: tx.newId(),
      subjectKind: 'fan' satisfies SubjectKind,
      subjectId: fanId,
      fanId,
      reference: evidence.handle,
      reason: 'other' satisfies Reason,
      evidence: JSON.stringify(evidence),
      createdAt: tx.now(),
    })
    .onConflictDoNothing()
}

/** Newest first. @throws DomainError `invalid_cursor` */
export async function listReports(reader: Reader, cursors: Cursors, { userId }: Viewer, page: Page) {
  const list = `reports ${userId}`
  const before = cursors.decodeTimed(list, page.cursor)
  const rows = await selectReports(reader, userId, page.limit + 1, before)
  const { shown, nextCursor } = cutPage(rows, page.limit, ({ createdAt, id }) =>
    cursors.encodeTimed(list, { at: createdAt, id }),
  )
  return { reports: shown.map(presentReport), nextCursor }
}

const selectReports = prepared((reader: Reader, userId: string, limit: number, before?: TimedPosition) => {
  const { reports } = reader.tables
  const { createdAt, id } = reports
  const older = before === undefined ? undefined : sql`(${createdAt}, ${id}) < (${before.at}, ${before.id})`
  return reader
    .select()
    .from(reports)
    .where(and(eq(reports.reporterId, userId), older))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit)
})

/** As the reporter sees it: without the decision. */
export function presentReport(row: StoredReport): Report {
  return {
    id: row.id,
    // Guarantee of the casts: only `fileReport` writes reports of a reporter.
    subject: { kind: row.subjectKind as SubjectKind, id: row.reference },
    reason: row.reason as Reason,
    note: row.note,
    status: row.resolvedAt ? 'resolved' : 'open',
    actionTaken: row.actionTaken ?? false,
    createdAt: row.createdAt.toISOString(),
    resolvedAt: row.resolvedAt?.toISOString() ?? null,
  }
}
