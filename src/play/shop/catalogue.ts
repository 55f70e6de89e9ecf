/** The public view of products, the same for every caller. */

import { and, asc, eq, gt, inArray } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { activeAt, earliest, isActive, readNextChange } from '../../club/catalogue/availability.ts'
import { presentTexts } from '../../club/catalogue/texts.ts'
import { type Cursors, cutPage, pageOf } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import { productsTag } from '../../platform/cache/tags.ts'
import { requiresOf } from '../eligibility/requires.ts'
import { presentDelivers } from './delivers.ts'
import type { PRODUCT_KINDS } from './entry-schema.ts'
import { shopProblems } from './problems.ts'
import type { ProductsQuery } from './schema.ts'
import { countFree, countHeld, readNextRelease, type VariantRow } from './stock.ts'

export type ProductRow = Tables['products']['$inferSelect']

/** A page of the products on sale, from the response cache. */
export function getProducts(
  { read, cache, cursors }: ReadSource & { cursors: Cursors },
  query: ProductsQuery,
) {
  const { limit, cursor } = pageOf(query)
  const list = `products ${JSON.stringify([query.category])}`
  const after = cursors.decode(list, cursor)
  return cache.get(`${list} ${limit} ${cursor ?? ''}`, async () => {
    const { products } = read.tables
    const now = read.now()
    const expiresAt = await findExpiry(read, now)
    const inCategory = query.category === undefined ? undefined : eq(products.category, query.category)
    const rows = await read
      .select()
      .from(products)
      .where(
        and(activeAt(products, now), inCategory, after === undefined ? undefined : gt(products.id, after)),
      )
      .orderBy(asc(products.id))
      .limit(limit + 1)
    const { shown, nextCursor } = cutPage(rows, limit, ({ id }) => cursors.encode(list, id))
    return {
      expiresAt,
      value: { products: await present(read, shown, now), nextCursor },
      tags: [productsTag],
    }
  })
}

/** A product, on sale or not, from the response cache. @throws DomainError `product_not_found` */
export const getProduct = ({ read, cache }: ReadSource, productId: string) =>
  cache.get(`product ${productId}`, async () => {
    const now = read.now()
    const expiresAt = await findExpiry(read, now)
    const [product] = await present(read, await readProducts(read, [productId]), now)
    if (!product) throw new DomainError(shopProblems.product_not_found)
    return { expiresAt, value: product, tags: [productsTag] }
  })

/** The next time when availability changes or a hold ends. Read before the products, so that no change is missed. */
const findExpiry = async (reader: Reader, now: Date) =>
  earliest([await readNextChange(reader, reader.tables.products, now), await readNextRelease(reader, now)])

export async function readProducts(reader: Reader, productIds: string[]): Promise<ProductRow[]> {
  const { products } = reader.tables
  return reader.select().from(products).where(inArray(products.id, productIds))
}

async function present(reader: Reader, rows: ProductRow[], now: Date) {
  const variants = await readVariants(
    reader,
    rows.map(({ id }) => id),
  )
  const limited = [...variants.values()].flat().filter(({ stockTotal }) => stockTotal !== null)
  const held = await countHeld(
    reader,
    limited.map(({ productId, id }) => ({ productId, variantId: id })),
    now,
  )
  return rows.map(row => presentProduct(row, variants.get(row.id) ?? [], held, now))
}

/** The listed variants by product, in their order. */
export async function readVariants(reader: Reader, productIds: string[]): Promise<Map<string, VariantRow[]>> {
  if (productIds.length === 0) return new Map()
  const { productVariants: variants } = reader.tables
  const rows = await reader
    .select()
    .from(variants)
    .where(and(inArray(variants.productId, productIds), eq(variants.listed, true)))
    .orderBy(asc(variants.productId), asc(variants.position))
  return Map.groupBy(rows, ({ productId }) => productId)
}

function presentProduct(product: ProductRow, variants: VariantRow[], held: Map<string, number>, now: Date) {
  const { id, name, description, category, maxPerFan } = presentTexts(product)
  return {
    id,
    name,
    description,
    images: listOf(product.images),
    category,
    // Guarantee of the cast: a constraint allows no other kind.
    kind: product.kind as (typeof PRODUCT_KINDS)[number],
    variants: variants.map(variant => presentVariant(variant, held)),
    price: { amount: product.priceAmount, currency: product.priceCurrency },
    maxPerFan,
    shipsTo: product.shipsTo === null ? null : listOf(product.shipsTo),
    delivers: presentDelivers(product.delivers),
    requires: requiresOf(product),
    active: isActive(product, now),
    startsAt: product.startsAt?.toISOString() ?? null,
    endsAt: product.endsAt?.toISOString() ?? null,
  }
}

function presentVariant(variant: VariantRow, held: Map<string, number>) {
  const { id, name, sku, stockTotal } = presentTexts(variant)
  return { id, name, sku, stockRemaining: stockTotal === null ? null : countFree(variant, held) }
}

/** Guarantee of the cast: the import writes a list of strings. */
export const listOf = (json: string) => JSON.parse(json) as string[]
