/** Predictions of results. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function definePredictionsTables(kit: ColumnKit, { matches, users }: Referenced<'matches' | 'users'>) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  /** The primary key enforces one prediction per fan and match. The settlement reads in its order. */
  const predictions = table(
    'predictions',
    {
      matchId: idOf(matches),
      userId: idOf(users),
      homeScore: integer().notNull(),
      awayScore: integer().notNull(),
      createdAt: timestamp().notNull(),
      /** Time of the last change of the scores. */
      changedAt: timestamp().notNull(),
      /** `open`, `settled`, or `void` (the match was cancelled or had already begun). */
      state: id().notNull(),
      /** The revision of `match_settlements` that was applied to this row. Null: none yet. */
      revision: integer(),
      /** The revision whose result settled it, also in its event and its ledger entry. */
      settledBy: integer(),
      outcome: boolean(),
      difference: boolean(),
      exact: boolean(),
      /** Points that the prediction earns. */
      points: integer().notNull(),
      /** Sum of its ledger entries. Greater than `points` when a correction could not take everything back. */
      booked: integer().notNull(),
      settledAt: timestamp(),
      /** The competition of the catalogue in which it was written. Null: the default one. */
      competition: id(),
      /** Season and round of its joker, which doubles the points. Null: it has none. A void prediction uses none. */
      jokerSeason: text(),
      jokerRound: text(),
    },
    t => [
      kit.primaryKey({ name: 'predictions_pk', columns: [t.matchId, t.userId] }),
      // The counts of the season read new predictions in this order.
      kit.index('predictions_created').on(t.createdAt),
      kit.index('predictions_user').on(t.userId, t.createdAt, t.matchId),
      kit
        .uniqueIndex('predictions_joker')
        .on(t.userId, t.competition, t.jokerSeason, t.jokerRound)
        .where(sql`${t.jokerRound} is not null and ${t.state} <> 'void'`),
      kit.check('predictions_scores_not_negative', sql`${t.homeScore} >= 0 and ${t.awayScore} >= 0`),
      kit.check('predictions_state', sql`${t.state} in ('open', 'settled', 'void')`),
      kit.check('predictions_settled', sql`(${t.state} = 'settled') = (${t.exact} is not null)`),
      kit.check('predictions_booked', sql`${t.booked} >= ${t.points} and ${t.points} >= 0`),
    ],
  )

  /**
   * How many fans chose each outcome of a match when its predictions closed. While it exists, nobody can predict the match, so it
   * equals a count of the predictions. Never changed, and deleted only if a report closed the match too early.
   */
  const predictionSplits = table(
    'prediction_splits',
    {
      matchId: idOf(matches).primaryKey(),
      /** The planned deadline when it was written. Predictions changed at this time or later are not counted. */
      kickoffAt: timestamp().notNull(),
      frozenAt: timestamp().notNull(),
      home: integer().notNull(),
      draw: integer().notNull(),
      away: integer().notNull(),
    },
    t => [
      kit.check('prediction_splits_not_negative', sql`${t.home} >= 0 and ${t.draw} >= 0 and ${t.away} >= 0`),
    ],
  )

  return { predictions, predictionSplits }
}

export const fanData = {
  predictions: {
    userId: {
      export: 'predictions',
      erasure: 'keep',
      merge: {
        rule: 'open ones move, unless the other fan predicted the match; settled ones stay, and those that a split counts',
      },
    },
  },
} satisfies FanData<ReturnType<typeof definePredictionsTables>>
