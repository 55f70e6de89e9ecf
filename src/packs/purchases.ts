/** Reading purchases: a fan's own, and the pack that came of one. */
import { and, eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import type { Caller } from '../caller.ts'
import { findUser } from '../identity/users.ts'
import { DomainError } from '../problems.ts'
import type { PurchaseRow, UserPackRow } from './present.ts'

/** @throws DomainError `purchase_not_found`, also when it is somebody else's */
export async function requirePurchase(
  reader: Reader,
  caller: Caller,
  purchaseId: string,
): Promise<PurchaseRow> {
  const { packPurchases } = reader.tables
  const user = await findUser(reader, caller)
  const [purchase] = user
    ? await reader
        .select()
        .from(packPurchases)
        .where(and(eq(packPurchases.id, purchaseId), eq(packPurchases.userId, user.id)))
    : []
  if (!purchase) throw new DomainError('purchase_not_found')
  return purchase
}

export async function findPurchase(reader: Reader, purchaseId: string): Promise<PurchaseRow | undefined> {
  const { packPurchases } = reader.tables
  const [purchase] = await reader.select().from(packPurchases).where(eq(packPurchases.id, purchaseId))
  return purchase
}

export async function findUserPackOf(reader: Reader, purchaseId: string): Promise<UserPackRow | undefined> {
  const { userPacks } = reader.tables
  const [userPack] = await reader.select().from(userPacks).where(eq(userPacks.purchaseId, purchaseId))
  return userPack
}
