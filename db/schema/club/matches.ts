/** Matches and their results. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'

export function defineMatchesTables(kit: ColumnKit, { teams }: Referenced<'teams'>) {
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
      /** Who supports it: a sponsor of the catalogue, in the figures of the season. */
      sponsorId: id(),
      /** `scheduled`, `live`, `finished`, `postponed` or `cancelled`. */
      status: id().notNull(),
      homeScore: integer(),
      awayScore: integer(),
      /** Revision of status, scores and kick-off, which the sender increments. A change needs a greater revision. */
      revision: integer().notNull(),
      /** JSON: the texts that exist in several languages. Their columns have the default. */
      translations: text(),
      active: boolean().notNull(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.index('matches_kickoff').on(t.kickoffAt, t.id),
      // Predictions of a round close with its first match.
      kit.index('matches_round').on(t.competition, t.season, t.round),
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
      /** Whether the current pass began after all older writes had ended. */
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

  return { matches, matchSettlements }
}
