/** Starts an order: holds stock for 30 minutes, and freezes the prices. */

import { and, count, eq, gt } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import type { Caller } from '../../core/caller.ts'
import type { Encryption } from '../../core/encryption.ts'
import { DomainError } from '../../core/problems.ts'
import { readBalance } from '../../economy/points/account.ts'
import { insufficientPoints } from '../../economy/points/ledger.ts'
import { lockToCount } from '../../identity/users/users.ts'
import { productsTag } from '../../platform/cache/tags.ts'
import { requireEligible } from '../eligibility/eligibility.ts'
import type { Candidate } from '../eligibility/requirement.ts'
import { requiresOf } from '../eligibility/requires.ts'
import { readPackRequires } from '../packs/catalogue.ts'
import { POINTS } from '../purchases/purchase.ts'
import { rewardProblems } from '../rewards/problems.ts'
import { findAddressErrors, normalizeAddress } from './addresses.ts'
import { listOf, type ProductRow } from './catalogue.ts'
import { type Choice, type ChosenLine, choose, invalid } from './choice.ts'
import { findMissingPack } from './deliver.ts'
import { parseDelivers } from './delivers.ts'
import { recordOrder } from './events.ts'
import { newLine, newOrder, type OrderPrice } from './new-order.ts'
import { countBought } from './order-kind.ts'
import type { WholeOrder } from './order-rows.ts'
import type { Cart } from './order-schema.ts'
import { shopProblems } from './problems.ts'
import { countFree, countHeld, type LockedStock, lockLimited, nameOfVariant } from './stock.ts'
import { requireCredit } from './vouchers.ts'

export interface CheckoutOptions {
  encryption: Encryption
  /** Maximum pending orders of a fan. */
  openOrdersPerFan: number
  /** How long the address of a paid order is kept after an erasure of the fan. Milliseconds. */
  addressRetentionMs: number
  /** Whether this server has a folder of files. */
  sellsFiles: boolean
}

/**
 * Locks the fan, and last the stock: what is counted under each lock stays exact. A cart that asks for more than is free is refused
 * before the lock of the stock, for which a crowd would wait.
 */
export async function startCheckout(
  tx: Transaction,
  { userId }: Caller,
  cart: Cart,
  options: CheckoutOptions,
): Promise<WholeOrder> {
  await lockToCount(tx, userId)
  const choice = await choose(tx, cart)
  const shippingCountry = choice.products.some(isShipped) ? cart.address?.country : undefined
  await requireBuyable(tx, { userId, shippingCountry }, choice, options)
  const price = await requirePrice(tx, userId, choice, cart.voucher)
  const address = requireAddress(choice.products, cart.address)
  return holdOrder(tx, userId, choice, { price, address }, options)
}

/** Whether the fan may buy the products now, and as many of them. */
async function requireBuyable(
  tx: Transaction,
  { userId, shippingCountry }: Candidate,
  { lines, products, now, variants }: Choice,
  { openOrdersPerFan, sellsFiles }: CheckoutOptions,
): Promise<void> {
  await requireEligible(tx, { userId, shippingCountry }, ...(await listRequired(tx, products)))
  await requireFree(tx, lines, { now, variants })
  const missingPack = await findMissingPack(
    tx,
    lines.map(({ quantity, product: { delivers } }) => ({ quantity, delivers })),
  )
  for (const product of products)
    if (
      !isReady(product, sellsFiles) ||
      (missingPack && parseDelivers(product.delivers).packId === missingPack)
    )
      throw new DomainError(shopProblems.product_inactive, { productId: product.id })
  await requireWithinLimits(tx, userId, products, lines, now)
  if ((await countPending(tx, userId, now)) >= openOrdersPerFan)
    throw new DomainError(shopProblems.too_many_open_orders)
}

/** Of points, the fan must have as many. */
async function requirePrice(
  tx: Transaction,
  userId: string,
  { lines, currency, now }: Choice,
  voucher: string | undefined,
): Promise<OrderPrice> {
  const sum = totalOf(lines.map(({ quantity, product }) => quantity * product.priceAmount))
  const credit = voucher === undefined ? null : await requireCredit(tx, voucher, currency, now)
  const discount = Math.min(sum, credit?.amount ?? 0)
  const total = sum - discount
  if (currency === POINTS) {
    const { balance } = await readBalance(tx, userId)
    if (balance < total) throw insufficientPoints(total, balance)
  }
  return { total, currency, discount, voucherCode: credit?.code ?? null }
}

/** @throws DomainError `out_of_stock`, if others have bought meanwhile */
async function holdOrder(
  tx: Transaction,
  userId: string,
  { lines: chosen, now }: Choice,
  { price, address }: { price: OrderPrice; address: ReturnType<typeof requireAddress> },
  { encryption, addressRetentionMs }: CheckoutOptions,
): Promise<WholeOrder> {
  const addressKeptUntil =
    address && addressRetentionMs > 0 ? new Date(now.getTime() + addressRetentionMs) : null
  const order = newOrder(tx, encryption, { userId, now, price, address, addressKeptUntil })
  const lines = chosen.map((line, index) => newLine(order, line, line.product, index))
  await tx.insert(tx.tables.orders).values(order)
  await recordOrder(tx, 'order.created', order, lines)
  await requireFree(tx, chosen, await lockLimited(tx, chosen))
  await tx.insert(tx.tables.orderLines).values(lines)
  tx.invalidate(productsTag)
  return { order, lines, units: [] }
}

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

const isShipped = ({ kind }: ProductRow) => kind === 'physical'

/** What the products require, and the packs that they deliver: a pack has no other door. */
async function listRequired(tx: Transaction, products: ProductRow[]) {
  const packIds = products.flatMap(({ delivers }) => parseDelivers(delivers).packId ?? [])
  const ofPacks = await readPackRequires(tx, packIds)
  return products.flatMap(({ id: productId, ...row }) => [
    { productId, requires: requiresOf(row) },
    { productId, requires: ofPacks.get(parseDelivers(row.delivers).packId ?? '') ?? {} },
  ])
}

/** A product that is older than the member `delivers` cannot be sold. */
function isReady({ kind, delivers }: ProductRow, sellsFiles: boolean): boolean {
  const { file } = parseDelivers(delivers)
  if (file !== undefined && !sellsFiles) return false
  return kind === 'physical' || kind === 'voucher' || delivers !== null
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
  const shipped = products.filter(isShipped)
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
