import type { Tables } from '../../../db/index.ts'
import { statusOf } from '../purchases/purchase.ts'

export function presentTopUp(topUp: Tables['topUps']['$inferSelect'], now: Date) {
  const { id, priceAmount: amount, priceCurrency: currency, createdAt, expiresAt, completedAt } = topUp
  return {
    id,
    // Guarantee of the cast: a constraint allows no `cancelled`.
    status: statusOf(topUp, now) as Exclude<ReturnType<typeof statusOf>, 'cancelled'>,
    amount,
    currency,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    completedAt: completedAt?.toISOString() ?? null,
  }
}
