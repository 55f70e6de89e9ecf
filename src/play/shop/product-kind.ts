/** Imports products. `stock` of a variant counts sold units, so importing the same file again gives nothing back. */
import { and, eq, inArray, notInArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { isUnitOfWork } from '../../../db/row-lock.ts'
import {
  compareEntries,
  completeEntry,
  type EntryChange,
  type EntryFault,
  instantOf,
  refuseEntry,
} from '../../club/catalogue/entry.ts'
import type { WrittenBefore } from '../../club/catalogue/kind.ts'
import { columnsIn, statedTexts, type Text } from '../../club/catalogue/texts.ts'
import { isCountry } from '../../core/country.ts'
import { isCurrencyOrPoints } from '../../core/currencies.ts'
import { declareRestrictedKind } from '../eligibility/kind.ts'
import { columnsOfRequires, normalizeRequires, requiresOf, statedRequires } from '../eligibility/requires.ts'
import { isCollectible } from '../packs/give-collectible.ts'
import { hasPackWithoutLimit } from '../packs/give-packs.ts'
import { statedTaxRate, storedTaxRate, taxRateFaults } from '../purchases/tax-rate.ts'
import { deliversFaults, parseDelivers } from './delivers.ts'
import { ProductEntry } from './entry-schema.ts'
import { lowestBefore } from './lowest-price.ts'
import { listOf, type ProductRow, readVariants } from './products.ts'
import { countHeld, lockProduct, lockVariantsOf, nameOfVariant, type VariantRow } from './stock.ts'

type VariantEntry = ProductEntry['variants'][number]

/** The rules that the schema cannot express. */
function productFaults(entry: ProductEntry): EntryFault[] {
  const { kind, price, variants, shipsTo } = entry
  const repeated = (ids: string[], pointer: (index: number) => string) =>
    ids.flatMap((id, index) =>
      ids.indexOf(id) < index ? [{ pointer: pointer(index), message: 'must be listed once' }] : [],
    )
  const ids = variants.map(({ id }) => id)
  return [
    ...(isCurrencyOrPoints(price.currency)
      ? []
      : [{ pointer: '/price/currency', message: 'must be POINTS or a currency of ISO 4217' }]),
    ...taxRateFaults(entry.taxRate),
    ...repeated(ids, index => `/variants/${index}/id`),
    ...deliversFaults(kind, entry.delivers),
    ...(shipsTo && kind !== 'physical'
      ? [{ pointer: '/shipsTo', message: 'must be null: only products of the kind physical are shipped' }]
      : []),
    ...(shipsTo ?? []).flatMap((country, index) =>
      isCountry(country)
        ? []
        : [{ pointer: `/shipsTo/${index}`, message: 'must be a country of ISO 3166-1 alpha-2, or XK' }],
    ),
    ...repeated(shipsTo ?? [], index => `/shipsTo/${index}`),
  ]
}

/** @throws DomainError `catalogue_conflict` if more units are sold and held than the stock has */
async function upsertProduct(tx: Transaction, entry: ProductEntry): Promise<EntryChange> {
  const { products } = tx.tables
  const { id } = entry
  const now = tx.now()
  const columns = columnsIn(products, membersOf(entry))
  const [made] = await tx
    .insert(products)
    .values({ ...columns, id, createdAt: now, updatedAt: now })
    .onConflictDoNothing()
    .returning()
  if (!made) {
    const row = await lockProduct(tx, id)
    await lockVariantsOf(tx, id)
    const change = await changeOf(tx, row, entry)
    if (change.outcome === 'unchanged') return change
    await tx
      .update(products)
      .set({ ...columns, ...(row && (await lowestBefore(tx, row, entry.price))), updatedAt: now })
      .where(eq(products.id, id))
    await replaceVariants(tx, entry)
    return change
  }
  await replaceVariants(tx, entry)
  return compareEntries(undefined, entry)
}

async function replaceVariants(tx: Transaction, { id: productId, variants }: ProductEntry): Promise<void> {
  const { productVariants: table } = tx.tables
  const ids = variants.map(({ id }) => id)
  await tx
    .update(table)
    .set({ listed: false })
    .where(and(eq(table.productId, productId), notInArray(table.id, ids)))
  for (const [position, { id, name, sku = null, stock = null }] of variants.entries()) {
    const set = { ...columnsIn(table, { name }), sku, position, stockTotal: stock, listed: true }
    await tx
      .insert(table)
      .values({ productId, id, ...set, stockSold: 0 })
      .onConflictDoUpdate({ target: [table.productId, table.id], set })
  }
}

async function changeOf(
  reader: Reader,
  row: ProductRow | undefined,
  entry: ProductEntry,
): Promise<EntryChange> {
  if (!row) return compareEntries(undefined, entry)
  await requireStock(reader, entry)
  const variants = (await readVariants(reader, [row.id])).get(row.id) ?? []
  return compareEntries(
    {
      ...statedTexts(row),
      images: listOf(row.images),
      shipsTo: row.shipsTo === null ? null : listOf(row.shipsTo),
      price: { amount: row.priceAmount, currency: row.priceCurrency },
      taxRate: statedTaxRate(row.taxRate),
      requires: requiresOf(row),
      delivers: parseDelivers(row.delivers),
      ...variantMembers(variants.map(row => ({ ...statedTexts(row), stock: row.stockTotal }))),
    },
    {
      ...completeEntry(ProductEntry, entry),
      id: row.id,
      startsAt: instantOf(entry.startsAt),
      endsAt: instantOf(entry.endsAt),
      requires: normalizeRequires(entry.requires),
      delivers: entry.delivers ?? {},
      variants: null,
      // Removed variants are null.
      ...Object.fromEntries(variants.map(({ id }) => [`variants/${id}`, null])),
      ...variantMembers(entry.variants),
    },
  )
}

/** One member per variant, so that a report names the variant that changed. */
function variantMembers(variants: (Omit<VariantEntry, 'name'> & { name: Text })[]) {
  return Object.fromEntries(
    variants.map(({ id, name, sku = null, stock = null }, position) => [
      `variants/${id}`,
      { position, name, sku, stock },
    ]),
  )
}

async function requireStock(reader: Reader, { id: productId, variants }: ProductEntry): Promise<void> {
  const { productVariants: table } = reader.tables
  const rows = await reader.select().from(table).where(eq(table.productId, productId))
  const sold = new Map(rows.map(row => [row.id, row.stockSold]))
  // The time after the wait for other units of work, so that holds that expired during the wait do not count.
  const now = isUnitOfWork(reader) ? reader.clock() : reader.now()
  const held = await countHeld(
    reader,
    variants.map(({ id }) => ({ productId, variantId: id })),
    now,
  )
  const faults = variants.flatMap(({ id, stock }, index) => {
    const holds = held.get(nameOfVariant({ productId, variantId: id })) ?? 0
    const least = (sold.get(id) ?? 0) + holds
    if (stock == null || stock >= least) return []
    const message = `must be at least ${least}, the number sold${holds > 0 ? ' and held by orders' : ''}`
    return [{ pointer: `/variants/${index}/stock`, message }]
  })
  refuseEntry(...faults)
}

/** What it delivers must be in the catalogue. */
async function findUnknown(reader: Reader, entry: ProductEntry, isWritten: WrittenBefore) {
  const { packId, collectibleId: id } = entry.delivers ?? {}
  if (id !== undefined && !isWritten('collectibles', id) && !(await isCollectible(reader, id)))
    return [{ pointer: '/delivers/collectibleId', message: 'must be a collectible of the catalogue' }]
  if (packId === undefined || isWritten('packs', packId) || (await hasPackWithoutLimit(reader, packId)))
    return []
  const message = 'must be a pack of the catalogue without a supply: the stock of the variants is the limit'
  return [{ pointer: '/delivers/packId', message }]
}

function membersOf(entry: ProductEntry) {
  const {
    id: _,
    variants: _v,
    price,
    taxRate,
    images,
    shipsTo,
    requires,
    delivers,
    startsAt,
    endsAt,
    ...members
  } = completeEntry(ProductEntry, entry)
  return {
    ...members,
    images: JSON.stringify(images),
    shipsTo: shipsTo === null ? null : JSON.stringify(shipsTo),
    delivers: delivers === null ? null : JSON.stringify(delivers),
    ...columnsOfRequires(requires, ['requiredPoints', 'requiredCollectibleId', 'requiredHolding']),
    priceAmount: price.amount,
    priceCurrency: price.currency,
    taxRate: storedTaxRate(taxRate),
    startsAt: instantOf(startsAt),
    endsAt: instantOf(endsAt),
  }
}

/** The units of all listed variants together. One without a limit means that the product has none. */
const unitsOf = (variants: VariantRow[]) => ({
  total: variants.reduce<number | null>(
    (sum, { stockTotal }) => (sum === null || stockTotal === null ? null : sum + stockTotal),
    0,
  ),
  taken: variants.reduce((sum, { stockSold }) => sum + stockSold, 0),
})

function entryOf(row: ProductRow, variants: VariantRow[]): ProductEntry {
  const { startsAt, endsAt, priceAmount, priceCurrency } = row
  const delivers = parseDelivers(row.delivers)
  const stated = {
    ...statedTexts(row),
    images: listOf(row.images),
    price: { amount: priceAmount, currency: priceCurrency },
    taxRate: statedTaxRate(row.taxRate),
    variants: variants.map(variant => {
      const { id, name, sku, stockTotal: stock } = statedTexts(variant)
      return { id, name, sku, stock }
    }),
    shipsTo: row.shipsTo === null ? null : listOf(row.shipsTo),
    delivers: Object.keys(delivers).length === 0 ? null : delivers,
    requires: statedRequires(row),
    startsAt: startsAt?.toISOString() ?? null,
    endsAt: endsAt?.toISOString() ?? null,
  }
  // Guarantee of the cast: only valid entries are written.
  return completeEntry(ProductEntry, stated as ProductEntry)
}

export const productKind = declareRestrictedKind({
  kind: 'product',
  list: 'products',
  about: 'What fans buy in the shop, in one or several variants.',
  schema: ProductEntry,
  givesValue: true,
  table: ({ products }) => products,
  faults: productFaults,
  requiresOf: ({ requires }) => requires,
  references: (reader, entry, { isWritten }) => findUnknown(reader, entry, isWritten),
  async plan(reader, entry) {
    const { products } = reader.tables
    const [row] = await reader.select().from(products).where(eq(products.id, entry.id))
    return changeOf(reader, row, entry)
  },
  upsert: upsertProduct,
  async read(reader, ids) {
    const { products } = reader.tables
    const rows = await reader.select().from(products).where(inArray(products.id, ids))
    const variants = await readVariants(reader, ids)
    return rows.map(row => entryOf(row, variants.get(row.id) ?? []))
  },
  takenBy: 'sale',
  async readInventory(reader, ids) {
    const variants = await readVariants(reader, ids)
    return new Map([...variants].map(([id, listed]) => [id, unitsOf(listed)]))
  },
})
