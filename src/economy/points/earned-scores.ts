/** A fan's scores, computed from the ledger: for an enrolment, and after points are taken back. */
import { aliasedTable, and, eq, gt, gte, inArray, lt, notInArray, or, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { takesPart } from '../leaderboard/boards.ts'
import type { FanScore } from '../leaderboard/rank-index/entries.ts'
import type { BoardScore } from '../leaderboard/rank-index/rank-index.ts'
import { raiseScore } from '../leaderboard/scores.ts'
import {
  GRANT_REASONS,
  type PointsReason,
  REASONS_WITH_BOARDS,
  REFUND_REASONS,
  remainingOf,
} from '../ledgers/reasons.ts'
import { archivedPoints, readSeams } from './seams.ts'

/**
 * The scores of an enrolled fan on the boards that start at `since` or later, and on those without a start. Every fan has a
 * score on the global board, and one on another board only with points earned there.
 */
export async function earnedScores(
  reader: Reader,
  userId: string,
  { enrolledAt, since }: { enrolledAt: Date; since: Date },
): Promise<BoardScore[]> {
  const rows = await selectEarned(reader, { userId, since })
  const entries = rows.flatMap(({ entry, taken }) => (entry ? { entry, taken } : []))
  return scoresOf(enrolledAt, withArchived(rows[0]?.before ?? NOTHING, rows[0]?.archived), entries)
}

/** As `earnedScores`, for a fan with one entry. */
export const scoresOfFirst = (enrolledAt: Date, entry: EarnedEntry['entry']): BoardScore[] =>
  scoresOf(enrolledAt, NOTHING, [{ entry, taken: null }])

/** As `earnedScores` for many fans, who are enrolled since these times. */
export async function listEarnedScores(
  reader: Reader,
  enrolments: Map<string, Date>,
  since: Date,
): Promise<FanScore[]> {
  const { pointsEntries: entries } = reader.tables
  const isTheirs = inArray(entries.userId, [...enrolments.keys()])
  const sums: Sum[] = await sumBefore(reader, isTheirs, since).groupBy(entries.userId)
  const earned: (EarnedEntry & { userId: string })[] = await selectSince(reader, isTheirs, since)
  const before = new Map(sums.map(sum => [sum.userId, sum]))
  const seams = await readSeams(reader, [...enrolments.keys()])
  const rows = Map.groupBy(earned, ({ userId }) => userId)
  return [...enrolments].flatMap(([userId, enrolledAt]) =>
    scoresOf(
      enrolledAt,
      withArchived(before.get(userId) ?? NOTHING, seams.get(userId)?.state),
      rows.get(userId) ?? [],
    ).map(score => {
      return { userId, ...score }
    }),
  )
}

interface Sum {
  userId: string
  points: number
  reachedAt: Date | null
}

const NOTHING = { points: 0, reachedAt: null }

/** Archived entries are older than every board that is not final, except the global one. */
function withArchived(before: Omit<Sum, 'userId'>, state: string | null | undefined) {
  const { points, reachedAt } = archivedPoints(state)
  const times = [before.reachedAt, reachedAt].flatMap(at => at?.getTime() ?? [])
  return {
    points: before.points + points,
    reachedAt: times.length === 0 ? null : new Date(Math.max(...times)),
  }
}

export interface EarnedEntry {
  entry: { delta: number; reason: PointsReason; ref: string; createdAt: Date }
  /** What was taken back of it. */
  taken: { delta: number; createdAt: Date } | null
}

function scoresOf(enrolledAt: Date, before: Omit<Sum, 'userId'>, rows: EarnedEntry[]): BoardScore[] {
  const { points, reachedAt } = before
  const all = { board: 'all', points, reachedAt: (reachedAt ?? enrolledAt).getTime() }
  const scores = new Map<string, BoardScore>([[all.board, all]])
  for (const { entry, taken } of rows) {
    const { delta: points, reason, ref, createdAt: at } = entry
    const earning = { points, reason, ref, at }
    const back = taken && { points: -taken.delta, at: taken.createdAt }
    for (const { board, points: gained } of remainingOf({ ...earning, taken: back }))
      if (takesPart(enrolledAt, board))
        scores.set(board.id, raiseScore(board.id, scores.get(board.id), { gained, at }))
  }
  return [...scores.values()]
}

/**
 * Each entry from `since` on, and each whose ref names boards, with what was taken back of it; and what
 * remains of the sum of the others. A row without an entry if there is none.
 */
const selectEarned = prepared((reader: Reader, { userId, since }: { userId: string; since: Date }) => {
  const { pointsEntries: entries, archiveSeams } = reader.tables
  const isTheirs = eq(entries.userId, userId)
  const before = sumBefore(reader, isTheirs, since).as('before')
  const { taken, isTaken, isEarned, entry } = earningsOf(reader, isTheirs)
  return reader
    .select({
      before: { points: before.points, reachedAt: before.reachedAt },
      entry,
      taken: { delta: taken.delta, createdAt: taken.createdAt },
      archived: archiveSeams.state,
    })
    .from(before)
    .leftJoin(archiveSeams, eq(archiveSeams.userId, userId))
    .leftJoin(entries, and(isEarned, isListed(entries, since)))
    .leftJoin(taken, isTaken)
})

/** As in `selectEarned`. */
export function selectSince(reader: Reader, isTheirs: SQL, since: Date) {
  const { pointsEntries: entries } = reader.tables
  const { taken, isTaken, isEarned, entry } = earningsOf(reader, isTheirs)
  return reader
    .select({ userId: entries.userId, entry, taken: { delta: taken.delta, createdAt: taken.createdAt } })
    .from(entries)
    .leftJoin(taken, isTaken)
    .where(and(isEarned, isListed(entries, since)))
}

/** What remains of the sum of the others. */
function sumBefore(reader: Reader, isTheirs: SQL, since: Date) {
  const { pointsEntries: entries } = reader.tables
  const { taken, isTaken, isEarned } = earningsOf(reader, isTheirs)
  const remaining = sql`${entries.delta} + coalesce(${taken.delta}, 0)`
  return reader
    .select({
      userId: sql<string>`max(${entries.userId})`.as('user_id'),
      points: sql<number>`cast(coalesce(sum(${remaining}), 0) as bigint)`.mapWith(Number).as('points'),
      reachedAt: sql<Date | null>`max(case when ${remaining} > 0 then ${entries.createdAt} end)`
        .mapWith(entries.createdAt)
        .as('reached_at'),
    })
    .from(entries)
    .leftJoin(taken, isTaken)
    .where(and(isEarned, lt(entries.createdAt, since), notInArray(entries.reason, REASONS_WITH_BOARDS)))
}

const isListed = ({ createdAt, reason }: Tables['pointsEntries'], since: Date) =>
  or(gte(createdAt, since), inArray(reason, REASONS_WITH_BOARDS))

/** Entries that count for ranks, and what was taken back of each. */
function earningsOf({ tables }: Pick<Reader, 'tables'>, isTheirs: SQL) {
  const { pointsEntries: entries } = tables
  const taken = aliasedTable(entries, 'taken')
  return {
    entry: {
      delta: entries.delta,
      // Guarantee of the type: only reasons of the list are written.
      reason: sql<PointsReason>`${entries.reason}`,
      ref: entries.ref,
      createdAt: entries.createdAt,
    },
    isEarned: and(isTheirs, gt(entries.delta, 0), notInArray(entries.reason, REFUND_REASONS)),
    taken,
    isTaken: and(
      inArray(entries.reason, GRANT_REASONS),
      eq(taken.userId, entries.userId),
      // One comparison, for the index: see `GRANT_REASONS`.
      sql`${taken.reason} = ${entries.reason} || '_void'`,
      eq(taken.ref, entries.ref),
    ),
  }
}
