/** The rows of an order that begins: its prices and taxes are frozen, and it holds its stock for 30 minutes. */
import type { Sources } from '../../../db/index.ts'
import type { Encryption } from '../../core/encryption.ts'
import { taxMillionthsFor } from '../purchases/tax-rate.ts'
import { type Address, encryptAddress } from './addresses.ts'
import type { LineRow, OrderRow } from './order-rows.ts'
import type { ProductRow } from './products.ts'
import type { VariantReference } from './stock.ts'

const HOLD_MS = 30 * 60_000

/** What the lines cost together, less the discount of a voucher. */
export interface OrderPrice {
  total: number
  currency: string
  discount: number
  voucherCode: string | null
}

interface NewOrder {
  userId: string
  now: Date
  price: OrderPrice
  /** Null if nothing is shipped. */
  address: Address | null
  addressKeptUntil: Date | null
  taxCountry: string | null
  waiver: boolean
}

export function newOrder(
  sources: Pick<Sources, 'newId' | 'randomBytes'>,
  encryption: Encryption,
  { userId, now, price, address, addressKeptUntil, taxCountry, waiver }: NewOrder,
): OrderRow {
  const id = sources.newId()
  return {
    id,
    userId,
    status: 'pending',
    priceAmount: price.total,
    priceCurrency: price.currency,
    discountAmount: price.discount,
    voucherCode: price.voucherCode,
    taxCountry,
    createdAt: now,
    expiresAt: new Date(now.getTime() + HOLD_MS),
    completedAt: null,
    cancelledAt: null,
    refundedAt: null,
    expiryNotedAt: null,
    paymentReference: null,
    address: address && encryptAddress(encryption, sources, id, address),
    addressKeptUntil,
    refundedAmount: 0,
    waiver,
  }
}

/** `index`: the place of the line in the cart. */
export function newLine(
  { id: orderId, expiresAt: holdUntil, taxCountry }: OrderRow,
  { productId, variantId, quantity }: VariantReference & { quantity: number },
  { priceAmount, taxRate, kind, delivers }: Pick<ProductRow, 'priceAmount' | 'taxRate' | 'kind' | 'delivers'>,
  index: number,
): LineRow {
  return {
    orderId,
    number: index + 1,
    productId,
    variantId,
    quantity,
    priceAmount,
    taxMillionths: taxMillionthsFor(taxRate, taxCountry),
    kind,
    delivers,
    state: 'none',
    holdUntil,
    isSold: false,
    carrier: null,
    tracking: null,
    deliveredAt: null,
    downloadedAt: null,
    withdrawnAt: null,
    refundedUnits: 0,
  }
}
