/** Responses about purchases and packs of a fan. They never contain the server seed. */
import type { Tables } from '../../../db/index.ts'
import { statusOf } from '../purchases/purchase.ts'
import { sha256 } from './draw.ts'

export type PurchaseRow = Tables['packPurchases']['$inferSelect']
export type UserPackRow = Tables['userPacks']['$inferSelect']

export function presentPurchase(purchase: PurchaseRow, userPack: UserPackRow | null | undefined, now: Date) {
  return {
    id: purchase.id,
    packId: purchase.packId,
    status: statusOf(purchase, now),
    price: { amount: purchase.priceAmount, currency: purchase.priceCurrency },
    seedHash: purchase.seedHash,
    termsHash: sha256(purchase.terms),
    createdAt: purchase.createdAt.toISOString(),
    expiresAt: purchase.expiresAt.toISOString(),
    completedAt: purchase.completedAt?.toISOString() ?? null,
    userPack: userPack ? presentUserPack(userPack, purchase.seedHash) : null,
  }
}

export function presentUserPack(userPack: UserPackRow, seedHash: string) {
  return {
    id: userPack.id,
    packId: userPack.packId,
    purchaseId: userPack.purchaseId,
    state: stateOf(userPack),
    seedHash,
    createdAt: userPack.createdAt.toISOString(),
    openedAt: userPack.openedAt?.toISOString() ?? null,
  }
}

function stateOf({ openedAt, revokedAt }: UserPackRow): 'sealed' | 'opened' | 'revoked' {
  if (revokedAt) return 'revoked'
  return openedAt ? 'opened' : 'sealed'
}
