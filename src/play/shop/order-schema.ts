import { isValid } from '../../core/formats.ts'
import type { FieldError } from '../../core/problems.ts'
import { Closed, Id, IdReference, Instant, Integer, NextCursor, Nullable, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { PaymentReference, PreparedPayment, StoreGateway } from '../purchases/gateways/gateway.ts'
import { Address, AddressInput } from './addresses.ts'
import { ShownDelivers } from './delivers.ts'
import { PRODUCT_KINDS } from './entry-schema.ts'
import { Price } from './schema.ts'
import { MAX_LINES } from './stock.ts'

const MAX_QUANTITY = 50

const CartLine = Closed(
  {
    productId: IdReference('The product.', 'home-scarf'),
    variantId: Type.Optional({
      ...IdReference('The variant. Not needed for a product that has one.', 'short'),
    }),
    quantity: Integer({ minimum: 1, maximum: MAX_QUANTITY, description: 'Units.' }),
  },
  { title: 'CartLine' },
)

export const Cart = Closed(
  {
    lines: Type.Array(CartLine, {
      minItems: 1,
      maxItems: MAX_LINES,
      description: 'What to buy: each variant once, all in one currency.',
    }),
    address: Type.Optional(AddressInput),
    waiver: Type.Optional(
      Type.Boolean({
        description:
          'True: the fan asks for the delivery of digital goods at once, and knows that they cannot be withdrawn once delivered. Kept with the order.',
      }),
    ),
    voucher: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'The code of a voucher with a credit. The payment uses the whole voucher: credit that exceeds the price is lost.',
        examples: ['7Q2M-X9KD-4T0B-HW5E'],
      }),
    ),
  },
  { title: 'Cart' },
)
export type Cart = typeof Cart.static

export const OrderReference = Closed({ orderId: IdReference('The order.') }, { title: 'OrderReference' })
export type OrderReference = typeof OrderReference.static

export const OrderParams = Closed({ orderId: IdReference('The order.') })

const PAYMENT_METHODS = ['points', 'cash', 'gateway'] as const

export const WithdrawalRequest = Closed(
  {
    lines: Type.Optional(
      Type.Array(Integer({ minimum: 1, maximum: 9999, description: 'Number of a line.' }), {
        minItems: 1,
        maxItems: MAX_LINES,
        uniqueItems: true,
        description: 'The lines to withdraw from. Without them, all that can be withdrawn.',
        examples: [[1]],
      }),
    ),
  },
  { title: 'WithdrawalRequest' },
)

export const OrderPaymentRequest = Closed(
  {
    orderId: IdReference('The order.'),
    method: OneOf(PAYMENT_METHODS, {
      description:
        '`points` for a price in points; `gateway`, or `cash` of the fan’s account, for a price in money.',
    }),
    gateway: Type.Optional(StoreGateway),
  },
  { title: 'OrderPaymentRequest' },
)
export type OrderPaymentRequest = typeof OrderPaymentRequest.static

export const OrderPayment = Closed(
  {
    method: OneOf(PAYMENT_METHODS, { description: 'How the order is paid.' }),
    payment: Nullable(PreparedPayment, {
      description: 'What the gateway’s client library needs. Null: nothing; complete the order.',
    }),
  },
  { title: 'OrderPayment' },
)
export type OrderPayment = typeof OrderPayment.static

export const CompleteOrder = Closed(
  {
    orderId: IdReference('The order.'),
    paymentReference: Type.Optional(PaymentReference),
  },
  { title: 'CompleteOrder' },
)
export type CompleteOrder = typeof CompleteOrder.static

const LINE_STATES = ['none', 'ready', 'shipped', 'delivered', 'returned'] as const

const OrderLine = Closed(
  {
    number: Integer({ minimum: 1, description: 'In the order of the cart.' }),
    productId: Type.String({ description: 'The product.' }),
    variantId: Type.String({ description: 'The variant.' }),
    kind: OneOf(PRODUCT_KINDS, { description: 'Kind of the product.' }),
    quantity: Integer({ minimum: 1, description: 'Units.' }),
    price: Price,
    state: OneOf(LINE_STATES, {
      description:
        '`none`: not prepared yet. `ready`: packed. `returned`: it came back. A line that is not shipped becomes `delivered` with the payment.',
    }),
    carrier: Nullable(Type.String(), { description: 'Who ships it.' }),
    tracking: Nullable(Type.String(), { description: 'Number or address to follow it.' }),
    withdrawnAt: Nullable(
      Instant('When the fan withdrew from it. What was shipped is refunded when it is back.'),
    ),
    delivers: Nullable(ShownDelivers, {
      description: 'What the fan gets with each unit. Null for products that are shipped.',
    }),
    vouchers: Type.Array(
      Closed({
        code: Type.String({ description: 'The code for the desk, or for `voucher` of a later order.' }),
        state: OneOf(['valid', 'used', 'void'], { description: '`void`: the order was refunded.' }),
      }),
      { description: 'For a paid line of the kind `voucher`: one for each unit.' },
    ),
    packPurchaseIds: Type.Array(Type.String(), {
      description: 'For a paid line of the kind `pack`: `GET /api/packs/purchases/{id}` shows the pack.',
    }),
  },
  { title: 'OrderLine', description: 'A line of an order, with the unit price at the time of the order.' },
)

const STATUSES = ['pending', 'paid', 'fulfilled', 'expired', 'cancelled', 'refund_due', 'refunded'] as const

const orderMembers = {
  id: Id('The order.'),
  status: OneOf(STATUSES, {
    description:
      '`fulfilled`: paid, and each line is delivered or returned. `refund_due`: paid too late, or to be refunded by the club.',
  }),
  lines: Type.Array(OrderLine, { description: 'In the order of the cart.' }),
  discount: Closed(Price.properties, { description: 'The reduction by a voucher.' }),
  total: Closed(Price.properties, { description: 'The amount to pay, or that was paid.' }),
  refunded: Closed(Price.properties, {
    description: 'What was refunded of it, or is to be, after a withdrawal or a refund.',
  }),
  waiver: Type.Boolean({ description: 'Whether the fan waived the withdrawal from digital goods.' }),
  address: Nullable(Address, {
    description: 'The shipping address. Null if nothing is shipped, or if the address was deleted.',
  }),
  createdAt: Instant('When the order was made.'),
  expiresAt: Instant('Until when stock and prices are held, while the order is pending.'),
  paidAt: Nullable(Instant('When it was paid.')),
  refundedAt: Nullable(Instant('When the payment was refunded.')),
}

export const Order = Closed(orderMembers, { title: 'Order' })
export type Order = typeof Order.static

export const Orders = Closed(
  { orders: Type.Array(Order, { description: 'Newest first.' }), nextCursor: NextCursor },
  { title: 'Orders' },
)

/** An order as the club's systems see it. */
export const FanOrder = Closed(
  {
    ...orderMembers,
    fan: Closed(
      {
        id: Id('Id of the fan.'),
        displayName: Nullable(Type.String(), { description: 'The name that other fans see.' }),
      },
      { title: 'OrderingFan' },
    ),
  },
  { title: 'FanOrder' },
)
export type FanOrder = typeof FanOrder.static

export const Download = Closed(
  {
    url: Type.String({ description: 'Path of the API’s origin. It needs no token.' }),
    expiresAt: Instant('When the link ends.'),
  },
  { title: 'Download' },
)

export const LineParams = Closed({
  orderId: IdReference('The order.'),
  number: Type.String({
    pattern: '^[1-9][0-9]{0,3}$',
    description: 'Number of the line.',
    errorNoun: 'the number of a line',
    documentedAs: { type: 'integer', minimum: 1, maximum: 9999, examples: [1] },
  }),
})

const ShippingText = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 200, description, examples: [example] })

const NEW_STATES = ['ready', 'shipped', 'delivered', 'returned'] as const

export const LineChange = Closed(
  {
    state: OneOf(NEW_STATES, { description: 'The new state.' }),
    carrier: Type.Optional(ShippingText('Who ships it. For `shipped` only, which needs it.', 'CTT')),
    tracking: Type.Optional(
      ShippingText('Number or address to follow it. For `shipped` only.', 'RR123456785PT'),
    ),
  },
  { title: 'LineChange' },
)
export type LineChange = typeof LineChange.static

/** A carrier is allowed only for the state `shipped`. */
export function findLineErrors({ body }: { body: unknown }): FieldError[] {
  if (!isValid(LineChange, body)) return []
  const { state, carrier, tracking } = body
  if (state === 'shipped')
    return carrier === undefined ? [{ pointer: '/carrier', message: 'is required' }] : []
  return Object.entries({ carrier, tracking }).flatMap(([name, value]) =>
    value === undefined ? [] : [{ pointer: `/${name}`, message: 'is for the state shipped' }],
  )
}

export const exampleAddress: Address = {
  name: 'Ana Ruiz',
  line1: 'Rua do Cais 12',
  line2: null,
  city: 'Porto',
  region: null,
  postalCode: '4050-123',
  country: 'PT',
  phone: null,
}

export const exampleOrder: Order = {
  id: '01981e2c-7c1f-7000-8000-000000000012',
  status: 'pending',
  lines: [
    {
      number: 1,
      productId: 'home-scarf',
      variantId: 'short',
      kind: 'physical',
      quantity: 2,
      price: { amount: 1900, currency: 'EUR' },
      state: 'none',
      carrier: null,
      tracking: null,
      withdrawnAt: null,
      delivers: null,
      vouchers: [],
      packPurchaseIds: [],
    },
  ],
  discount: { amount: 0, currency: 'EUR' },
  total: { amount: 3800, currency: 'EUR' },
  refunded: { amount: 0, currency: 'EUR' },
  waiver: false,
  address: exampleAddress,
  createdAt: '2026-08-15T18:30:00.000Z',
  expiresAt: '2026-08-15T19:00:00.000Z',
  paidAt: null,
  refundedAt: null,
}

export const examplePaidOrder: Order = {
  ...exampleOrder,
  status: 'paid',
  paidAt: '2026-08-15T18:32:00.000Z',
}
