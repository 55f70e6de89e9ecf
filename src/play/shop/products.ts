/**
 * Products, the same for everyone. A fan also sees what blocks an order. An order holds stock (`checkout.ts`) until it is paid
 * (`pay-order.ts`), cancelled or expired. Then its lines are delivered (`deliver.ts`) or shipped (`change-line.ts`).
 */

import { and, asc, eq, gt } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import { activeAt, earliest, isActive, readNextChange } from '../../club/catalogue/availability.ts'
import { presentTexts } from '../../club/catalogue/texts.ts'
import type { Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, pageOf } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import { productsTag } from '../../platform/cache/tags.ts'
import { showBlockers } from '../eligibility/eligibility.ts'
import { requiresOf } from '../eligibility/requires.ts'
import { readPackRequires } from '../packs/packs.ts'
import { presentDelivers } from './delivers.ts'
import type { PRODUCT_KINDS } from './entry-schema.ts'
import { shopProblems } from './problems.ts'
import type { ProductsQuery } from './schema.ts'
import { countFree, countHeld, readNextRelease, type VariantRow } from './stock.ts'

export type ProductRow = Tables['products']['$inferSelect']

type PageSource = ReadSource & { cursors: Cursors }

/** A page of the products on sale, from the response cache. */
export function getProducts({ read, cache, cursors }: PageSource, query: ProductsQuery) {
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

/** The products as a fan sees them; the response is not cached. */
export async function readProductsFor(source: PageSource, viewer: Viewer, query: ProductsQuery) {
  const { products, nextCursor } = await getProducts(source, query)
  return { products: await showProducts(source.read, viewer, products), nextCursor }
}

/** @throws DomainError `product_not_found` */
export async function readProductFor(source: ReadSource, viewer: Viewer, productId: string) {
  const product = await getProduct(source, productId)
  const [shown = product] = await showProducts(source.read, viewer, [product])
  return shown
}

/** A pack has no other door than its product, so the order asks what both require. */
async function showProducts(read: Reader, viewer: Viewer, products: ReturnType<typeof presentProduct>[]) {
  const packs = products.flatMap(({ id, delivers }) =>
    delivers?.packId ? [{ id, packId: delivers.packId }] : [],
  )
  const ofPacks = await readPackRequires(
    read,
    packs.map(({ packId }) => packId),
  )
  const further = packs.map(({ id, packId }) => ({ id, requires: ofPacks.get(packId) ?? {} }))
  return showBlockers(read, viewer, products, further)
}

/** The next time when availability changes or a hold ends. Read before the products, so that no change is missed. */
const findExpiry = async (reader: Reader, now: Date) =>
  earliest([await readNextChange(reader, reader.tables.products, now), await readNextRelease(reader, now)])

export const readProducts = (reader: Reader, productIds: string[]): Promise<ProductRow[]> =>
  selectProducts(reader, toList(productIds))

const selectProducts = prepared((reader: Reader, productIds: string) => {
  const { products } = reader.tables
  return reader
    .select()
    .from(products)
    .where(isListed(reader, products.id, productIds))
})

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
  return Map.groupBy(await selectVariants(reader, toList(productIds)), ({ productId }) => productId)
}

const selectVariants = prepared((reader: Reader, productIds: string) => {
  const { productVariants: variants } = reader.tables
  return reader
    .select()
    .from(variants)
    .where(and(isListed(reader, variants.productId, productIds), eq(variants.listed, true)))
    .orderBy(asc(variants.productId), asc(variants.position))
})

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
    lowestPrice:
      product.lowestPriceAmount === null
        ? null
        : { amount: product.lowestPriceAmount, currency: product.priceCurrency },
    maxPerFan,
    shipsTo: product.shipsTo === null ? null : listOf(product.shipsTo),
    delivers: presentDelivers(product.delivers),
    sponsorId: product.sponsorId,
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
