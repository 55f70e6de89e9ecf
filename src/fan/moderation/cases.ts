/**
 * The queue of moderators. A case consists of all open reports about one subject; its id is the id of the
 * oldest report.
 */
import { and, asc, count, desc, eq, isNotNull, isNull, lt, min, or, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { DomainError } from '../../core/problems.ts'
import {
  type Decision,
  findDecision,
  type NewDecision,
  recordDecision,
} from '../../identity/sanctions/decisions.ts'
import { recordResolved } from './events.ts'
import { caseProblems } from './problems.ts'
import type { SubjectKind } from './subjects.ts'

type Report = Tables['reports']['$inferSelect']
type Subject = Pick<Report, 'subjectKind' | 'subjectId'>

type WithoutFan<D> = D extends NewDecision ? Omit<D, 'fanId'> : never
type CaseDecision = Exclude<WithoutFan<NewDecision>, { kind: 'lift' }>

export type CaseOrder = 'heaviest' | 'oldest'

/** The position of a case in its list. */
export interface CasePosition {
  weight: number
  since: Date
  caseId: string
}

export interface CaseList {
  limit: number
  /** By default the heaviest first, the oldest first among equals. */
  order?: CaseOrder
  /** Begins after this case. */
  after?: CasePosition | undefined
}

/**
 * Open cases. The weight of a reporter is the share of their resolved reports that were upheld, with one
 * upheld and one dismissed report added: a first report has the weight one half, like a report of the filter.
 */
export function listCases(reader: Reader, { limit, order = 'heaviest', after }: CaseList) {
  const { reports } = reader.tables
  const open = reader
    .$with('open_reports')
    .as(reader.select().from(reports).where(isNull(reports.resolvedAt)))
  const past = reader.$with('past_reports').as(
    reader
      .select({
        reporterId: reports.reporterId,
        resolved: sql<number>`count(*)`.as('resolved'),
        upheld: sql<number>`sum(case when ${reports.actionTaken} then 1 else 0 end)`.as('upheld'),
      })
      .from(reports)
      .where(
        and(
          isNotNull(reports.resolvedAt),
          sql`${reports.reporterId} in (select ${sql.identifier('reporter_id')} from ${open})`,
        ),
      )
      .groupBy(reports.reporterId),
  )
  const share = sql`(1.0 + coalesce(${past.upheld}, 0)) / (2.0 + coalesce(${past.resolved}, 0))`
  const cases = reader.$with('cases').as(
    reader
      .select({
        caseId: sql<string>`min(${open.id})`.as('case_id'),
        subjectKind: open.subjectKind,
        fanId: open.fanId,
        reports: sql<number>`count(*)`.mapWith(Number).as('reports'),
        reporters: sql<number>`count(${open.reporterId})`.mapWith(Number).as('reporters'),
        weight: sql<number>`cast(round(1000 * sum(${share})) as integer)`.mapWith(Number).as('weight'),
        since: sql<Date>`min(${open.createdAt})`.mapWith(reports.createdAt).as('since'),
      })
      .from(open)
      .leftJoin(past, eq(past.reporterId, open.reporterId))
      .groupBy(open.subjectKind, open.subjectId, open.fanId),
  )
  const { weight, since, caseId } = cases
  const isYounger =
    after && sql`(${since}, ${caseId}) > (${sql.param(after.since, reports.createdAt)}, ${after.caseId})`
  const isNext =
    after && order === 'heaviest'
      ? or(lt(weight, after.weight), and(eq(weight, after.weight), isYounger))
      : isYounger
  return reader
    .with(open, past, cases)
    .select()
    .from(cases)
    .where(isNext)
    .orderBy(...(order === 'heaviest' ? [desc(weight)] : []), asc(since), asc(caseId))
    .limit(limit)
}

export async function countOpenCases(reader: Reader): Promise<number> {
  const { reports } = reader.tables
  const { subjectKind, subjectId } = reports
  const subjects = reader
    .select({ subjectKind, subjectId })
    .from(reports)
    .where(isNull(reports.resolvedAt))
    .groupBy(subjectKind, subjectId)
    .as('subjects')
  const [row] = await reader.select({ open: count() }).from(subjects)
  return row?.open ?? 0
}

export async function findReport(reader: Reader, reportId: string): Promise<Report | undefined> {
  const { reports } = reader.tables
  const [report] = await reader.select().from(reports).where(eq(reports.id, reportId))
  return report
}

/** Open reports about a fan, the oldest first. */
export function listOpenReports(reader: Reader, fanId: string) {
  const { reports } = reader.tables
  return reader
    .select()
    .from(reports)
    .where(and(eq(reports.fanId, fanId), isNull(reports.resolvedAt)))
    .orderBy(asc(reports.createdAt), asc(reports.id))
}

/** `since`: when the oldest was filed. */
export async function countOpenReports(reader: Reader): Promise<{ open: number; since: Date | null }> {
  const { reports } = reader.tables
  const [row] = await reader
    .select({ open: count(), since: min(reports.createdAt) })
    .from(reports)
    .where(isNull(reports.resolvedAt))
  return row ?? { open: 0, since: null }
}

/**
 * Decides a case, or about a fan, and resolves the open reports of the subject. A concurrent report waits,
 * and begins another case. If several decisions about a case are made at the same time, one succeeds.
 * `about`: id of a case, or user id.
 * @throws DomainError `case_not_open`, and those of `recordDecision`
 */
export async function decide(tx: Transaction, about: string, decision: CaseDecision): Promise<Decision> {
  const report = await findReport(tx, about)
  const subject = report ?? { subjectKind: 'fan' satisfies SubjectKind, subjectId: about, fanId: about }
  const automated = await isFoundByFilter(tx, subject)
  const row = await recordDecision(tx, { ...decision, fanId: subject.fanId, automated })
  if (decision.kind === 'note') return row
  const resolved = await resolveReports(tx, subject, row, decision.kind)
  const isOpen = report
    ? resolved.some(({ id }) => id === report.id)
    : resolved.length > 0 || decision.kind !== 'dismiss'
  if (!isOpen) throw await notOpen(tx, report?.id)
  return row
}

/** Whether the text filter has filed an open report about the subject. */
async function isFoundByFilter(reader: Reader, { subjectKind, subjectId }: Subject): Promise<boolean> {
  const { reports } = reader.tables
  const [found] = await reader
    .select({ id: reports.id })
    .from(reports)
    .where(
      and(
        ...[eq(reports.subjectKind, subjectKind), eq(reports.subjectId, subjectId)],
        ...[isNull(reports.resolvedAt), isNull(reports.reporterId)],
      ),
    )
    .limit(1)
  return found !== undefined
}

/** States who has decided it, for the second of two moderators who decide the same case. */
export async function notOpen(reader: Reader, reportId = ''): Promise<DomainError> {
  const report = await findReport(reader, reportId)
  const decision = report?.decisionId ? await findDecision(reader, report.decisionId) : undefined
  if (!decision) return new DomainError(caseProblems.case_not_open)
  const { kind, decidedBy, createdAt } = decision
  const detail = `${decidedBy} decided it at ${createdAt.toISOString()}: ${kind}.`
  return new DomainError(caseProblems.case_not_open, { detail })
}

/** The decision has locked the fan, for which reports wait. Returns those that were open. */
async function resolveReports(
  tx: Transaction,
  { subjectKind, subjectId }: Subject,
  { id: decisionId }: Decision,
  kind: NewDecision['kind'],
) {
  const { reports } = tx.tables
  const resolved = await tx
    .update(reports)
    .set({ resolvedAt: tx.now(), actionTaken: kind !== 'dismiss', decisionId })
    .where(
      and(eq(reports.subjectKind, subjectKind), eq(reports.subjectId, subjectId), isNull(reports.resolvedAt)),
    )
    .returning()
  await recordResolved(tx, resolved)
  return resolved
}
