/** The results by which predictions are settled. Written with the match; `src/play/predictions/` processes them. */
import { and, asc, type Column, eq, lte, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import type { MatchRow } from './matches.ts'

export type Settlement = Tables['matchSettlements']['$inferSelect']

/** The result for predictions that follows from this state of a match. */
export function resultOf({ status, homeScore, awayScore, kickoffAt }: MatchRow) {
  const noScores = { homeScore: null, awayScore: null, kickoffAt }
  if (status === 'finished') return { action: 'settle', homeScore, awayScore, kickoffAt }
  if (status === 'cancelled') return { action: 'void', ...noScores }
  return { action: 'reopen', ...noScores }
}

/**
 * Starts a settlement if the result differs from the last one. The match is locked. Entries and events have
 * its revision: that of the match, or a greater one if the match had this revision before, since operators
 * can reset revisions.
 */
export async function queueSettlement(tx: Transaction, match: MatchRow): Promise<void> {
  const { matchSettlements } = tx.tables
  const result = resultOf(match)
  const before = await findSettlement(tx, match.id)
  if (before ? isSameResult(before, result) : result.action === 'reopen') return
  const now = tx.now()
  const { id: matchId } = match
  const revision = before ? Math.max(match.revision, before.revision + 1) : match.revision
  const set = { ...result, revision, revisedAt: now, cursor: '', lastPass: false, dueAt: now }
  // Waits for a batch of the previous settlement: its rows are settled again.
  await tx
    .insert(matchSettlements)
    .values({ matchId, ...set })
    .onConflictDoUpdate({ target: matchSettlements.matchId, set })
}

/** The last one of a match. */
export const findSettlement = preparedRow((reader: Reader, matchId: string) => {
  const { matchSettlements } = reader.tables
  return reader.select().from(matchSettlements).where(eq(matchSettlements.matchId, matchId))
})

const isSameResult = (before: Settlement, after: ReturnType<typeof resultOf>) =>
  before.action === after.action &&
  before.homeScore === after.homeScore &&
  before.awayScore === after.awayScore &&
  (after.action !== 'settle' || before.kickoffAt.getTime() === after.kickoffAt.getTime())

/** Matches whose predictions have a batch to settle now, the longest waiting first. */
export async function listDueSettlements(reader: Reader, now: Date): Promise<string[]> {
  const rows = await selectDue(reader, now)
  return rows.map(({ matchId }) => matchId)
}

const selectDue = prepared((reader: Reader, now: Date) => {
  const { matchSettlements: settlements } = reader.tables
  return reader
    .select({ matchId: settlements.matchId })
    .from(settlements)
    .where(lte(settlements.dueAt, now))
    .orderBy(asc(settlements.dueAt), asc(settlements.matchId))
})

/**
 * Locks a settlement that is due until the unit of work ends: one batch of a match runs at a time, in whichever process. Fixes
 * points and season with the first batch, so that corrections and instances with other settings score alike.
 */
export const lockDueSettlement = async (
  tx: Transaction,
  matchId: string,
  points: PredictionPoints,
): Promise<Settlement | undefined> => fixDue(tx, matchId, points, tx.clock())

type PredictionPoints = Record<'outcome' | 'difference' | 'exact', number>

const fixDue = preparedRow((tx: Transaction, matchId: string, points: PredictionPoints, now: Date) => {
  const { matches, matchSettlements: settlements } = tx.tables
  const season = tx.select({ season: matches.season }).from(matches).where(eq(matches.id, matchId))
  const fixed = (column: Column, value: number) => sql`coalesce(${column}, ${value})`
  return tx
    .update(settlements)
    .set({
      pointsOutcome: fixed(settlements.pointsOutcome, points.outcome),
      pointsDifference: fixed(settlements.pointsDifference, points.difference),
      pointsExact: fixed(settlements.pointsExact, points.exact),
      season: sql`case when ${settlements.pointsExact} is null then (${season}) else ${settlements.season} end`,
    })
    .where(and(eq(settlements.matchId, matchId), lte(settlements.dueAt, now)))
    .returning()
})

/** Where the next batch begins, and when. The settlement is locked. */
export const advanceSettlement = async (
  tx: Transaction,
  matchId: string,
  { cursor, lastPass, dueAt }: Progress,
): Promise<unknown> => writeProgress(tx, matchId, { cursor, lastPass, dueAt })

type Progress = Pick<Settlement, 'cursor' | 'lastPass' | 'dueAt'>

const writeProgress = prepared((tx: Transaction, matchId: string, progress: Progress) => {
  const { matchSettlements } = tx.tables
  return tx.update(matchSettlements).set(progress).where(eq(matchSettlements.matchId, matchId))
})
