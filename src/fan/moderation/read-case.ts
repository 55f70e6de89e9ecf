/** A case as a moderator reads it: the reports with their evidence, and earlier decisions about the fan. */
import { and, asc, count, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import type { Moderator, NewDecision } from '../../identity/sanctions/decisions.ts'
import type { Reason } from '../../identity/sanctions/reasons.ts'
import type { Deciding } from '../../identity/sanctions/spine.ts'
import { readHandles } from '../../identity/users/handles.ts'
import { type CaseOrder, type CasePosition, findReport, listOpenReports, notOpen } from './cases.ts'
import { findFan, readFanRecord } from './fan-record.ts'
import { readSamePerson } from './people.ts'
import { caseProblems } from './problems.ts'
import { readOpenAppeals, readQueue } from './queue.ts'
import type { SubjectKind } from './subjects.ts'

const MAX_REPORTS = 100

/** @throws DomainError `invalid_cursor` */
export async function readCases(reader: Reader, cursors: Cursors, order: CaseOrder, { limit, cursor }: Page) {
  const list = `console cases ${order}`
  const rows = await readQueue(reader, {
    order,
    limit: limit + 1,
    after: positionIn(cursors.decode(list, cursor)),
  })
  const { shown, nextCursor } = cutPage(rows, limit, ({ weight, since, caseId }) =>
    cursors.encode(list, JSON.stringify([weight, since, caseId])),
  )
  const cases = shown.map(({ fanId, handle, subjectKind, ...row }) => ({
    ...row,
    // Guarantee of the cast: only `subjects` names kinds.
    subjectKind: subjectKind as SubjectKind,
    fan: { id: fanId, handle },
  }))
  return { cases, nextCursor }
}

function positionIn(written: string | undefined): CasePosition | undefined {
  if (written === undefined) return undefined
  // Guarantee of the cast: `readCases` has written it, which the MAC of the cursor proves.
  const [weight, since, caseId] = JSON.parse(written) as [number, string, string]
  return { weight, since: new Date(since), caseId }
}

/** @throws DomainError `case_not_open` if the case was decided or does not exist */
export async function readCase(reader: Reader, caseId: string) {
  const { reports } = reader.tables
  const first = await findReport(reader, caseId)
  if (!first || first.resolvedAt !== null) throw await notOpen(reader, caseId)
  const { subjectKind, subjectId, fanId } = first
  const isOfCase = and(
    eq(reports.subjectKind, subjectKind),
    eq(reports.subjectId, subjectId),
    isNull(reports.resolvedAt),
  )
  const rows = await reader
    .select()
    .from(reports)
    .where(isOfCase)
    .orderBy(asc(reports.createdAt), asc(reports.id))
    .limit(MAX_REPORTS)
  const [counted] = await reader.select({ open: count() }).from(reports).where(isOfCase)
  const reporters = await readReporters(
    reader,
    rows.flatMap(({ reporterId }) => reporterId ?? []),
  )
  // never fan_not_found: reports are deleted with their fan.
  return {
    // Guarantee of the casts: only `subjects` names kinds, and only reports with a reason of the list are filed.
    caseId,
    subjectKind: subjectKind as SubjectKind,
    subjectId,
    openReports: Number(counted?.open ?? 0),
    reports: rows.map(({ id, reporterId, reason, note, evidence, createdAt }) => ({
      id,
      reason: reason as Reason,
      note,
      createdAt: createdAt.toISOString(),
      evidence: evidence === null ? null : JSON.parse(evidence),
      reporter: reporterId === null ? null : (reporters.get(reporterId) ?? NO_REPORTS),
    })),
    record: await readRecord(reader, await findFan(reader, fanId)),
  }
}

const NO_REPORTS = { filed: 0, upheld: 0, dismissed: 0 }

async function readReporters(reader: Reader, ids: string[]) {
  if (ids.length === 0) return new Map<string, typeof NO_REPORTS>()
  const { reports } = reader.tables
  const counted = (actionTaken: boolean) =>
    sql`sum(case when ${reports.actionTaken} = ${actionTaken} then 1 else 0 end)`.mapWith(Number)
  const rows = await reader
    .select({
      reporterId: reports.reporterId,
      filed: count(),
      upheld: counted(true),
      dismissed: counted(false),
    })
    .from(reports)
    .where(inArray(reports.reporterId, ids))
    .groupBy(reports.reporterId)
  return new Map(
    rows.map(({ reporterId, filed, upheld, dismissed }) => [
      reporterId ?? '',
      { filed: Number(filed), upheld, dismissed },
    ]),
  )
}

/** The fan who filed a report. @throws DomainError `case_not_open` if the report does not exist */
export async function readReporter(reader: Reader, reportId: string) {
  const report = await findReport(reader, reportId)
  if (!report) throw new DomainError(caseProblems.case_not_open)
  const { reporterId } = report
  if (reporterId === null) return null
  const handles = await readHandles(reader, [reporterId])
  return { id: reporterId, handle: handles.get(reporterId) ?? null }
}

export async function readRecord(reader: Reader, fan: Parameters<typeof readFanRecord>[1]) {
  const { decisions, appeals, inForce } = await readFanRecord(reader, fan)
  return {
    fan: { id: fan.id, handle: fan.handle },
    openReports: (await listOpenReports(reader, fan.id)).length,
    decisions: decisions
      .map(({ id, kind, reason, until, liftsId, decidedBy, facts, note, createdAt }) => ({
        id,
        until,
        liftsId,
        decidedBy,
        facts,
        note,
        createdAt,
        inForce: inForce.includes(id),
        // Guarantee of the casts: a constraint of the table, and `recordDecision`.
        kind: kind as NewDecision['kind'],
        reason: reason as Reason,
      }))
      .reverse(),
    appeals: appeals
      .map(({ id, sanctionId, text, granted, decidedBy, decidedAt, createdAt }) => ({
        id,
        sanctionId,
        text,
        granted,
        decidedBy,
        decidedAt,
        createdAt,
      }))
      .reverse(),
  }
}

const OPEN_APPEALS = 'console appeals'

/**
 * `yours`: this moderator, or who may be the same person, decided the sanction, so another person must decide the appeal. @throws DomainError
 * `invalid_cursor`
 */
export async function readAppeals(
  reader: Reader,
  cursors: Cursors,
  moderator: Moderator,
  { limit, cursor }: Page,
) {
  const rows = await readOpenAppeals(reader, limit + 1, cursors.decodeTimed(OPEN_APPEALS, cursor))
  const { shown, nextCursor } = cutPage(rows, limit, ({ createdAt, id }) =>
    cursors.encodeTimed(OPEN_APPEALS, { at: new Date(createdAt), id }),
  )
  // The shape of a decision again: its time is text here.
  const decidingOf = ({ createdAt, ...decision }: (typeof shown)[number]['sanction']): Deciding => ({
    ...decision,
    createdAt: new Date(createdAt),
  })
  const isSamePerson = await readSamePerson(
    reader,
    shown.map(({ sanction }) => decidingOf(sanction)),
  )
  const appeals = shown.map(({ id, sanctionId, text, fanId, handle, sanction, ...appeal }) => ({
    id,
    sanctionId,
    text,
    fan: { id: fanId, handle },
    granted: appeal.granted,
    decidedBy: appeal.decidedBy,
    decidedAt: appeal.decidedAt,
    createdAt: appeal.createdAt,
    sanction: {
      // Guarantee of the casts: appeals are against these kinds alone, and `recordDecision` writes reasons.
      kind: sanction.kind as 'hide' | 'mute' | 'suspend',
      reason: sanction.reason as Reason,
      until: sanction.until,
      decidedBy: sanction.decidedBy,
      createdAt: sanction.createdAt,
    },
    yours: isSamePerson(decidingOf(sanction), { ...moderator, createdAt: reader.now() }),
  }))
  return { appeals, nextCursor }
}
