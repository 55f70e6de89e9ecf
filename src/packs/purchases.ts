/** Reading purchases: a fan's own, and the pack that came of one. */
import { and, eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import type { Caller } from '../core/caller.ts'
import { DomainError } from '../core/problems.ts'
import { findUser } from '../users/users.ts'
import type { PurchaseRow, UserPackRow } from './present.ts'

/** The caller's own: another fan's purchase is not found. */
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

export async function findPurchase(reader: Reader, purchaseId: string): Promise<PurchaseRow | undefined> {
  const [purchase] = await selectPurchase(reader, purchaseId)
  return purchase
}

const selectPurchase = prepared((reader: Reader, purchaseId: string) => {
  const { packPurchases } = reader.tables
  return reader.select().from(packPurchases).where(eq(packPurchases.id, purchaseId))
})

export async function findUserPackOf(reader: Reader, purchaseId: string): Promise<UserPackRow | undefined> {
  const [userPack] = await selectUserPackOf(reader, purchaseId)
  return userPack
}

const selectUserPackOf = prepared((reader: Reader, purchaseId: string) => {
  const { userPacks } = reader.tables
  return reader.select().from(userPacks).where(eq(userPacks.purchaseId, purchaseId))
})
