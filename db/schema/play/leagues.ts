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
      createdAt: timestamp().notNull(),
    },
    t => [
      kit.uniqueIndex('leagues_code_unique').on(t.code),
      kit.index('leagues_owner').on(t.ownerId),
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
      bannedAt: timestamp().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'league_bans_pk', columns: [t.leagueId, t.userId] }),
      kit.index('league_bans_fan').on(t.userId),
    ],
  )

  return { leagues, leagueMembers, leagueBans }
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
