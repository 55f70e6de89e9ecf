/** Offers of items between two fans: trades, and gifts, which ask for nothing in return. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'
import type { definePacksTables } from './packs.ts'

export function defineTradesTables(
  kit: ColumnKit,
  { users, userItems }: Referenced<'users'> & Pick<ReturnType<typeof definePacksTables>, 'userItems'>,
) {
  const { table, id, idOf, integer, timestamp } = kit

  /** Expiry is not stored: an `open` offer has expired from `expiresAt` on. */
  const trades = table(
    'trades',
    {
      id: id().primaryKey(),
      fromId: idOf(users),
      toId: idOf(users),
      /** `open`, `completed`, `declined`, `cancelled`, or `void` (an item had another owner, or a fan was erased). */
      status: id().notNull(),
      /** Starts at 1, and increases by 1 with each change. */
      version: integer().notNull(),
      createdAt: timestamp().notNull(),
      expiresAt: timestamp().notNull(),
      endedAt: timestamp(),
    },
    t => [
      kit.index('trades_from').on(t.fromId, t.id),
      kit.index('trades_to').on(t.toId, t.id),
      kit.index('trades_unfinished').on(t.expiresAt).where(sql`${t.status} <> 'completed'`),
      kit.index('trades_open').on(t.fromId, t.expiresAt).where(sql`${t.status} = 'open'`),
      kit.check('trades_two_fans', sql`${t.fromId} <> ${t.toId}`),
      kit.check('trades_status', sql`${t.status} in ('open', 'completed', 'declined', 'cancelled', 'void')`),
      kit.check('trades_ended', sql`(${t.status} = 'open') = (${t.endedAt} is null)`),
    ],
  )

  const tradeItems = table(
    'trade_items',
    {
      tradeId: idOf(trades),
      collectibleId: id().notNull(),
      serialNumber: integer().notNull(),
      /** `give`: an item of the fan who offers; `want`: an item of the other fan. */
      side: id().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'trade_items_pk', columns: [t.tradeId, t.collectibleId, t.serialNumber] }),
      kit.foreignKey({
        name: 'trade_items_item_fk',
        columns: [t.collectibleId, t.serialNumber],
        foreignColumns: [userItems.collectibleId, userItems.serialNumber],
      }),
      kit.check('trade_items_side', sql`${t.side} in ('give', 'want')`),
    ],
  )

  return { trades, tradeItems }
}

export const fanData = {
  // Offers that are open become void.
  trades: {
    fromId: { export: 'trades', erasure: 'keep', merge: 'stay' },
    toId: { export: 'trades', erasure: 'keep', merge: 'stay' },
  },
} satisfies FanData<ReturnType<typeof defineTradesTables>>
