/** What a club publishes about a year of moderation (Regulation (EU) 2022/2065, Article 15): counts and times, without data of fans. */
import { and, count, eq, gte, isNotNull, lt, notInArray } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { windowAt } from '../../core/windows.ts'
import type { DecisionKind } from '../../identity/sanctions/kinds.ts'
import { timeZoneOf } from '../../platform/settings/settings.ts'

/** How the club learned of it. `staff`: nothing was reported. */
type Source = 'fans' | 'text_filter' | 'notices' | 'staff'

/** Decisions that answer no report and restrict nobody. */
const OTHERS = ['note', 'lift'] as const satisfies DecisionKind[]

/** Reports and appeals are those that were filed in the year of the club's time zone, decisions those that were made in it. */
export async function reportYear(reader: Reader, year: number) {
  const timeZone = await timeZoneOf(reader)
  const startOf = (of: number) => windowAt('month', new Date(Date.UTC(of, 0, 15)), timeZone).startsAt
  const [from, to] = [startOf(year), startOf(year + 1)]
  return {
    year,
    timeZone,
    from: from.toISOString(),
    to: to.toISOString(),
    decisions: await countDecisions(reader, from, to),
    reports: await countReports(reader, from, to),
    appeals: await countAppeals(reader, from, to),
    notices: await countNotices(reader, from, to),
  }
}

/** `automated`: sanctions whose statement says that software found the content. By reason and kind, the most frequent first, with how the club learned of it. */
async function countDecisions(reader: Reader, from: Date, to: Date) {
  const { moderationDecisions: decisions, moderationStatements: statements, reports } = reader.tables
  const rows = await reader
    .select({
      id: decisions.id,
      kind: decisions.kind,
      reason: decisions.reason,
      reported: count(reports.id),
      byFans: count(reports.reporterId),
      automated: statements.automated,
    })
    .from(decisions)
    .leftJoin(statements, eq(statements.decisionId, decisions.id))
    .leftJoin(reports, eq(reports.decisionId, decisions.id))
    .where(
      and(
        gte(decisions.createdAt, from),
        lt(decisions.createdAt, to),
        notInArray(decisions.kind, [...OTHERS]),
      ),
    )
    .groupBy(decisions.id, decisions.kind, decisions.reason, statements.automated)
  const noticed = await readNoticed(reader, from, to)
  const groups = Map.groupBy(rows, ({ reason, kind }) => `${reason} ${kind}`)
  return [...groups.values()]
    .map(group => {
      const found: Record<Source, number> = { fans: 0, text_filter: 0, notices: 0, staff: 0 }
      for (const row of group) found[noticed.has(row.id) ? 'notices' : sourceOf(row)]++
      const { reason = '', kind = '' } = group[0] ?? {}
      const automated = group.filter(row => row.automated).length
      return { reason, kind, decisions: group.length, automated, found }
    })
    .toSorted(
      (a, b) => b.decisions - a.decisions || (`${a.reason} ${a.kind}` < `${b.reason} ${b.kind}` ? -1 : 1),
    )
}

/** Sanctions that were decided with a notice of illegal content. */
async function readNoticed(reader: Reader, from: Date, to: Date): Promise<Set<string | null>> {
  const { contentNotices: notices } = reader.tables
  const { decidedAt, decisionId } = notices
  const rows = await reader
    .select({ decisionId })
    .from(notices)
    .where(and(gte(decidedAt, from), lt(decidedAt, to), isNotNull(decisionId)))
  return new Set(rows.map(row => row.decisionId))
}

/**
 * Of people without an account (Article 15 (1) (b)), by category, the most frequent first. `merged`: those that were counted with others
 * about the same content, in addition to `filed`.
 */
async function countNotices(reader: Reader, from: Date, to: Date) {
  const { contentNotices: notices } = reader.tables
  const { category, repeats, createdAt, decidedAt, actionTaken, decidedBy } = notices
  const rows = await reader
    .select({ category, repeats, createdAt, decidedAt, actionTaken, decidedBy })
    .from(notices)
    .where(and(gte(createdAt, from), lt(createdAt, to)))
  const decided = rows.filter(row => row.decidedBy !== null)
  const categories = [...Map.groupBy(rows, row => row.category)].map(([name, { length }]) => ({
    category: name,
    filed: length,
  }))
  return {
    filed: rows.length,
    merged: rows.reduce((sum, row) => sum + row.repeats, 0),
    categories: categories.toSorted((a, b) => b.filed - a.filed || (a.category < b.category ? -1 : 1)),
    actedOn: decided.filter(row => row.actionTaken).length,
    refused: decided.filter(row => !row.actionTaken).length,
    ended: rows.filter(row => row.decidedAt !== null && row.decidedBy === null).length,
    open: rows.filter(row => row.decidedAt === null).length,
    medianSeconds: medianOf(decided.map(row => secondsBetween(row.createdAt, row.decidedAt))),
  }
}

const sourceOf = ({ reported, byFans }: { reported: number; byFans: number }): Source =>
  Number(byFans) > 0 ? 'fans' : Number(reported) > 0 ? 'text_filter' : 'staff'

/** `ended`: the fan was erased before a decision. */
async function countReports(reader: Reader, from: Date, to: Date) {
  const { reports } = reader.tables
  const { reporterId, createdAt, resolvedAt, actionTaken, decisionId } = reports
  const rows = await reader
    .select({ reporterId, createdAt, resolvedAt, actionTaken, decisionId })
    .from(reports)
    .where(and(gte(createdAt, from), lt(createdAt, to)))
  const decided = rows.filter(row => row.decisionId !== null)
  return {
    filed: rows.length,
    ofTextFilter: rows.filter(row => row.reporterId === null).length,
    upheld: decided.filter(row => row.actionTaken).length,
    dismissed: decided.filter(row => !row.actionTaken).length,
    ended: rows.filter(row => row.resolvedAt !== null && row.decisionId === null).length,
    open: rows.filter(row => row.resolvedAt === null).length,
    medianSeconds: medianOf(decided.map(row => secondsBetween(row.createdAt, row.resolvedAt))),
  }
}

async function countAppeals(reader: Reader, from: Date, to: Date) {
  const { appeals } = reader.tables
  const { createdAt, decidedAt, granted } = appeals
  const rows = await reader
    .select({ createdAt, decidedAt, granted })
    .from(appeals)
    .where(and(gte(createdAt, from), lt(createdAt, to)))
  const decided = rows.filter(row => row.granted !== null)
  return {
    filed: rows.length,
    granted: decided.filter(row => row.granted).length,
    rejected: decided.filter(row => !row.granted).length,
    open: rows.length - decided.length,
    medianSeconds: medianOf(decided.map(row => secondsBetween(row.createdAt, row.decidedAt))),
  }
}

const secondsBetween = (start: Date, end: Date | null): number =>
  Math.round(((end ?? start).getTime() - start.getTime()) / 1_000)

/** The mean of the two in the middle of an even number. Null without any. */
function medianOf(values: number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle]
  if (upper === undefined) return null
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}
