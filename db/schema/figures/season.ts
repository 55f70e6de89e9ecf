/** What is counted of the season. */
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineSeasonTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, boolean, integer, text, timestamp } = kit

  /** What the page *Season* shows: sums by kind, time and name. `src/figures/season/tally.ts` has the kinds. */
  const seasonCounts = table(
    'season_counts',
    {
      kind: id().notNull(),
      /** A day, week or minute since 1970, or for the kind `balance` a number of points. */
      bucket: integer().notNull(),
      /** What is counted within the kind, such as a type of event or a rule. */
      name: id().notNull(),
      /** Stated by a demonstration, not counted. */
      stated: boolean().notNull(),
      amount: integer().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'season_counts_pk', columns: [t.kind, t.bucket, t.name, t.stated] }),
      // With the amount: the sums of a year read no row of the table.
      kit.index('season_counts_name').on(t.kind, t.name, t.bucket, t.amount),
    ],
  )

  /** What is known of each fan, so that the counts have each fan once. */
  const seasonFans = table('season_fans', {
    userId: idOf(users).primaryKey(),
    /** The week of joining, since 1970. */
    week: integer().notNull(),
    /** Team and country at the last time that something of the fan was counted. */
    teamId: id(),
    country: id(),
    /** Bits: which steps of the funnel the fan has done. */
    steps: integer().notNull(),
    /** Bits: in which weeks after the week of joining the fan was active, the first 52. */
    weeks: integer().notNull(),
    /** Numbers of `season_subjects` that the fan has had, such as `3,7+`; with `+` more than once. */
    results: text().notNull(),
    stated: boolean().notNull(),
  })

  /** Rules, quests, rewards, packs and products that were counted, each with a number for `season_fans.results`. */
  const seasonSubjects = table(
    'season_subjects',
    {
      number: integer().primaryKey(),
      kind: id().notNull(),
      name: id().notNull(),
    },
    t => [kit.uniqueIndex('season_subjects_unique').on(t.kind, t.name)],
  )

  /** One row, which a unit of work that counts locks: everything before the instant is counted. */
  const seasonSweep = table('season_sweep', {
    id: id().primaryKey(),
    countedUntil: timestamp().notNull(),
  })

  return { seasonCounts, seasonFans, seasonSubjects, seasonSweep }
}

export const fanData = {
  // Counted from the events and entries that the export contains.
  seasonFans: { userId: { export: null, erasure: { clear: ['teamId', 'country'] }, merge: 'stay' } },
} satisfies FanData<ReturnType<typeof defineSeasonTables>>
