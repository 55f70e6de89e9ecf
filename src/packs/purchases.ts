/** Reads purchases, with the pack that each created. */
import { and, desc, eq, lt } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { prepared, preparedRow } from '../../db/prepared.ts'
import type { Caller } from '../core/caller.ts'
import { type Cursors, cutPage, type Page } from '../core/pagination.ts'
import { DomainError } from '../core/problems.ts'
import { findUser } from '../users/users.ts'
import { type PurchaseRow, presentPurchase } from './present.ts'

/** A page of the caller's purchases, newest first, each with its pack. */
export async function listPurchases(
  reader: Reader,
  cursors: Cursors,
  { userId }: Pick<Caller, 'userId'>,
  { limit, cursor }: Page,
) {
  const list = `purchases ${userId}`
  const before = cursor === undefined ? undefined : cursors.decode(list, cursor)
  if (userId === undefined) return { purchases: [], nextCursor: null }
  const rows = await selectNewest(reader, { userId, before, limit: limit + 1 })
  const { page, nextCursor } = cutPage(rows, limit, last => cursors.encode(list, last.purchase.id))
  const now = reader.now()
  const purchases = page.map(({ purchase, userPack }) => presentPurchase(purchase, userPack, now))
  return { purchases, nextCursor }
}
listPurchases.problems = ['invalid_cursor'] as const

interface NewestValues {
  userId: string
  before: string | undefined
  limit: number
}

const selectNewest = prepared((reader: Reader, { userId, before, limit }: NewestValues) => {
  const { packPurchases, userPacks } = reader.tables
  return reader
    .select({ purchase: packPurchases, userPack: userPacks })
    .from(packPurchases)
    .leftJoin(userPacks, eq(userPacks.purchaseId, packPurchases.id))
    .where(
      and(eq(packPurchases.userId, userId), before === undefined ? undefined : lt(packPurchases.id, before)),
    )
    .orderBy(desc(packPurchases.id))
    .limit(limit)
})

/** A purchase of the caller with its pack. @throws DomainError `purchase_not_found`, also for another fan's purchase */
export async function readPurchase(reader: Reader, { userId }: Pick<Caller, 'userId'>, purchaseId: string) {
  const [row] = userId === undefined ? [] : await selectWithPack(reader, { userId, purchaseId })
  if (!row) throw new DomainError('purchase_not_found')
  return presentPurchase(row.purchase, row.userPack, reader.now())
}
readPurchase.problems = ['purchase_not_found'] as const

const selectWithPack = prepared(
  (reader: Reader, { userId, purchaseId }: { userId: string; purchaseId: string }) => {
    const { packPurchases, userPacks } = reader.tables
    return reader
      .select({ purchase: packPurchases, userPack: userPacks })
      .from(packPurchases)
      .leftJoin(userPacks, eq(userPacks.purchaseId, packPurchases.id))
      .where(and(eq(packPurchases.id, purchaseId), eq(packPurchases.userId, userId)))
  },
)

/** A purchase of the caller. @throws DomainError `purchase_not_found`, also for another fan's purchase */
export async function requirePurchase(
  reader: Reader,
  caller: Caller,
  purchaseId: string,
): Promise<PurchaseRow> {
  const user = await findUser(reader, caller)
  const [purchase] = user ? await selectOwn(reader, { purchaseId, userId: user.id }) : []
  if (!purchase) throw new DomainError('purchase_not_found')
  return purchase
}
requirePurchase.problems = ['purchase_not_found'] as const

const selectOwn = prepared(
  (reader: Reader, { purchaseId, userId }: { purchaseId: string; userId: string }) => {
    const { packPurchases } = reader.tables
    return reader
      .select()
      .from(packPurchases)
      .where(and(eq(packPurchases.id, purchaseId), eq(packPurchases.userId, userId)))
  },
)

export const findPurchase = preparedRow((reader: Reader, purchaseId: string) => {
  const { packPurchases } = reader.tables
  return reader.select().from(packPurchases).where(eq(packPurchases.id, purchaseId))
})

/** The fan's purchase that a payment has paid. */
export async function findPaidBy(reader: Reader, userId: string, paymentReference: string) {
  const { packPurchases } = reader.tables
  const [purchase] = await reader
    .select({ id: packPurchases.id })
    .from(packPurchases)
    .where(and(eq(packPurchases.paymentReference, paymentReference), eq(packPurchases.userId, userId)))
  return purchase
}

export const findUserPackOf = preparedRow((reader: Reader, purchaseId: string) => {
  const { userPacks } = reader.tables
  return reader.select().from(userPacks).where(eq(userPacks.purchaseId, purchaseId))
})
