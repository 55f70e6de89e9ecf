/** Writes a fan's prediction of a match, until its deadline. */

import { and, eq, ne, notExists, sql } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { findCompetition } from '../../club/competitions/competition-kind.ts'
import { lockToPredict, matchBetween, requireMatch } from '../../club/matches/matches.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { lockToCount } from '../../identity/users/locks.ts'
import { hasJokerLeft } from './jokers.ts'
import { presentPrediction } from './predictions.ts'
import { predictionProblems } from './problems.ts'
import type { ScorePrediction } from './schema.ts'

/** Replaces the fan's prediction of the match, with its joker. */
export async function writePrediction(
  tx: Transaction,
  { userId }: Caller,
  matchId: string,
  { joker = false, ...scores }: ScorePrediction,
) {
  const match = await requireMatch(tx, matchId)
  const competition = await findCompetition(tx, match)
  if (joker && competition?.joker == null) throw new DomainError(predictionProblems.joker_not_offered)
  if (joker) await lockToCount(tx, userId)
  const now = tx.clock()
  if (competition?.crowd) await lockToPredict(tx, matchId, now)
  // The earliest kick-off in the future: kick-offs are whole milliseconds.
  const from = new Date(now.getTime() + 1)
  const open = { matchId, from, beforeRound: competition?.deadline === 'round' }
  const [row] = await upsertOpen(tx, {
    ...scores,
    ...open,
    userId,
    now,
    competition: competition?.id ?? null,
    joker: joker
      ? { season: match.season, round: match.round ?? match.id, most: competition?.joker ?? 0 }
      : null,
  })
  if (row) return presentPrediction(row)
  const isOpen = joker && (await selectOpen(tx, { ...open, userId })).length > 0
  throw new DomainError(isOpen ? predictionProblems.joker_used : predictionProblems.prediction_closed)
}

interface Open {
  matchId: string
  from: Date
  beforeRound: boolean
}

interface OpenValues extends Open, Omit<ScorePrediction, 'joker'> {
  userId: string
  now: Date
  competition: string | null
  /** `most`: per season. */
  joker: { season: string; round: string; most: number } | null
}

/** Query for the match if fans can predict it. A match whose split is written stays closed, whatever becomes of its kick-off. */
function openMatch(tx: Transaction, { matchId, from, beforeRound }: Open) {
  const { predictionSplits: splits } = tx.tables
  const open = matchBetween(tx, { matchId, statuses: ['scheduled'], from, beforeRound }).as('open')
  const isSplit = tx.select({ one: sql`1` }).from(splits).where(eq(splits.matchId, matchId))
  return { open, isUnsplit: notExists(isSplit) }
}

const selectOpen = prepared((tx: Transaction, { userId, ...values }: Open & { userId: string }) => {
  const { predictions } = tx.tables
  const { open, isUnsplit } = openMatch(tx, values)
  const isSettled = tx
    .select({ one: sql`1` })
    .from(predictions)
    .where(
      and(eq(predictions.matchId, open.id), eq(predictions.userId, userId), eq(predictions.state, 'settled')),
    )
  return tx
    .select({ id: open.id })
    .from(open)
    .where(and(isUnsplit, notExists(isSettled)))
})

/**
 * Writes nothing when the match has begun, or another one of a round that closes together, or when the fan has used the joker. Never changes a settled prediction, even if its match changed after this
 * statement began. A void prediction becomes open again if its match is open.
 */
const upsertOpen = prepared((tx: Transaction, { userId, now, competition, joker, ...values }: OpenValues) => {
  const { predictions } = tx.tables
  const { open, isUnsplit } = openMatch(tx, values)
  const nothing = (name: string) => sql<null>`null`.as(name)
  const textOf = (text: string | null, name: string) => sql<string | null>`${text}`.as(name)
  return tx
    .insert(predictions)
    .select(
      tx
        .select({
          matchId: open.id,
          userId: sql<string>`${userId}`.as('user_id'),
          homeScore: sql<number>`${values.homeScore}`.as('home_score'),
          awayScore: sql<number>`${values.awayScore}`.as('away_score'),
          createdAt: sql<Date>`${now}`.as('created_at'),
          changedAt: sql<Date>`${now}`.as('changed_at'),
          state: sql<string>`'open'`.as('state'),
          revision: nothing('revision'),
          settledBy: nothing('settled_by'),
          outcome: nothing('outcome'),
          difference: nothing('difference'),
          exact: nothing('exact'),
          points: sql<number>`0`.as('points'),
          booked: sql<number>`0`.as('booked'),
          settledAt: nothing('settled_at'),
          competition: textOf(competition, 'competition'),
          jokerSeason: textOf(joker?.season ?? null, 'joker_season'),
          jokerRound: textOf(joker?.round ?? null, 'joker_round'),
        })
        .from(open)
        .where(
          and(
            isUnsplit,
            joker !== null ? hasJokerLeft(tx, { ...joker, ...values, userId, competition }) : undefined,
          ),
        ),
    )
    .onConflictDoUpdate({
      target: [predictions.matchId, predictions.userId],
      set: {
        homeScore: sql`excluded.home_score`,
        awayScore: sql`excluded.away_score`,
        changedAt: sql`excluded.changed_at`,
        state: 'open',
        revision: null,
        competition: sql`excluded.competition`,
        jokerSeason: sql`excluded.joker_season`,
        jokerRound: sql`excluded.joker_round`,
      },
      setWhere: ne(predictions.state, 'settled'),
    })
    .returning()
})
