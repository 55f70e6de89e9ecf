/** The stock of variants: total, sold, and held by lines of orders that are pending and not expired. */

import { and, asc, type Column, eq, gt, isNotNull, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { locksExclusively, locksForUpdate, locksShared } from '../../../db/row-lock.ts'
import { productsTag } from '../../platform/cache/tags.ts'

export type VariantRow = Tables['productVariants']['$inferSelect']

export interface VariantReference {
  productId: string
  variantId: string
}

/** Unambiguous: a slug has no space. */
export const nameOfVariant = ({ productId, variantId }: VariantReference) => `${productId} ${variantId}`

export interface LockedStock {
  /** The time after the wait for the locks: holds that expired during the wait do not count. */
  now: Date
  /** By `nameOfVariant`. Those that do not exist are left out. */
  variants: Map<string, VariantRow>
}

/**
 * Locks variants until the unit of work ends, in one order for all units of work. Those with a limit are locked against each other;
 * those without one only against a catalogue import, so that their sales need not wait for each other.
 */
export async function lockStock(tx: Transaction, wanted: VariantReference[]): Promise<LockedStock> {
  const { productVariants: variants } = tx.tables
  const isWanted = isOneOf(variants.productId, variants.id, wanted)
  const inOrder = (condition: SQL | undefined) =>
    tx.select().from(variants).where(condition).orderBy(asc(variants.productId), asc(variants.id))
  for (;;) {
    const limited = await locksForUpdate(tx, inOrder(and(isWanted, isNotNull(variants.stockTotal))))
    const all = await locksShared(tx, inOrder(isWanted))
    // An import that commits between the two statements may set a limit.
    if (all.filter(({ stockTotal }) => stockTotal !== null).length > limited.length) continue
    const named = all.map(
      row => [nameOfVariant({ productId: row.productId, variantId: row.id }), row] as const,
    )
    return { now: tx.clock(), variants: new Map(named) }
  }
}

/** Locks the variants of a product for an import, which waits for all units of work that have locked them. */
export function lockVariantsOf(tx: Transaction, productId: string) {
  const { productVariants: variants } = tx.tables
  return locksExclusively(
    tx,
    tx.select().from(variants).where(eq(variants.productId, productId)).orderBy(asc(variants.id)),
  )
}

function isOneOf(productId: Column, variantId: Column, wanted: VariantReference[]): SQL | undefined {
  return or(...wanted.map(one => and(eq(productId, one.productId), eq(variantId, one.variantId))))
}

/** Held units by `nameOfVariant`, without those of an order. */
export async function countHeld(
  reader: Reader,
  wanted: VariantReference[],
  now: Date,
  exceptOrderId = '',
): Promise<Map<string, number>> {
  if (wanted.length === 0) return new Map()
  const { orderLines: lines } = reader.tables
  const isHeld = and(gt(lines.holdUntil, now), ne(lines.orderId, exceptOrderId))
  return sumHeld(reader, and(isOneOf(lines.productId, lines.variantId, wanted), isHeld))
}

async function sumHeld(reader: Reader, condition: SQL | undefined): Promise<Map<string, number>> {
  const { orderLines: lines } = reader.tables
  const { productId, variantId } = lines
  const rows = await reader
    .select({ productId, variantId, held: sql`sum(${lines.quantity})`.mapWith(Number) })
    .from(lines)
    .where(condition)
    .groupBy(productId, variantId)
  return new Map(rows.map(row => [nameOfVariant(row), row.held]))
}

/** Units that are neither sold nor held; infinite without a limit. Never negative. */
export function countFree(variant: VariantRow, held: Map<string, number>): number {
  const { productId, id, stockTotal, stockSold } = variant
  if (stockTotal === null) return Number.POSITIVE_INFINITY
  return Math.max(0, stockTotal - stockSold - (held.get(nameOfVariant({ productId, variantId: id })) ?? 0))
}

/**
 * Adds to the number sold; negative for units that come back. A check constraint keeps it between zero and the total. In one order
 * for all units of work, since those without a limit are not locked before.
 */
export async function changeSold(
  tx: Transaction,
  changes: (VariantReference & { by: number })[],
): Promise<void> {
  tx.invalidate(productsTag)
  const nameOf = (change: VariantReference) => nameOfVariant(change)
  for (const change of changes.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)))
    await addToSold(tx, change)
}

const addToSold = prepared(
  (tx: Transaction, { productId, variantId, by }: VariantReference & { by: number }) => {
    const { productVariants: variants } = tx.tables
    return tx
      .update(variants)
      .set({ stockSold: sql`${variants.stockSold} + ${by}` })
      .where(and(eq(variants.productId, productId), eq(variants.id, variantId)))
  },
)

/** When the next hold of any line ends; null if there is none. */
export async function readNextRelease(reader: Reader, now: Date): Promise<Date | null> {
  const { orderLines: lines } = reader.tables
  const [next] = await reader
    .select({ at: lines.holdUntil })
    .from(lines)
    .where(gt(lines.holdUntil, now))
    .orderBy(asc(lines.holdUntil))
    .limit(1)
  return next?.at ?? null
}
