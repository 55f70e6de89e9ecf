/** Packs: catalogue, purchases and drawn items. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function definePacksTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  /** Items that packs contain. The importer sets the id, a slug. */
  const collectibles = table(
    'collectibles',
    {
      id: id().primaryKey(),
      name: text().notNull(),
      description: text().notNull(),
      imageUrl: text(),
      /** JSON: the texts that exist in several languages. Their columns have the default. */
      translations: text(),
      rarity: id().notNull(),
      /** How many were drawn: the next serial number is one more. */
      minted: integer().notNull(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [kit.check('collectibles_minted_not_negative', sql`${t.minted} >= 0`)],
  )

  /** Packs on sale. The importer sets the id, a slug. */
  const packs = table(
    'packs',
    {
      id: id().primaryKey(),
      name: text().notNull(),
      description: text().notNull(),
      imageUrl: text(),
      /** JSON, as in `collectibles`. */
      translations: text(),
      /** Points, or minor units of an ISO 4217 currency. */
      priceAmount: integer().notNull(),
      priceCurrency: id().notNull(),
      /** JSON, as in `products`. */
      taxRate: text(),
      itemsPerPack: integer().notNull(),
      /** Who supports it: a sponsor of the catalogue, in the figures of the season. */
      sponsorId: id(),
      /** False: what it gave cannot be traded. */
      tradable: boolean(),
      active: boolean().notNull(),
      startsAt: timestamp(),
      endsAt: timestamp(),
      /** Null: unlimited. Holds are counted from pending purchases, not stored. */
      supplyTotal: integer(),
      supplySold: integer().notNull(),
      /** JSON: what a fan must meet; null: nothing. */
      requires: text(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.check('packs_price_not_negative', sql`${t.priceAmount} >= 0`),
      kit.check('packs_items', sql`${t.itemsPerPack} between 1 and 100`),
      kit.check(
        'packs_supply',
        sql`${t.supplySold} >= 0 and (${t.supplyTotal} is null or ${t.supplySold} <= ${t.supplyTotal})`,
      ),
    ],
  )

  /** The collectibles of a pack with their weights in millionths, which add up to a million. */
  const packItems = table(
    'pack_items',
    {
      packId: idOf(packs),
      collectibleId: idOf(collectibles),
      weight: integer().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'pack_items_pk', columns: [t.packId, t.collectibleId] }),
      kit.check('pack_items_weight_positive', sql`${t.weight} >= 1`),
    ],
  )

  /** A purchase holds one pack of the supply while it is pending and `expiresAt` is in the future. No job expires it. */
  const packPurchases = table(
    'pack_purchases',
    {
      id: id().primaryKey(),
      packId: idOf(packs),
      userId: idOf(users),
      /** `pending`, `completed`, `cancelled`, `refund_due` (paid, but too late) or `refunded`; `expired` is never stored. */
      status: id().notNull(),
      priceAmount: integer().notNull(),
      priceCurrency: id().notNull(),
      /** As in `orders` and `order_lines`, fixed at the start. */
      taxCountry: id(),
      taxMillionths: integer(),
      /** Secret until the pack is opened. */
      serverSeed: text().notNull(),
      seedHash: text().notNull(),
      /** The terms of the draw as canonical JSON, fixed at the start of the purchase. */
      terms: text().notNull(),
      createdAt: timestamp().notNull(),
      expiresAt: timestamp().notNull(),
      completedAt: timestamp(),
      /** Null also for purchases that were cancelled before the column existed. */
      cancelledAt: timestamp(),
      refundedAt: timestamp(),
      /** A payment reference belongs to one purchase. */
      paymentReference: id(),
    },
    t => [
      kit.index('pack_purchases_holds').on(t.packId, t.status, t.expiresAt),
      kit.index('pack_purchases_user').on(t.userId, t.id),
      kit.index('pack_purchases_unpaid').on(t.expiresAt).where(sql`${t.status} in ('pending', 'cancelled')`),
      kit
        .uniqueIndex('pack_purchases_payment_unique')
        .on(t.paymentReference)
        .where(sql`${t.paymentReference} is not null`),
      kit.check(
        'pack_purchases_status',
        sql`${t.status} in ('pending', 'completed', 'cancelled', 'refund_due', 'refunded')`,
      ),
      kit.check('pack_purchases_completed', sql`${t.status} <> 'completed' or ${t.completedAt} is not null`),
    ],
  )

  /** A fan's pack: sealed until `openedAt`. */
  const userPacks = table(
    'user_packs',
    {
      id: id().primaryKey(),
      purchaseId: idOf(packPurchases),
      packId: idOf(packs),
      userId: idOf(users),
      createdAt: timestamp().notNull(),
      openedAt: timestamp(),
      clientSeed: text(),
      /** Time when an erasure of the fan replaced the client seed with an empty one. The draw can then not be repeated. */
      seedErasedAt: timestamp(),
      /** Time when the unopened pack was revoked. It can no longer be opened. */
      revokedAt: timestamp(),
    },
    t => [
      kit.uniqueIndex('user_packs_purchase_unique').on(t.purchaseId),
      kit.index('user_packs_user').on(t.userId, t.id),
      kit.check('user_packs_opened_or_revoked', sql`${t.openedAt} is null or ${t.revokedAt} is null`),
      kit.check('user_packs_client_seed', sql`(${t.openedAt} is null) = (${t.clientSeed} is null)`),
    ],
  )

  /**
   * Drawn items, and items that were given without a pack. The serial numbers of a collectible start at 1 and have no gap.
   * The unique indexes enforce that a position of a pack is drawn once, and an item is given once.
   */
  const userItems = table(
    'user_items',
    {
      userPackId: id().references(() => userPacks.id),
      position: integer(),
      /** What gave an item without a pack, such as `quest:ID:PERIOD`. */
      givenFor: id(),
      /** The first owner, who drew it or was given it. Never changes. */
      userId: idOf(users),
      /** The owner after the last transfer; null while the first owner has it. */
      ownerId: id().references(() => users.id),
      changedHandsAt: timestamp(),
      collectibleId: idOf(collectibles),
      serialNumber: integer().notNull(),
      createdAt: timestamp().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'user_items_pk', columns: [t.collectibleId, t.serialNumber] }),
      kit.uniqueIndex('user_items_position_unique').on(t.userPackId, t.position),
      kit
        .uniqueIndex('user_items_given_unique')
        .on(t.userId, t.givenFor)
        .where(sql`${t.givenFor} is not null`),
      kit.index('user_items_collection').on(t.userId, t.collectibleId, t.serialNumber),
      kit
        .index('user_items_owner')
        .on(t.ownerId, t.collectibleId, t.serialNumber)
        .where(sql`${t.ownerId} is not null`),
      kit.check('user_items_of_a_pack', sql`(${t.userPackId} is null) = (${t.position} is null)`),
      kit.check('user_items_drawn_or_given', sql`(${t.userPackId} is null) = (${t.givenFor} is not null)`),
    ],
  )

  /**
   * The transfers of items, append-only. They continue a chain of hashes whose first link, with sequence 1, is the origin of
   * the item and is computed from `user_items`. Each link contains the hash of the previous one.
   */
  const itemTransfers = table(
    'item_transfers',
    {
      collectibleId: idOf(collectibles),
      serialNumber: integer().notNull(),
      sequence: integer().notNull(),
      ownerId: idOf(users),
      /** The cause of the transfer, such as `trade:ID`. */
      ref: id().notNull(),
      /** Hashed with the id of the owner, so that a published link does not identify the fan. */
      salt: text().notNull(),
      createdAt: timestamp().notNull(),
      previousHash: text().notNull(),
      hash: text().notNull(),
    },
    t => [
      kit.primaryKey({
        name: 'item_transfers_pk',
        columns: [t.collectibleId, t.serialNumber, t.sequence],
      }),
      kit.index('item_transfers_owner').on(t.ownerId),
      kit.check('item_transfers_sequence', sql`${t.sequence} >= 2`),
    ],
  )

  return { collectibles, packs, packItems, packPurchases, userPacks, userItems, itemTransfers }
}

export const fanData = {
  packPurchases: { userId: { export: 'purchases', erasure: 'keep', merge: 'move' } },
  userPacks: {
    userId: {
      export: 'packs',
      // A client seed that the fan left empty stays, and its proof stays valid.
      erasure: { replace: ['clientSeed', 'seedErasedAt'] },
      merge: 'move',
    },
  },
  userItems: {
    userId: { export: 'givenItems', erasure: 'keep', merge: 'stay' },
    ownerId: {
      export: 'receivedItems',
      erasure: 'keep',
      merge: { rule: 'each item gets a new owner, by a link of its history' },
    },
  },
  itemTransfers: { ownerId: { export: 'itemTransfers', erasure: 'keep', merge: 'stay' } },
} satisfies FanData<ReturnType<typeof definePacksTables>>
