/** Writes a fan's prediction of a match, until its deadline. */

import { ne, sql } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { findCompetition } from '../../club/competitions/competition-kind.ts'
import { matchBetween, requireMatch } from '../../club/matches/matches.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { presentPrediction } from './predictions.ts'
import { predictionProblems } from './problems.ts'
import type { ScorePrediction } from './schema.ts'

/** Replaces the fan's prediction of the match. */
export async function writePrediction(
  tx: Transaction,
  { userId }: Caller,
  matchId: string,
  scores: ScorePrediction,
) {
  const competition = await findCompetition(tx, await requireMatch(tx, matchId))
  const now = tx.clock()
  // The earliest kick-off in the future: kick-offs are whole milliseconds.
  const from = new Date(now.getTime() + 1)
  const [row] = await upsertOpen(tx, {
    ...scores,
    matchId,
    userId,
    now,
    from,
    beforeRound: competition?.deadline === 'round',
  })
  if (!row) throw new DomainError(predictionProblems.prediction_closed)
  return presentPrediction(row)
}

interface OpenValues extends ScorePrediction {
  matchId: string
  userId: string
  now: Date
  from: Date
  beforeRound: boolean
}

/**
 * Writes nothing when the match has begun, or another one of a round that closes together. Never changes a settled prediction, even if its match changed after this
 * statement began. A void prediction becomes open again if its match is open.
 */
const upsertOpen = prepared(
  (tx: Transaction, { matchId, userId, now, from, beforeRound, ...scores }: OpenValues) => {
    const { predictions } = tx.tables
    const open = matchBetween(tx, { matchId, statuses: ['scheduled'], from, beforeRound }).as('open')
    const nothing = (name: string) => sql<null>`null`.as(name)
    return tx
      .insert(predictions)
      .select(
        tx
          .select({
            matchId: open.id,
            userId: sql<string>`${userId}`.as('user_id'),
            homeScore: sql<number>`${scores.homeScore}`.as('home_score'),
            awayScore: sql<number>`${scores.awayScore}`.as('away_score'),
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
          })
          .from(open)
          .where(sql`true`),
      )
      .onConflictDoUpdate({
        target: [predictions.matchId, predictions.userId],
        set: {
          homeScore: sql`excluded.home_score`,
          awayScore: sql`excluded.away_score`,
          changedAt: sql`excluded.changed_at`,
          state: 'open',
          revision: null,
        },
        setWhere: ne(predictions.state, 'settled'),
      })
      .returning()
  },
)
