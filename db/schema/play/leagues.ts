/** Leagues of fans, which they join by a code. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

/** Maximum number of members of a league. */
export const MAX_MEMBERS = 1_000

export function defineLeaguesTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  const leagues = table(
    'leagues',
    {
      id: id().primaryKey(),
      name: text().notNull(),
      /** In its normal form. */
      code: id().notNull(),
      /** A member. */
      ownerId: idOf(users),
      /** `points` or `predictions`. */
      scoring: id().notNull(),
      /** The season of the matches whose predictions count; null: of all. */
      season: text(),
      /** The competition of the matches whose predictions count. Null: all. */
      competition: text(),
      /** `table` or `head_to_head`. */
      format: id().notNull().default('table'),
      /** Of a league of points: a season of the catalogue, with its times when the league was created. */
      seasonId: id(),
      startsAt: timestamp(),
      endsAt: timestamp(),
      /** The board whose points count. */
      board: id().notNull(),
      /** `join`: from when a member joined. `start`: since the league was created; with a season, from its start. */
      countFrom: id().notNull(),
      /** Whether nobody can join. */
      locked: boolean().notNull(),
      /** Number of rows of `league_members`. */
      members: integer().notNull(),
      /** The number of the fan who joined last. */
      joined: integer().notNull().default(0),
      /** Decides the draw of head to head, with the numbers of the members. */
      seed: id(),
      /** The number of the last round that was drawn. */
      rounds: integer().notNull().default(0),
      /** When the next round starts or ends, or the season ends. Null: nothing follows. */
      dueAt: timestamp(),
      /** Since when the table no longer changes. */
      finalAt: timestamp(),
      /** Since when moderators hold the name: the owner cannot change it. */
      nameHeldAt: timestamp(),
      createdAt: timestamp().notNull(),
    },
    t => [
      kit.uniqueIndex('leagues_code_unique').on(t.code),
      kit.index('leagues_owner').on(t.ownerId),
      kit.index('leagues_due').on(t.dueAt),
      kit.check('leagues_scoring', sql`${t.scoring} in ('points', 'predictions')`),
      kit.check('leagues_count_from', sql`${t.countFrom} in ('join', 'start')`),
      kit.check('leagues_season_of_predictions', sql`${t.season} is null or ${t.scoring} = 'predictions'`),
      kit.check('leagues_members_limit', sql`${t.members} between 1 and ${sql.raw(String(MAX_MEMBERS))}`),
    ],
  )

  /** The primary key enforces that a fan is a member once. */
  const leagueMembers = table(
    'league_members',
    {
      leagueId: idOf(leagues),
      userId: idOf(users),
      joinedAt: timestamp().notNull(),
      /** Entries of this time and later count. Null: all. */
      countsFrom: timestamp(),
      /** What remains of the points on the board of the league that were earned before `countsFrom`. */
      baseline: integer().notNull(),
      /** Fans are numbered in the order in which they join: 1, 2 and so on. */
      number: integer().notNull().default(0),
      /** Of head to head: 3 for each round won, 1 for each drawn. */
      matchPoints: integer().notNull().default(0),
      /** The points of the season when the table became final. */
      finalPoints: integer(),
    },
    t => [
      kit.primaryKey({ name: 'league_members_pk', columns: [t.leagueId, t.userId] }),
      kit.index('league_members_fan').on(t.userId, t.joinedAt, t.leagueId),
      kit.index('league_members_joined').on(t.leagueId, t.joinedAt, t.userId),
      kit.uniqueIndex('league_members_number_unique').on(t.leagueId, t.number).where(sql`${t.number} > 0`),
      kit.check('league_members_baseline', sql`${t.baseline} between 0 and 9007199254740991`),
    ],
  )

  /** Fans who cannot join a league. */
  const leagueBans = table(
    'league_bans',
    {
      leagueId: idOf(leagues),
      userId: idOf(users),
      /** The one that a member had. */
      number: integer(),
      bannedAt: timestamp().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'league_bans_pk', columns: [t.leagueId, t.userId] }),
      kit.index('league_bans_fan').on(t.userId),
    ],
  )

  /** The rounds of a league, head to head. */
  const leagueRounds = table(
    'league_rounds',
    {
      leagueId: idOf(leagues),
      number: integer().notNull(),
      /** The week, as `2026-W47`. */
      week: id().notNull(),
      /** Inclusive. */
      startsAt: timestamp().notNull(),
      /** Exclusive. */
      endsAt: timestamp().notNull(),
      /** When its results were stored, which then no longer change. */
      closedAt: timestamp(),
      /** The first pair whose fans still get the event of the result. Null: none. */
      tellFrom: integer(),
    },
    t => [
      kit.primaryKey({ name: 'league_rounds_pk', columns: [t.leagueId, t.number] }),
      kit.index('league_rounds_tell').on(t.leagueId, t.number).where(sql`${t.tellFrom} is not null`),
      kit.check('league_rounds_order', sql`${t.startsAt} < ${t.endsAt}`),
    ],
  )

  /** Members who play each other in a round, by their numbers. */
  const leaguePairs = table(
    'league_pairs',
    {
      leagueId: idOf(leagues),
      round: integer().notNull(),
      position: integer().notNull(),
      home: integer().notNull(),
      /** Null: the other one has no opponent. */
      away: integer(),
      /** Null until the round is closed. */
      homePoints: integer(),
      awayPoints: integer(),
    },
    t => [
      kit.primaryKey({ name: 'league_pairs_pk', columns: [t.leagueId, t.round, t.position] }),
      kit.uniqueIndex('league_pairs_home_unique').on(t.leagueId, t.round, t.home),
      kit.uniqueIndex('league_pairs_away_unique').on(t.leagueId, t.round, t.away),
      kit.check('league_pairs_home_not_away', sql`${t.home} <> ${t.away}`),
      kit.check('league_pairs_points', sql`(${t.awayPoints} is null) or (${t.homePoints} is not null)`),
    ],
  )

  return { leagues, leagueMembers, leagueBans, leagueRounds, leaguePairs }
}

export const fanData = {
  leagues: {
    // An erasure hands a league with other members over.
    ownerId: { export: 'leagues', erasure: 'delete', merge: 'move' },
  },
  leagueMembers: {
    userId: {
      export: 'leagues',
      erasure: 'delete',
      merge: { rule: 'moves; of two in one league, one stays, since the earlier joining' },
    },
  },
  leagueBans: {
    // A fan learns of a ban only from the attempt to join.
    userId: {
      export: null,
      erasure: 'delete',
      merge: { rule: 'moves, unless the other fan is a member or banned; deleted otherwise' },
    },
  },
} satisfies FanData<ReturnType<typeof defineLeaguesTables>>
