/** The lockers of fans: the items that a fan shows to others. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineLockersTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, integer, text, timestamp } = kit

  const lockers = table('lockers', {
    userId: idOf(users).primaryKey(),
    title: text().notNull(),
    theme: id().notNull(),
    /** JSON: the titles of the shelves, in their order. */
    shelves: text().notNull(),
    updatedAt: timestamp().notNull(),
  })

  /** The items on the shelves. Reads show an item only while the fan owns it. */
  const lockerItems = table(
    'locker_items',
    {
      userId: idOf(users),
      shelf: integer().notNull(),
      position: integer().notNull(),
      collectibleId: id().notNull(),
      serialNumber: integer().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'locker_items_pk', columns: [t.userId, t.shelf, t.position] }),
      kit.uniqueIndex('locker_items_item_unique').on(t.userId, t.collectibleId, t.serialNumber),
      kit.check('locker_items_place', sql`${t.shelf} >= 0 and ${t.position} >= 0`),
    ],
  )

  return { lockers, lockerItems }
}

const LOCKER = 'the locker of the other fan stays; without one, that of the merged fan moves'

export const fanData = {
  lockers: { userId: { export: 'locker', erasure: 'delete', merge: { rule: LOCKER } } },
  lockerItems: { userId: { export: 'locker', erasure: 'delete', merge: { rule: LOCKER } } },
} satisfies FanData<ReturnType<typeof defineLockersTables>>
