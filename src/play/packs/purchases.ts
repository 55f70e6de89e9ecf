/** Reads purchases, with the pack that each created. */

import { and, desc, eq, lt, lte, sql } from 'drizzle-orm'
import { deleteLockedInBatches } from '../../../db/batches.ts'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import type { Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import { isWithoutHold } from '../../economy/cash/holds.ts'
import { purchaseProblems } from '../purchases/problems.ts'
import { unpaidKeptSince } from '../purchases/unpaid-holds.ts'
import { type PurchaseRow, presentPurchase } from './present.ts'

/** A page of the caller's purchases, newest first, each with its pack. */
export async function listPurchases(reader: Reader, cursors: Cursors, { userId }: Viewer, page: Page) {
  const list = `purchases ${userId}`
  const before = cursors.decode(list, page.cursor)
  const rows = await selectNewest(reader, userId, page.limit + 1, before)
  const { shown, nextCursor } = cutPage(rows, page.limit, last => cursors.encode(list, last.purchase.id))
  const now = reader.now()
  const purchases = shown.map(({ purchase, userPack }) => presentPurchase(purchase, userPack, now))
  return { purchases, nextCursor }
}

const selectNewest = prepared((reader: Reader, userId: string, limit: number, before?: string) => {
  const { id, userId: owner } = reader.tables.packPurchases
  return withPacks(reader)
    .where(and(eq(owner, userId), before === undefined ? undefined : lt(id, before)))
    .orderBy(desc(id))
    .limit(limit)
})

/** A purchase of the caller with its pack. @throws DomainError `purchase_not_found`, also for another fan's purchase */
export async function readPurchase(reader: Reader, { userId }: Viewer, purchaseId: string) {
  const [row] = await selectWithPack(reader, purchaseId, userId)
  if (!row) throw new DomainError(purchaseProblems.purchase_not_found)
  return presentPurchase(row.purchase, row.userPack, reader.now())
}

const selectWithPack = prepared((reader: Reader, purchaseId: string, userId: string) => {
  const { packPurchases } = reader.tables
  return withPacks(reader).where(and(eq(packPurchases.id, purchaseId), eq(packPurchases.userId, userId)))
})

function withPacks(reader: Reader) {
  const { packPurchases, userPacks } = reader.tables
  return reader
    .select({ purchase: packPurchases, userPack: userPacks })
    .from(packPurchases)
    .leftJoin(userPacks, eq(userPacks.purchaseId, packPurchases.id))
}

export const findPurchase = preparedRow((reader: Reader, purchaseId: string) => {
  const { packPurchases } = reader.tables
  return reader.select().from(packPurchases).where(eq(packPurchases.id, purchaseId))
})

/** Changes a purchase that has this status; returns no row if it has another. */
export const updatePurchase = prepared(
  (tx: Transaction, purchaseId: string, status: string, changes: Partial<PurchaseRow>) => {
    const { packPurchases } = tx.tables
    return tx
      .update(packPurchases)
      .set(changes)
      .where(and(eq(packPurchases.id, purchaseId), eq(packPurchases.status, status)))
      .returning()
  },
)

/** Oldest first. */
export async function listRefundsDue(reader: Reader): Promise<PurchaseRow[]> {
  const { packPurchases } = reader.tables
  return reader
    .select()
    .from(packPurchases)
    .where(eq(packPurchases.status, 'refund_due'))
    .orderBy(packPurchases.id)
}

export const findUserPackOf = preparedRow((reader: Reader, purchaseId: string) => {
  const { userPacks } = reader.tables
  return reader.select().from(userPacks).where(eq(userPacks.purchaseId, purchaseId))
})

/** For an erased fan: a later payment is then refunded instead of delivered. */
export async function cancelPendingPacks(tx: Transaction, userId: string): Promise<void> {
  const { packPurchases } = tx.tables
  await tx
    .update(packPurchases)
    .set({ status: 'cancelled', cancelledAt: tx.now() })
    .where(and(eq(packPurchases.userId, userId), eq(packPurchases.status, 'pending')))
}

/** Deletes purchases that were never paid, long after they expired. Returns how many. */
export function deleteUnpaidPurchases(db: Database): Promise<number> {
  const { packPurchases: purchases } = db.tables
  const { id, status, expiresAt } = purchases
  // As the index states it.
  const isUnpaid = sql`${status} in ('pending', 'cancelled')`
  // A late payment locks the purchase too: it is paid, or deleted. The ledger of cash refers to purchases with a hold.
  return deleteLockedInBatches(db, purchases, tx =>
    and(isUnpaid, lte(expiresAt, unpaidKeptSince(tx.now())), isWithoutHold(tx, id)),
  )
}
