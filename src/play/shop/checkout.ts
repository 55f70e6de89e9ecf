/** Starts an order: holds stock for 30 minutes, and freezes the prices. */

import { and, count, eq, gt } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { isActive } from '../../club/catalogue/availability.ts'
import type { Caller } from '../../core/caller.ts'
import type { Encryption } from '../../core/encryption.ts'
import { DomainError, type FieldError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { readBalance } from '../../economy/points/account.ts'
import { insufficientPoints } from '../../economy/points/ledger.ts'
import { lockToCount } from '../../identity/users/users.ts'
import { productsTag } from '../../platform/cache/tags.ts'
import { requireEligible } from '../eligibility/eligibility.ts'
import { requiresOf } from '../eligibility/requires.ts'
import { POINTS } from '../purchases/purchase.ts'
import { rewardProblems } from '../rewards/problems.ts'
import { encryptAddress, findAddressErrors, normalizeAddress } from './addresses.ts'
import { listOf, type ProductRow, readProducts, readVariants } from './catalogue.ts'
import { findMissingPack } from './deliver.ts'
import { parseDelivers } from './delivers.ts'
import { recordOrder } from './events.ts'
import { countBought } from './order-kind.ts'
import type { LineRow, OrderRow, WholeOrder } from './order-rows.ts'
import type { Cart } from './order-schema.ts'
import { shopProblems } from './problems.ts'
import {
  countFree,
  countHeld,
  type LockedStock,
  lockLimited,
  lockStock,
  nameOfVariant,
  type VariantReference,
} from './stock.ts'
import { lockVoucherByText, requireCredit } from './vouchers.ts'

export const HOLD_MS = 30 * 60_000

export interface CheckoutOptions {
  encryption: Encryption
  /** Maximum pending orders of a fan. */
  openOrdersPerFan: number
  /** How long the address of a paid order is kept after an erasure of the fan. Milliseconds. */
  addressRetentionMs: number
  /** Whether this server has a folder of files. */
  sellsFiles: boolean
}

interface ChosenLine extends VariantReference {
  quantity: number
}

/**
 * Locks the fan, and last the stock: what is counted under each lock stays exact. A cart that asks for more than is free is refused
 * before the lock of the stock, for which a crowd would wait.
 */
export async function startCheckout(
  tx: Transaction,
  { userId }: Caller,
  { lines, address, voucher }: Cart,
  { encryption, openOrdersPerFan, addressRetentionMs, sellsFiles }: CheckoutOptions,
): Promise<WholeOrder> {
  await lockToCount(tx, userId)
  const chosen = await chooseVariants(tx, lines)
  if (voucher !== undefined) await lockVoucherByText(tx, voucher)
  const { now, variants } = await lockStock(tx, chosen)
  // Read after the locks: an import of these products waits for them, so prices and stock are consistent.
  const products = await requireProducts(tx, lines, now)
  const found = chosen.map(line => {
    const [product, variant] = [products.get(line.productId), variants.get(nameOfVariant(line))]
    if (!product || !variant?.listed) throw new DomainError(shopProblems.product_not_found)
    return { ...line, product, variant }
  })
  const currency = currencyOf([...products.values()])
  const required = [...products.values()].map(row => ({ productId: row.id, requires: requiresOf(row) }))
  await requireEligible(tx, { userId }, ...required)
  await requireFree(tx, chosen, { now, variants })
  const missingPack = await findMissingPack(
    tx,
    found.map(({ quantity, product: { delivers } }) => ({ quantity, delivers })),
  )
  for (const product of products.values())
    if (
      !isReady(product, sellsFiles) ||
      (missingPack && parseDelivers(product.delivers).packId === missingPack)
    )
      throw new DomainError(shopProblems.product_inactive, { productId: product.id })
  await requireWithinLimits(tx, userId, [...products.values()], chosen, now)
  if ((await countPending(tx, userId, now)) >= openOrdersPerFan)
    throw new DomainError(shopProblems.too_many_open_orders)
  const sum = totalOf(found.map(({ quantity, product }) => quantity * product.priceAmount))
  const credit = voucher === undefined ? null : await requireCredit(tx, voucher, currency, now)
  const discount = Math.min(sum, credit?.amount ?? 0)
  const total = sum - discount
  if (currency === POINTS) {
    const { balance } = await readBalance(tx, userId)
    if (balance < total) throw insufficientPoints(total, balance)
  }
  const shippedTo = requireAddress([...products.values()], address)

  const id = tx.newId()
  const expiresAt = new Date(now.getTime() + HOLD_MS)
  const order: OrderRow = {
    id,
    userId,
    status: 'pending',
    priceAmount: total,
    priceCurrency: currency,
    discountAmount: discount,
    voucherCode: credit?.code ?? null,
    createdAt: now,
    expiresAt,
    ...UNSET,
    address: shippedTo && encryptAddress(encryption, tx, id, shippedTo),
    addressKeptUntil:
      shippedTo && addressRetentionMs > 0 ? new Date(now.getTime() + addressRetentionMs) : null,
  }
  const rows = found.map(
    ({ productId, variantId, quantity, product: { priceAmount, kind, delivers } }, index): LineRow => ({
      orderId: id,
      number: index + 1,
      productId,
      variantId,
      quantity,
      priceAmount,
      kind,
      delivers,
      state: 'none',
      holdUntil: expiresAt,
      isSold: false,
      carrier: null,
      tracking: null,
    }),
  )
  await tx.insert(tx.tables.orders).values(order)
  await recordOrder(tx, 'order.created', order, rows)
  await requireFree(tx, chosen, await lockLimited(tx, chosen))
  await tx.insert(tx.tables.orderLines).values(rows)
  tx.invalidate(productsTag)
  return { order, lines: rows, units: [] }
}
startCheckout.problems = [
  shopProblems.product_not_found,
  shopProblems.product_inactive,
  shopProblems.mixed_currencies,
  ...requireEligible.problems,
  rewardProblems.out_of_stock,
  shopProblems.limit_reached,
  shopProblems.too_many_open_orders,
  shopProblems.voucher_not_accepted,
  shopProblems.address_required,
  shopProblems.not_shipped_there,
] as const

/** Checks the free stock of the lines whose stock is known. @throws DomainError `out_of_stock` */
async function requireFree(tx: Transaction, chosen: ChosenLine[], { now, variants }: LockedStock) {
  const limited = chosen.flatMap(line => {
    const variant = variants.get(nameOfVariant(line))
    return variant && variant.stockTotal !== null ? { ...line, variant } : []
  })
  const held = await countHeld(tx, limited, now)
  for (const { productId, variantId, quantity, variant } of limited) {
    const available = countFree(variant, held)
    if (available < quantity)
      throw new DomainError(rewardProblems.out_of_stock, { productId, variantId, available })
  }
}

/** Columns that are set by later steps. */
const UNSET = { completedAt: null, refundedAt: null, expiryNotedAt: null, paymentReference: null }

/** The variant may be absent for a product with only one. @throws DomainError `product_not_found`, `validation_failed` */
async function chooseVariants(tx: Transaction, lines: Cart['lines']): Promise<ChosenLine[]> {
  const listed = await readVariants(tx, [...new Set(lines.map(({ productId }) => productId))])
  const errors: FieldError[] = []
  const seen = new Set<string>()
  const chosen = lines.map(({ productId, variantId, quantity }, index) => {
    const variants = listed.get(productId)
    const [first, ...others] = variants ?? []
    if (!variants || !first) throw new DomainError(shopProblems.product_not_found)
    if (variantId === undefined && others.length > 0)
      errors.push({ pointer: `/lines/${index}/variantId`, message: 'is required: the product has several' })
    const id = variantId ?? first.id
    if (!variants.some(variant => variant.id === id)) throw noVariant(productId)
    const line = { productId, variantId: id, quantity }
    if (seen.has(nameOfVariant(line)))
      errors.push({ pointer: `/lines/${index}`, message: 'must not have the variant of another line' })
    seen.add(nameOfVariant(line))
    return line
  })
  if (errors.length > 0) throw invalid(errors)
  return chosen
}

const invalid = (errors: FieldError[]) => new DomainError(transportProblems.validation_failed, { errors })

const noVariant = (productId: string) =>
  new DomainError(shopProblems.product_not_found, { detail: `The product ${productId} has no such variant.` })

/** By id. @throws DomainError `product_not_found`, `product_inactive` */
async function requireProducts(tx: Transaction, lines: Cart['lines'], now: Date) {
  const rows = await readProducts(tx, [...new Set(lines.map(({ productId }) => productId))])
  const products = new Map(rows.map(row => [row.id, row]))
  for (const { productId } of lines) {
    const product = products.get(productId)
    if (!product) throw new DomainError(shopProblems.product_not_found)
    if (!isActive(product, now)) throw new DomainError(shopProblems.product_inactive, { productId })
  }
  return products
}

/** A product that is older than the member `delivers` cannot be sold. */
function isReady({ kind, delivers }: ProductRow, sellsFiles: boolean): boolean {
  const { file } = parseDelivers(delivers)
  if (file !== undefined && !sellsFiles) return false
  return kind === 'physical' || kind === 'voucher' || delivers !== null
}

function currencyOf(products: ProductRow[]): string {
  const [currency = POINTS, ...others] = new Set(products.map(({ priceCurrency }) => priceCurrency))
  if (others.length > 0) throw new DomainError(shopProblems.mixed_currencies)
  return currency
}

/** An amount that is large enough to be rounded also exceeds the maximum. @throws DomainError `validation_failed` */
function totalOf(amounts: number[]): number {
  const total = amounts.reduce((sum, amount) => sum + amount, 0)
  if (total > Number.MAX_SAFE_INTEGER)
    throw invalid([{ pointer: '/lines', message: `must cost at most ${Number.MAX_SAFE_INTEGER} in all` }])
  return total
}

async function requireWithinLimits(
  tx: Transaction,
  userId: string,
  products: ProductRow[],
  lines: ChosenLine[],
  now: Date,
): Promise<void> {
  const limited = products.filter(({ maxPerFan }) => maxPerFan !== null)
  if (limited.length === 0) return
  const ids = limited.map(({ id }) => id)
  const bought = await countBought(tx, userId, ids, now)
  for (const { id: productId, maxPerFan } of limited) {
    const own = lines.filter(line => line.productId === productId)
    const quantity = own.reduce((sum, line) => sum + line.quantity, 0)
    const available = Math.max(0, (maxPerFan ?? 0) - (bought.get(productId) ?? 0))
    if (maxPerFan !== null && quantity > available)
      throw new DomainError(shopProblems.limit_reached, { productId, maxPerFan, available })
  }
}

/** Null if nothing is shipped, so that no address is stored. */
function requireAddress(products: ProductRow[], address: Cart['address']) {
  const shipped = products.filter(({ kind }) => kind === 'physical')
  if (shipped.length === 0) return null
  if (!address) throw new DomainError(shopProblems.address_required)
  const errors = findAddressErrors(address)
  if (errors.length > 0) throw invalid(errors)
  for (const { id: productId, shipsTo } of shipped) {
    const countries = shipsTo === null ? null : listOf(shipsTo)
    if (countries && !countries.includes(address.country))
      throw new DomainError(shopProblems.not_shipped_there, { productId, shipsTo: countries })
  }
  return normalizeAddress(address)
}

async function countPending(tx: Transaction, userId: string, now: Date): Promise<number> {
  return (await selectPending(tx, userId, now))?.count ?? 0
}

const selectPending = preparedRow((tx: Transaction, userId: string, now: Date) => {
  const { orders } = tx.tables
  return tx
    .select({ count: count() })
    .from(orders)
    .where(and(eq(orders.userId, userId), eq(orders.status, 'pending'), gt(orders.expiresAt, now)))
})
