/** Receipts as they are stored. */
import { asc, eq } from 'drizzle-orm'
import { linesOf } from '../../../src/play/purchases/receipts.ts'
import type { World } from '../../support/world.ts'

/** The receipt of a purchase, then its credit notes. */
export async function receiptsOf({ db }: Pick<World, 'db'>, purchaseId: string) {
  const { receipts } = db.tables
  const rows = await db.read
    .select()
    .from(receipts)
    .where(eq(receipts.purchaseId, purchaseId))
    .orderBy(asc(receipts.number))
  return rows.map(row => ({ ...row, lines: linesOf(row) }))
}

/** The numbers of a series, in their order. */
export async function numbersOf({ db }: Pick<World, 'db'>, series: string): Promise<number[]> {
  const { receipts } = db.tables
  const rows = await db.read
    .select({ number: receipts.number })
    .from(receipts)
    .where(eq(receipts.series, series))
    .orderBy(asc(receipts.number))
  return rows.map(({ number }) => number)
}
