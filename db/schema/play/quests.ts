/** Quests, achievements and streaks: the catalogue, and the progress of each fan. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineQuestsTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  /** The importer sets the id, a slug. The rest of an entry is in its versions. */
  const quests = table('quests', {
    id: id().primaryKey(),
    active: boolean().notNull(),
    startsAt: timestamp(),
    endsAt: timestamp(),
    /** The current version: 1, 2, 3 … */
    version: integer().notNull(),
    createdAt: timestamp().notNull(),
    updatedAt: timestamp().notNull(),
  })

  /** Every version of a quest: a period keeps the one with which it began. */
  const questVersions = table(
    'quest_versions',
    {
      questId: idOf(quests),
      version: integer().notNull(),
      /** JSON of the whole entry. */
      entry: text().notNull(),
      createdAt: timestamp().notNull(),
    },
    t => [kit.primaryKey({ name: 'quest_versions_pk', columns: [t.questId, t.version] })],
  )

  /** `requires` of the current version of each quest. */
  const questRequirements = table(
    'quest_requirements',
    {
      questId: idOf(quests),
      requiredId: idOf(quests),
    },
    t => [kit.primaryKey({ name: 'quest_requirements_pk', columns: [t.questId, t.requiredId] })],
  )

  /**
   * A fan's progress in a period of a quest, from the first event on. The primary key and the two instants enforce that
   * a period is completed once and claimed once.
   */
  const questProgress = table(
    'quest_progress',
    {
      userId: idOf(users),
      questId: idOf(quests),
      /** `ever`, a day like `2026-11-22`, a week like `2026-W47` or a month like `2026-11`, in the quest's time zone. */
      period: id().notNull(),
      /** Null for `ever`. */
      endsAt: timestamp(),
      /** The version of the quest at the first progress. Its targets and reward apply to the whole period. */
      version: integer().notNull(),
      /** JSON: the count of each step with any. */
      counts: text().notNull(),
      createdAt: timestamp().notNull(),
      completedAt: timestamp(),
      /** The event `quest.completed` of the application. */
      completionId: id(),
      claimedAt: timestamp(),
      /** JSON: what the claim gave. */
      given: text(),
      /** The merged record from which the row was copied. The counted events belong to that record. */
      carriedFrom: id(),
    },
    t => [
      kit.primaryKey({ name: 'quest_progress_pk', columns: [t.userId, t.questId, t.period] }),
      kit.check('quest_progress_completion', sql`(${t.completedAt} is null) = (${t.completionId} is null)`),
      kit.check('quest_progress_claim', sql`${t.claimedAt} is null or ${t.completedAt} is not null`),
      kit.check('quest_progress_given', sql`(${t.claimedAt} is null) = (${t.given} is null)`),
    ],
  )

  /**
   * The events that were counted, each for a period with progress. The primary key enforces that an event counts once for
   * a step.
   */
  const questCounts = table(
    'quest_counts',
    {
      userId: id().notNull(),
      questId: id().notNull(),
      period: id().notNull(),
      stepId: id().notNull(),
      source: id().notNull(),
      eventId: id().notNull(),
      /** A hash of the value of `distinctBy`; null for a step without. */
      value: id(),
    },
    t => [
      kit.primaryKey({
        name: 'quest_counts_pk',
        columns: [t.userId, t.questId, t.period, t.stepId, t.source, t.eventId],
      }),
      kit.foreignKey({
        name: 'quest_counts_progress_fk',
        columns: [t.userId, t.questId, t.period],
        foreignColumns: [questProgress.userId, questProgress.questId, questProgress.period],
      }),
    ],
  )

  /** Streaks of quests of the kind `streak`, computed from their completed periods. */
  const questStreaks = table(
    'quest_streaks',
    {
      userId: idOf(users),
      questId: idOf(quests),
      /** Completed periods of the latest run, and of the longest one. */
      current: integer().notNull(),
      best: integer().notNull(),
      /** Days that the run may still miss. */
      graceLeft: integer().notNull(),
      /** When the last completed period ends. */
      lastEndsAt: timestamp().notNull(),
      /** When the run ends if no further period is completed. */
      endsAt: timestamp().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'quest_streaks_pk', columns: [t.userId, t.questId] }),
      kit.check('quest_streaks_counts', sql`${t.current} between 1 and ${t.best}`),
      kit.check('quest_streaks_grace', sql`${t.graceLeft} >= 0`),
    ],
  )

  return { quests, questVersions, questRequirements, questProgress, questCounts, questStreaks }
}

const QUESTS =
  'they stay, and of each period the one that is further is copied, so that none is claimed again'

export const fanData = {
  questProgress: { userId: { export: 'quests', erasure: 'keep', merge: { rule: QUESTS } } },
  // The export of the events contains the counted events.
  questCounts: { userId: { export: null, erasure: 'delete', merge: { rule: QUESTS } } },
  questStreaks: {
    userId: {
      export: 'streaks',
      erasure: 'keep',
      merge: { rule: 'they stay, and are counted again for the other fan' },
    },
  },
} satisfies FanData<ReturnType<typeof defineQuestsTables>>
