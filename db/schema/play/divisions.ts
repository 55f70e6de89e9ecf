/** Divisions: fans who are active are put into tables, from which the best rise and the last fall at the end of each period. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

/** Maximum number of members of a table. */
export const MAX_TABLE = 100

export function defineDivisionsTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  /** What the catalogue states. The importer sets the id, a slug. */
  const divisions = table('divisions', {
    id: id().primaryKey(),
    name: text().notNull(),
    /** `points` or `predictions`. */
    scoring: id().notNull(),
    /** Members of a full table. */
    size: integer().notNull(),
    /** `week` or `month`. */
    every: id().notNull(),
    /** JSON: the levels, the lowest first. */
    levels: text().notNull(),
    /** JSON: the texts that exist in several languages. Their columns have the default. */
    translations: text(),
    active: boolean().notNull(),
    createdAt: timestamp().notNull(),
    updatedAt: timestamp().notNull(),
  })

  /** A week or month of a division, with the rules of its start: a change of the entry applies from the next one on. */
  const divisionPeriods = table(
    'division_periods',
    {
      divisionId: idOf(divisions),
      /** Inclusive. */
      startsAt: timestamp().notNull(),
      /** Exclusive. */
      endsAt: timestamp().notNull(),
      scoring: id().notNull(),
      size: integer().notNull(),
      /** JSON: id, `up` and `down` of each level, the lowest first. */
      levels: text().notNull(),
      /** When all tables were closed. */
      closedAt: timestamp(),
    },
    t => [
      kit.primaryKey({ name: 'division_periods_pk', columns: [t.divisionId, t.startsAt] }),
      kit.index('division_periods_open').on(t.endsAt).where(sql`${t.closedAt} is null`),
      kit.check('division_periods_order', sql`${t.startsAt} < ${t.endsAt}`),
    ],
  )

  /** The tables of a level in a period, which are numbered 1, 2 and so on. */
  const divisionLevels = table(
    'division_levels',
    {
      divisionId: idOf(divisions),
      startsAt: timestamp().notNull(),
      /** 0 is the lowest. */
      level: integer().notNull(),
      /** Seats that were given, which fill one table after the other. No seat is given twice. */
      placed: integer().notNull(),
      /** Tables that are closed, the first ones. */
      closed: integer().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'division_levels_pk', columns: [t.divisionId, t.startsAt, t.level] }),
      kit.check('division_levels_counts', sql`${t.placed} >= 0 and ${t.closed} >= 0`),
    ],
  )

  /** The primary key enforces that a fan is in one table of a division. */
  const divisionMembers = table(
    'division_members',
    {
      userId: idOf(users),
      divisionId: idOf(divisions),
      startsAt: timestamp().notNull(),
      level: integer().notNull(),
      number: integer().notNull(),
      /** 1 to the size of a table. */
      seat: integer().notNull(),
      /** Entries of the ledger up to this one count in no case. */
      afterSeq: integer().notNull(),
      since: timestamp().notNull(),
      /** JSON: how the period before ended for the fan. */
      result: text(),
      /** Whether the fan still gets the event of `result`. */
      untold: boolean().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'division_members_pk', columns: [t.userId, t.divisionId] }),
      // With `seat` up to the size, no table has more members.
      kit.uniqueIndex('division_members_seat_unique').on(t.divisionId, t.startsAt, t.level, t.number, t.seat),
      kit.index('division_members_untold').on(t.userId, t.divisionId).where(sql`${t.untold}`),
      kit.check('division_members_seat', sql`${t.seat} between 1 and ${sql.raw(String(MAX_TABLE))}`),
    ],
  )

  return { divisions, divisionPeriods, divisionLevels, divisionMembers }
}

export const fanData = {
  divisionMembers: {
    userId: {
      export: 'divisions',
      erasure: 'delete',
      merge: { rule: 'moves; of two in one division, the one in the higher table stays' },
    },
  },
} satisfies FanData<ReturnType<typeof defineDivisionsTables>>
