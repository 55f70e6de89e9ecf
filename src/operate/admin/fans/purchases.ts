/** Purchases by their ids, whatever was bought: an id names a row of one of these tables. */
import { inArray } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'

interface Bought {
  userId: string
  price: { amount: number; currency: string }
}

export async function readPurchases(reader: Reader, ids: string[]): Promise<Map<string, Bought>> {
  const found = new Map<string, Bought>()
  if (ids.length === 0) return found
  const { orders, packPurchases, topUps } = reader.tables
  for (const table of [orders, packPurchases, topUps]) {
    const { id, userId, priceAmount: amount, priceCurrency: currency } = table
    const rows = await reader
      .select({ id, userId, price: { amount, currency } })
      .from(table)
      .where(inArray(id, ids))
    for (const { id, ...bought } of rows) found.set(id, bought)
  }
  return found
}
