/** Matches and their results, and what fans do around them. */
import { sql } from 'drizzle-orm'
import type { ColumnKit } from './columns.ts'
import type { FanTables } from './fans.ts'

export function defineMatchTables(kit: ColumnKit, { teams, users }: FanTables) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  /** Matches of any competition. The importer sets the id, a slug. */
  const matches = table(
    'matches',
    {
      id: id().primaryKey(),
      competition: text().notNull(),
      season: text().notNull(),
      round: text(),
      homeTeamId: idOf(teams),
      awayTeamId: idOf(teams),
      kickoffAt: timestamp().notNull(),
      venue: text(),
      /** `scheduled`, `live`, `finished`, `postponed` or `cancelled`. */
      status: id().notNull(),
      homeScore: integer(),
      awayScore: integer(),
      /** Of status, scores and kick-off. The sender counts it; a change needs a greater one. */
      revision: integer().notNull(),
      active: boolean().notNull(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.index('matches_kickoff').on(t.kickoffAt, t.id),
      kit.check(
        'matches_status',
        sql`${t.status} in ('scheduled', 'live', 'finished', 'postponed', 'cancelled')`,
      ),
      kit.check('matches_teams', sql`${t.homeTeamId} <> ${t.awayTeamId}`),
      kit.check('matches_revision', sql`${t.revision} >= 1`),
      kit.check('matches_scores', sql`(${t.homeScore} is null) = (${t.awayScore} is null)`),
      kit.check('matches_scores_not_negative', sql`${t.homeScore} >= 0 and ${t.awayScore} >= 0`),
      kit.check(
        'matches_scores_of_played',
        sql`${t.homeScore} is null or ${t.status} in ('live', 'finished')`,
      ),
      kit.check('matches_finished_with_scores', sql`${t.homeScore} is not null or ${t.status} <> 'finished'`),
    ],
  )

  /**
   * The result by which the predictions of a match are settled: at most one row per match, written with the match. Its row
   * lock serializes the batches of a settlement.
   */
  const matchSettlements = table(
    'match_settlements',
    {
      matchId: idOf(matches).primaryKey(),
      /** The revision of the match that set this result. */
      revision: integer().notNull(),
      /** `settle` by the scores, `void` all predictions, or `reopen` them. */
      action: id().notNull(),
      homeScore: integer(),
      awayScore: integer(),
      /** Predictions changed at this time or later do not count. */
      kickoffAt: timestamp().notNull(),
      revisedAt: timestamp().notNull(),
      /** Points per hit, fixed when the first batch runs. Null before. */
      pointsOutcome: integer(),
      pointsDifference: integer(),
      pointsExact: integer(),
      /** The season of the match when the first batch ran: points count on its board. Null before. */
      season: text(),
      /** The last fan of the current pass; empty at its start. */
      cursor: id().notNull(),
      /** Whether the current pass began after every older write had ended. */
      lastPass: boolean().notNull(),
      /** When the next batch may run. Null: all predictions are settled. */
      dueAt: timestamp(),
    },
    t => [
      kit.index('match_settlements_due').on(t.dueAt),
      kit.check('match_settlements_action', sql`${t.action} in ('settle', 'void', 'reopen')`),
      kit.check(
        'match_settlements_scores',
        sql`(${t.action} = 'settle') = (${t.homeScore} is not null) and (${t.homeScore} is null) = (${t.awayScore} is null)`,
      ),
    ],
  )

  /** The primary key enforces one check-in per fan and match. */
  const checkIns = table(
    'check_ins',
    {
      userId: idOf(users),
      matchId: idOf(matches),
      checkedInAt: timestamp().notNull(),
    },
    t => [kit.primaryKey({ name: 'check_ins_pk', columns: [t.userId, t.matchId] })],
  )

  /** The primary key enforces one prediction per fan and match; its order is that of the settlement. */
  const predictions = table(
    'predictions',
    {
      matchId: idOf(matches),
      userId: idOf(users),
      homeScore: integer().notNull(),
      awayScore: integer().notNull(),
      createdAt: timestamp().notNull(),
      /** Of the scores. */
      changedAt: timestamp().notNull(),
      /** `open`, `settled`, or `void`: the match was cancelled, or had begun. */
      state: id().notNull(),
      /** The revision of `match_settlements` that this row follows. Null: of none yet. */
      revision: integer(),
      /** The revision by whose result it is settled: that of its event and of its ledger entry. */
      settledBy: integer(),
      outcome: boolean(),
      difference: boolean(),
      exact: boolean(),
      /** What the prediction earns by its result. */
      points: integer().notNull(),
      /** Sum of its ledger entries. Greater than `points` when a correction could not take everything back. */
      booked: integer().notNull(),
      settledAt: timestamp(),
    },
    t => [
      kit.primaryKey({ name: 'predictions_pk', columns: [t.matchId, t.userId] }),
      kit.index('predictions_user').on(t.userId, t.createdAt, t.matchId),
      kit.check('predictions_scores_not_negative', sql`${t.homeScore} >= 0 and ${t.awayScore} >= 0`),
      kit.check('predictions_state', sql`${t.state} in ('open', 'settled', 'void')`),
      kit.check('predictions_settled', sql`(${t.state} = 'settled') = (${t.exact} is not null)`),
      kit.check('predictions_booked', sql`${t.booked} >= ${t.points} and ${t.points} >= 0`),
    ],
  )

  return { matches, matchSettlements, checkIns, predictions }
}
