/** The stock of variants: total, sold, and held by lines of orders that are pending and not expired. */

import { and, asc, type Column, eq, gt, isNotNull, ne, or, type SQL, sql } from 'drizzle-orm'
import {
  ConflictError,
  type Deferred,
  type Reader,
  type Tables,
  type Transaction,
} from '../../../db/index.ts'
import { prepared, preparedLast, preparedRow } from '../../../db/prepared.ts'
import { locksExclusively, locksForUpdate, locksShared } from '../../../db/row-lock.ts'
import { productsTag } from '../../platform/cache/tags.ts'

export type VariantRow = Tables['productVariants']['$inferSelect']

/** Maximum lines of a cart. */
export const MAX_LINES = 20

export interface VariantReference {
  productId: string
  variantId: string
}

/** The name is unambiguous, since a slug has no space. */
export const nameOfVariant = ({ productId, variantId }: VariantReference) => `${productId} ${variantId}`

export interface LockedStock {
  /** The time after the wait for the locks, so that holds that expired during the wait do not count. */
  now: Date
  /** By `nameOfVariant`. Variants that do not exist are left out. */
  variants: Map<string, VariantRow>
}

/**
 * Locks variants against catalogue imports, but not against other sales. The free number of a limited stock is final only
 * after `lockLimited`.
 */
export async function lockStock(tx: Transaction, wanted: VariantReference[]): Promise<LockedStock> {
  const rows = await lockListed(tx, wanted.map(referenceOf))
  return lockedStock(
    tx,
    rows.map(({ variant }) => variant),
  )
}

/** As `lockStock` of the lines of an order. Returns them in the order of the cart, each with its product: one statement reads all. */
export async function lockLines(tx: Transaction, orderId: string) {
  const rows = await lockLinesOf(tx, orderId)
  const bought = rows.toSorted((a, b) => a.line.number - b.line.number)
  const variants = rows.map(({ variant }) => variant)
  return { bought, ...lockedStock(tx, variants) }
}

export type LockedLines = Awaited<ReturnType<typeof lockLines>>

const lockLinesOf = prepared((tx: Transaction, orderId: string) => {
  const { orderLines: lines, products, productVariants: variants } = tx.tables
  const isOf = and(eq(variants.productId, lines.productId), eq(variants.id, lines.variantId))
  return locksShared(
    tx,
    tx
      .select({
        line: lines,
        variant: variants,
        product: { name: products.name, translations: products.translations },
      })
      .from(lines)
      .innerJoin(variants, isOf)
      .innerJoin(products, eq(products.id, variants.productId))
      .where(eq(lines.orderId, orderId))
      .orderBy(asc(variants.productId), asc(variants.id)),
  )
})

/**
 * Called after `lockStock`: locks variants with a limit against other sales, in one order for all units of work. Called
 * late, so that sales of one variant wait for each other only briefly.
 */
export async function lockLimited(tx: Transaction, wanted: VariantReference[]): Promise<LockedStock> {
  return lockedStock(tx, wanted.length === 0 ? [] : await lockListedLimited(tx, wanted.map(referenceOf)))
}

/** Not for a variant that does not exist. */
export const isLimited = (variants: LockedStock['variants'], wanted: VariantReference): boolean =>
  (variants.get(nameOfVariant(wanted))?.stockTotal ?? null) !== null

const referenceOf = ({ productId, variantId }: VariantReference): VariantReference => ({
  productId,
  variantId,
})

/** With the products, which only imports change: sales change the variants, and `locksShared` says what that does to a lock. */
const lockListed = prepared((tx: Transaction, wanted: VariantReference[]) => {
  const { products, productVariants: variants } = tx.tables
  return locksShared(
    tx,
    tx
      .select({ variant: variants })
      .from(variants)
      .innerJoin(products, eq(products.id, variants.productId))
      .where(isOneOf(variants.productId, variants.id, wanted))
      .orderBy(asc(variants.productId), asc(variants.id)),
  )
})

const lockListedLimited = prepared((tx: Transaction, wanted: VariantReference[]) => {
  const { productVariants: variants } = tx.tables
  return locksForUpdate(
    tx,
    tx
      .select()
      .from(variants)
      .where(and(isOneOf(variants.productId, variants.id, wanted), isNotNull(variants.stockTotal)))
      .orderBy(asc(variants.productId), asc(variants.id)),
  )
})

const lockedStock = (tx: Transaction, rows: VariantRow[]): LockedStock => ({
  now: tx.clock(),
  variants: new Map(rows.map(row => [nameOfVariant({ productId: row.productId, variantId: row.id }), row])),
})

/** Locks a product for an import, which waits for all units of work that have locked its variants. */
export const lockProduct = preparedRow((tx: Transaction, productId: string) => {
  const { products } = tx.tables
  return locksExclusively(tx, tx.select().from(products).where(eq(products.id, productId)))
})

/** Of a locked product. Those who have waited for the product read these rows again only if they were locked in this way. */
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

/** Held units by `nameOfVariant`, without the units of one order. */
export async function countHeld(
  reader: Reader,
  wanted: VariantReference[],
  now: Date,
  exceptOrderId = '',
): Promise<Map<string, number>> {
  if (wanted.length === 0) return new Map()
  // Each number of variants has a statement of its own: more than a cart has are not worth one.
  const sum = wanted.length <= MAX_LINES ? sumHeld : selectHeld
  const rows = await sum(reader, wanted.map(referenceOf), now, exceptOrderId)
  return new Map(rows.map(row => [nameOfVariant(row), row.held]))
}

function selectHeld(reader: Reader, wanted: VariantReference[], now: Date, exceptOrderId: string) {
  const { orderLines: lines } = reader.tables
  const { productId, variantId } = lines
  const isHeld = and(gt(lines.holdUntil, now), ne(lines.orderId, exceptOrderId))
  return reader
    .select({ productId, variantId, held: sql`sum(${lines.quantity})`.mapWith(Number) })
    .from(lines)
    .where(and(isOneOf(productId, variantId, wanted), isHeld))
    .groupBy(productId, variantId)
}

const sumHeld = prepared(selectHeld)

/** Units that are neither sold nor held; infinite without a limit. Never negative. */
export function countFree(variant: VariantRow, held: Map<string, number>): number {
  const { productId, id, stockTotal, stockSold } = variant
  if (stockTotal === null) return Number.POSITIVE_INFINITY
  return Math.max(0, stockTotal - stockSold - (held.get(nameOfVariant({ productId, variantId: id })) ?? 0))
}

/**
 * Adds to the number sold, negative for returned units. It is written at the end of the unit of work, so that sales of a
 * variant wait for each other only then. Sold lines no longer hold units. `since`: a hold of another order that had ended by
 * then stays ended, even if the clock went back. `locked`: what `lockStock` returned in this unit of work.
 */
export function changeSold(
  tx: Transaction,
  changes: SoldUnits[],
  { since = new Date(0), locked }: { since?: Date; locked?: LockedStock['variants'] | undefined } = {},
): void {
  tx.invalidate(productsTag)
  const sold = tx.deferred(soldUnits)
  for (const { productId, variantId, by } of changes) {
    const name = nameOfVariant({ productId, variantId })
    const before = sold.get(name) ?? { by: 0, since, mayBeLimited: true }
    sold.set(name, {
      productId,
      variantId,
      by: by + before.by,
      since: latest(since, before.since),
      mayBeLimited: before.mayBeLimited && locked?.get(name)?.stockTotal !== null,
    })
  }
}

interface SoldUnits extends VariantReference {
  by: number
}

interface Sale extends SoldUnits {
  since: Date
  /** False if it has no limit, which an import changes only after this unit of work. */
  mayBeLimited: boolean
}

const latest = (...times: Date[]) => new Date(Math.max(...times.map(time => time.getTime())))

const soldUnits: Deferred<Map<string, Sale>> = {
  order: 2,
  start: () => new Map(),
  async write(tx, sold) {
    // One order for all writers prevents deadlocks.
    const changes = [...sold].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([_, change]) => change)
    await requireUnheld(
      tx,
      changes.filter(({ by, mayBeLimited }) => by > 0 && mayBeLimited),
    )
    return changes.map(({ productId, variantId, by }) => addToSold(tx, { productId, variantId, by }))
  },
}

/**
 * If a hold ends between the completion and the commit, another order may hold the same units. @throws ConflictError
 */
async function requireUnheld(tx: Transaction, sales: Sale[]): Promise<void> {
  const { now, variants } = await lockLimited(tx, sales)
  const limited = sales.filter(sale => variants.has(nameOfVariant(sale)))
  const held = await countHeld(tx, limited, latest(now, ...sales.map(({ since }) => since)))
  for (const sale of limited) {
    const variant = variants.get(nameOfVariant(sale))
    if (variant && countFree(variant, held) < sale.by) throw new ConflictError('units were held meanwhile')
  }
}

const addToSold = preparedLast((tx, { productId, variantId, by }: SoldUnits) => {
  const { productVariants: variants } = tx.tables
  return tx
    .update(variants)
    .set({ stockSold: sql`${variants.stockSold} + ${by}` })
    .where(and(eq(variants.productId, productId), eq(variants.id, variantId)))
})

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
