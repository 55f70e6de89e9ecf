/** Sets of collectibles: the catalogue, and the completions of fans. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineSetsTables(
  kit: ColumnKit,
  { users, collectibles, rewards }: Referenced<'users' | 'collectibles' | 'rewards'>,
) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  /** The importer sets the id, a slug. */
  const sets = table(
    'sets',
    {
      id: id().primaryKey(),
      name: text().notNull(),
      /** JSON: the texts that exist in several languages. Their columns have the default. */
      translations: text(),
      /** The reward for a completion. */
      rewardPoints: integer().notNull(),
      rewardId: id().references(() => rewards.id),
      active: boolean().notNull(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [kit.check('sets_points_not_negative', sql`${t.rewardPoints} >= 0`)],
  )

  const setItems = table(
    'set_items',
    {
      setId: idOf(sets),
      collectibleId: idOf(collectibles),
      /** The order in the file. */
      position: integer().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'set_items_pk', columns: [t.setId, t.collectibleId] }),
      kit.index('set_items_collectible').on(t.collectibleId, t.setId),
    ],
  )

  /** The primary key enforces that a fan completes a set once, also if items leave and return. */
  const setCompletions = table(
    'set_completions',
    {
      userId: idOf(users),
      setId: idOf(sets),
      completedAt: timestamp().notNull(),
      /** Points that were given. */
      points: integer().notNull(),
      rewardId: id().references(() => rewards.id),
    },
    t => [kit.primaryKey({ name: 'set_completions_pk', columns: [t.userId, t.setId] })],
  )

  return { sets, setItems, setCompletions }
}

export const fanData = {
  setCompletions: {
    userId: {
      export: 'completedSets',
      erasure: 'keep',
      merge: { rule: 'they stay, and are copied without points, so that no set is completed again' },
    },
  },
} satisfies FanData<ReturnType<typeof defineSetsTables>>
