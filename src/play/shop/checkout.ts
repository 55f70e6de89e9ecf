/** Starts an order: holds stock for 30 minutes, and freezes the prices. */

import type { Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { withoutLocks } from '../../../db/row-lock.ts'
import type { Caller } from '../../core/caller.ts'
import type { Encryption } from '../../core/encryption.ts'
import { DomainError } from '../../core/problems.ts'
import { lockAccount } from '../../economy/points/account.ts'
import { holdPoints, requireSpendable } from '../../economy/points/holds.ts'
import { lockToCount, readCountry } from '../../identity/users/locks.ts'
import { productsTag } from '../../platform/cache/tags.ts'
import type { Settings } from '../../platform/config/settings.ts'
import { requireEligible } from '../eligibility/eligibility.ts'
import type { Candidate } from '../eligibility/requirement.ts'
import { requiresOf } from '../eligibility/requires.ts'
import { readPackRequires } from '../packs/packs.ts'
import { needsMoney, POINTS } from '../purchases/purchase.ts'
import { requireNoWait } from '../purchases/unpaid-holds.ts'
import { rewardProblems } from '../rewards/problems.ts'
import { findAddressErrors, normalizeAddress } from './addresses.ts'
import { type Choice, type ChosenLine, choose, invalid } from './choice.ts'
import { findMissingPack } from './deliver.ts'
import { parseDelivers } from './delivers.ts'
import { recordOrder } from './events.ts'
import { newLine, newOrder, type OrderPrice } from './new-order.ts'
import { countBought } from './order-kind.ts'
import type { LineRow, OrderRow, WholeOrder } from './order-rows.ts'
import type { Cart } from './order-schema.ts'
import { shopProblems } from './problems.ts'
import { listOf, type ProductRow } from './products.ts'
import { countPending, type RecentOrders, readRecent, requireFewHeld } from './recent-orders.ts'
import { countFree, countHeld, isLimited, type LockedStock, lockLimited, nameOfVariant } from './stock.ts'
import { requireCredit } from './vouchers.ts'

const DAY_MS = 86_400_000

export interface CheckoutOptions
  extends Pick<Settings, 'openOrdersPerFan' | 'heldUnitsPerFan' | 'paidPacks' | 'orderAddressRetentionDays'> {
  encryption: Encryption
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
  const [choice, recent] = await Promise.all([choose(tx, cart), readRecent(tx, userId)])
  const shippingCountry = choice.products.some(isShipped) ? cart.address?.country : undefined
  await requireBuyable(tx, { userId, shippingCountry }, choice, recent, options)
  const price = await requirePrice(tx, userId, choice, cart.voucher)
  const address = requireAddress(choice.products, cart.address)
  const taxCountry =
    price.currency === POINTS ? null : (shippingCountry ?? (await readCountry(withoutLocks(tx), userId)))
  const waiver = cart.waiver ?? false
  return holdOrder(tx, userId, choice, { price, address, taxCountry, waiver }, options)
}

/** Whether the fan may buy the products now, and as many of them. */
async function requireBuyable(
  tx: Transaction,
  { userId, shippingCountry }: Candidate,
  { lines, products, now, variants }: Choice,
  recent: RecentOrders,
  { openOrdersPerFan, heldUnitsPerFan, paidPacks, sellsFiles }: CheckoutOptions,
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
      (!paidPacks && isPaidPack(product)) ||
      (missingPack && parseDelivers(product.delivers).packId === missingPack)
    )
      throw new DomainError(shopProblems.product_inactive, { productId: product.id })
  await requireWithinLimits(tx, userId, products, lines, now)
  requireFewHeld(products, { lines, variants, now }, recent, heldUnitsPerFan)
  if (countPending(recent, now) >= openOrdersPerFan) throw new DomainError(shopProblems.too_many_open_orders)
  requireNoWait(recent.orders, now)
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
  if (currency === POINTS && total > 0) {
    await requireSpendable(tx, await lockAccount(tx, userId), total)
  }
  return { total, currency, discount, voucherCode: credit?.code ?? null }
}

/** @throws DomainError `out_of_stock`, if others have bought meanwhile */
async function holdOrder(
  tx: Transaction,
  userId: string,
  { lines: chosen, now, variants }: Choice,
  {
    price,
    address,
    taxCountry,
    waiver,
  }: {
    price: OrderPrice
    address: ReturnType<typeof requireAddress>
    taxCountry: string | null
    waiver: boolean
  },
  { encryption, orderAddressRetentionDays: days }: CheckoutOptions,
): Promise<WholeOrder> {
  const addressKeptUntil = address && days > 0 ? new Date(now.getTime() + days * DAY_MS) : null
  const order = newOrder(tx, encryption, {
    userId,
    now,
    price,
    address,
    addressKeptUntil,
    taxCountry,
    waiver,
  })
  const lines = chosen.map((line, index) => newLine(order, line, line.product, index))
  const { id: purchaseId, priceAmount: amount, priceCurrency, expiresAt } = order
  if (priceCurrency === POINTS && amount > 0) await holdPoints(tx, { purchaseId, userId, amount, expiresAt })
  // A variant without a limit gets none meanwhile: an import waits for the lock of `choose`.
  const limited = chosen.filter(line => isLimited(variants, line))
  await Promise.all([
    insertOrder(tx, order),
    recordOrder(tx, 'order.created', order, lines),
    limited.length === 0 && insertLines(tx, lines),
  ])
  if (limited.length > 0) {
    await requireFree(tx, limited, await lockLimited(tx, limited))
    await insertLines(tx, lines)
  }
  tx.invalidate(productsTag)
  return { order, lines, units: [] }
}

const insertOrder = prepared((tx: Transaction, order: OrderRow) => tx.insert(tx.tables.orders).values(order))

const insertLines = prepared((tx: Transaction, lines: LineRow[]) =>
  tx.insert(tx.tables.orderLines).values(lines),
)

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

const isPaidPack = (product: ProductRow) =>
  parseDelivers(product.delivers).packId !== undefined && needsMoney(product)

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
      throw new DomainError(rewardProblems.limit_reached, { productId, maxPerFan, available })
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
