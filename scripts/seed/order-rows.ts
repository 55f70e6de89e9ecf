/** The orders of a seeded fan, as the verbs write them. */
import { isActive } from '../../src/club/catalogue/availability.ts'
import type { Encryption } from '../../src/core/encryption.ts'
import { statedRequires } from '../../src/play/eligibility/requires.ts'
import { saleOf as packSaleOf } from '../../src/play/packs/purchase-kind.ts'
import { preparePurchase } from '../../src/play/packs/start-purchase.ts'
import type { Sandbox } from '../../src/play/purchases/gateways/sandbox.ts'
import { chargeOf, needsMoney, POINTS } from '../../src/play/purchases/purchase.ts'
import type { ReceiptDraft } from '../../src/play/purchases/receipts.ts'
import { mintRedemptionCode } from '../../src/play/rewards/redemption-code.ts'
import { type AddressInput, normalizeAddress } from '../../src/play/shop/addresses.ts'
import { parseDelivers } from '../../src/play/shop/delivers.ts'
import { lineDataOf, saleOf } from '../../src/play/shop/events.ts'
import { newLine, newOrder } from '../../src/play/shop/new-order.ts'
import { receiptOf } from '../../src/play/shop/order-receipts.ts'
import type { LineRow, OrderRow } from '../../src/play/shop/order-rows.ts'
import type { LineChange } from '../../src/play/shop/order-schema.ts'
import { listOf } from '../../src/play/shop/products.ts'
import { nameOfVariant } from '../../src/play/shop/stock.ts'
import { type CartLine, drawOrders, type OrderStep, type Shopper, stepsUntilNow } from './demo-orders.ts'
import type { Recorder, Voider } from './event-rows.ts'
import type { Ledger } from './ledger-rows.ts'
import type { Rows } from './rows.ts'
import type { SeedSources } from './sources.ts'
import type { Supply, VariantOnSale } from './supply.ts'

/** Encrypts the addresses and signs the payments of a seed. */
export interface Till {
  addressEncryption: Encryption
  sandbox: Sandbox
}

interface OrderContext {
  rows: Rows
  userId: string
  points: Ledger
  record: Recorder
  voidLatest: Voider
  sources: SeedSources
  supply: Supply
  till: Till
}

interface StartedOrder {
  order: OrderRow
  lines: (LineRow & { variant: VariantOnSale })[]
  payment: Rows['payments'][number] | null
  receipt: ReceiptDraft | null
}

export function addOrders(context: OrderContext, shopper: Shopper): void {
  const { rows } = context
  for (const { lines, address, steps } of drawOrders(context.sources, shopper)) {
    const started = startOrder(context, lines, address, shopper.country)
    if (!started) continue
    for (const step of stepsUntilNow(context.sources, steps)) takeStep(context, started, step)
    rows.orders.push(started.order)
    if (started.payment) rows.payments.push(started.payment)
    rows.orderLines.push(...started.lines.map(({ variant: _, ...line }) => line))
  }
}

/** Undefined if the fan cannot buy it. */
function startOrder(
  context: OrderContext,
  cart: CartLine[],
  address: AddressInput,
  country: string,
): StartedOrder | undefined {
  const { userId, points, record, sources, supply, till } = context
  const now = sources.now()
  const chosen = cart.flatMap(line => {
    const variant = supply.variants.get(nameOfVariant(line))
    return variant && isFor(variant, line, address, supply, now) ? { ...line, variant } : []
  })
  const [first] = chosen
  if (!first || chosen.length < cart.length) return undefined
  const { priceCurrency } = first.variant.product
  if (chosen.some(({ variant }) => variant.product.priceCurrency !== priceCurrency)) return undefined
  const total = chosen.reduce((sum, { quantity, variant }) => sum + quantity * variant.product.priceAmount, 0)
  if (priceCurrency === POINTS && points.balance() < total) return undefined

  const isShipped = chosen.some(({ variant }) => variant.product.kind === 'physical')
  const order = newOrder(sources, till.addressEncryption, {
    userId,
    now,
    price: { total, currency: priceCurrency, discount: 0, voucherCode: null },
    address: isShipped ? normalizeAddress(address) : null,
    addressKeptUntil: null,
    taxCountry: priceCurrency === POINTS ? null : isShipped ? address.country : country,
    waiver: false,
  })
  const lines = chosen.map((line, index) => ({
    ...newLine(order, line, line.variant.product, index),
    variant: line.variant,
  }))
  record('order.created', saleOf(order, lines))
  return { order, lines, payment: null, receipt: null }
}

/** Seeded fans buy no products with requirements, which a seed does not compute. */
function isFor(
  { product, listed, free }: VariantOnSale,
  { quantity }: CartLine,
  { country }: AddressInput,
  { packs }: Supply,
  now: Date,
): boolean {
  const { kind, delivers, shipsTo, maxPerFan } = product
  if (!listed || !isActive(product, now) || free < quantity) return false
  if (statedRequires(product) !== null || (maxPerFan !== null && maxPerFan < quantity)) return false
  if (kind === 'physical' && shipsTo !== null && !listOf(shipsTo).includes(country)) return false
  if ((kind === 'digital' || kind === 'pack') && delivers === null) return false
  const { packId } = parseDelivers(delivers)
  return packId === undefined || (packs.get(packId)?.free ?? 0) >= quantity
}

function takeStep(context: OrderContext, started: StartedOrder, step: OrderStep): void {
  const { order, lines } = started
  const { record, sources } = context
  switch (step.does) {
    case 'pay':
      pay(context, started)
      break
    case 'change':
      changeLine(context, started, step.line, step.change)
      break
    case 'refund':
      refund(context, started)
      break
    case 'expire':
      order.expiryNotedAt = sources.now()
      record('order.expired', saleOf(order, lines))
      break
    case 'cancel':
      order.status = 'cancelled'
      order.cancelledAt = sources.now()
      for (const line of lines) line.holdUntil = null
      record('order.cancelled', saleOf(order, lines))
  }
}

/** A payment of a cancelled order comes too late. */
function pay(context: OrderContext, started: StartedOrder): void {
  const { order, lines } = started
  const { record, rows, sources } = context
  if (order.status === 'cancelled') {
    order.status = 'refund_due'
    capture(context, started)
    record('order.refund_due', saleOf(order, lines))
    return
  }
  order.status = 'completed'
  order.completedAt = sources.now()
  capture(context, started)
  for (const line of lines) {
    line.variant.free -= line.quantity
    Object.assign(line, { holdUntil: null, isSold: true })
    if (line.kind !== 'physical') line.state = 'delivered'
  }
  for (const line of lines) deliver(context, line)
  record('order.paid', saleOf(order, lines))
  const names = lines.map(({ variant }) => variant)
  started.receipt = receiptOf(order, lines, names, sources.now())
  rows.receipts.push(started.receipt)
}

/** With points, or with a receipt of the sandbox. */
function capture({ points, sources, till }: OrderContext, started: StartedOrder): void {
  const { order } = started
  const { id, priceAmount, priceCurrency: currency } = order
  if (needsMoney(order)) {
    const reference = till.sandbox.issueReceipt(chargeOf(order), 'paid', sources.newId())
    order.paymentReference = reference
    const payment = { reference, kind: 'order', purchaseId: id, amount: priceAmount, currency }
    started.payment = { ...payment, createdAt: sources.now(), refundedAt: null }
  } else if (priceAmount > 0) points.book({ delta: -priceAmount, reason: 'order_payment', ref: id })
}

/** Vouchers, or sealed packs. A link to a file needs no row. */
function deliver({ rows, userId, record, sources, supply }: OrderContext, line: LineRow): void {
  const { orderId, number, quantity, kind, delivers } = line
  const { packId } = parseDelivers(delivers)
  const onSale = packId === undefined ? undefined : supply.packs.get(packId)
  for (let unit = 1; unit <= quantity; unit++) {
    const key = { orderId, line: number, unit }
    if (kind === 'voucher')
      rows.orderUnits.push({
        ...key,
        packPurchaseId: null,
        code: mintRedemptionCode(sources.randomBytes(10)),
      })
    if (!onSale) continue
    const now = sources.now()
    onSale.free--
    const purchase = {
      ...preparePurchase(sources, { ...onSale, userId, now }),
      priceAmount: 0,
      priceCurrency: POINTS,
      status: 'completed',
      completedAt: now,
    }
    const userPackId = sources.newId()
    const { id: purchaseId, packId } = purchase
    rows.packPurchases.push(purchase)
    rows.userPacks.push({
      id: userPackId,
      purchaseId,
      packId,
      userId,
      createdAt: now,
      openedAt: null,
      clientSeed: null,
    })
    record('purchase.completed', { ...packSaleOf(purchase), userPackId })
    rows.orderUnits.push({ ...key, packPurchaseId: purchaseId, code: null })
  }
}

function changeLine(
  { record, sources }: OrderContext,
  { lines }: StartedOrder,
  number: number,
  change: LineChange,
): void {
  const { state, carrier = null, tracking = null } = change
  const line = lines.find(line => line.number === number)
  if (!line) throw new Error(`the order has no line ${number}`)
  Object.assign(line, state === 'shipped' ? { state, carrier, tracking } : { state })
  if (state === 'delivered') line.deliveredAt = sources.now()
  record('order.line_changed', lineDataOf(line))
  if (state === 'returned') takeBack(line)
}

/** Refunds an order of which nothing was shipped or used, so that all units return to the stock, or one that was not delivered. */
function refund(
  { rows, points, record, voidLatest, sources }: OrderContext,
  { order, lines, payment, receipt }: StartedOrder,
): void {
  const now = sources.now()
  const wasPaid = order.status === 'completed'
  Object.assign(order, { status: 'refunded', refundedAt: now })
  const { id, priceAmount } = order
  if (payment) payment.refundedAt = now
  else if (priceAmount > 0) points.book({ delta: priceAmount, reason: 'order_refund', ref: id })
  record('order.refunded', saleOf(order, lines))
  if (receipt && receipt.gross > 0) rows.receipts.push({ ...receipt, kind: 'credit_note', createdAt: now })
  if (!wasPaid) return
  voidLatest('order.paid', { orderId: id })
  for (const line of lines) takeBack(line)
}

function takeBack(line: StartedOrder['lines'][number]): void {
  line.isSold = false
  line.variant.free += line.quantity
}
