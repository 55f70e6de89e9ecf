import type { FieldError } from '../../../core/problems.ts'
import {
  Closed,
  Id,
  IdReference,
  Instant,
  Integer,
  NextCursor,
  Nullable,
  OneOf,
  PageQuery,
} from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { Reason } from '../../../identity/staff/reason.ts'
import { PURCHASE_KINDS } from '../../../play/purchases/kind-names.ts'
import {
  FanOrder,
  findLineErrors as findChangeErrors,
  LineChange,
  LineParams,
} from '../../../play/shop/order-schema.ts'
import { Price } from '../../../play/shop/schema.ts'
import { ORDER_LISTS } from '../../../play/shop/staff-orders.ts'

export const OrdersQuery = Closed({
  ...PageQuery,
  list: Type.Optional(
    OneOf(ORDER_LISTS, {
      description:
        '`to_pack`, `to_ship`, `shipped`: orders with a line in this state, oldest first, like `refund_due`. The others: by status, newest first. `paid` includes those that have arrived, `pending` those that have expired.',
      examples: ['to_pack'],
    }),
  ),
})

const Fan = FanOrder.properties.fan

const ListedOrder = Closed(
  {
    id: Id('The order.'),
    status: Type.String({ description: 'As the fan sees it.' }),
    fan: Fan,
    total: Closed(Price.properties, { description: 'The amount to pay, or that was paid.' }),
    units: Integer({ description: 'Units of all lines.' }),
    products: Type.Array(Type.String(), { description: 'Names of the products of the lines.' }),
    states: Type.Array(Type.String(), { description: 'States of the lines that are shipped, each once.' }),
    createdAt: Instant('When it was made.'),
    paidAt: Nullable(Instant('When it was paid.')),
  },
  { title: 'ConsoleOrder' },
)

export const ListedOrders = Closed(
  { orders: Type.Array(ListedOrder), nextCursor: NextCursor },
  { title: 'ConsoleOrders' },
)

export const OrderDetail = Closed(
  {
    ...FanOrder.properties,
    lines: Type.Array(
      Closed({
        ...FanOrder.properties.lines.items.properties,
        productName: Type.String({ description: 'The name of the product now.' }),
        variantName: Type.String({ description: 'The name of the variant now.' }),
      }),
      { description: 'In the order of the cart.' },
    ),
    addressHidden: Type.Boolean({ description: 'Whether the role does not see the address.' }),
    refund: Nullable(
      Closed({
        consequences: Type.Array(
          Closed({
            item: Type.String({ description: 'What was bought.' }),
            consequence: Type.String({ description: 'What a refund does with it.' }),
          }),
        ),
        paidBy: OneOf(['points', 'cash', 'gateway'], { description: 'Where the refund goes.' }),
      }),
      { description: 'What a refund does. Null: the order cannot be refunded.' },
    ),
  },
  { title: 'ConsoleOrderDetail' },
)

export const OrderParams = Closed({ orderId: IdReference('The order.') })
export const OrderLineParams = LineParams

export const ReceiptsParams = Closed({ orderId: IdReference('The order, or the purchase of a pack.') })
export const ListedReceipts = Closed(
  {
    receipts: Type.Array(
      Closed(
        {
          number: Integer({ minimum: 1, description: 'Of it, without a gap for all orders.' }),
          kind: OneOf(['receipt', 'credit_note']),
          issuedAt: Instant('When it was paid or refunded.'),
          gross: Integer({ minimum: 0, description: 'What was paid, or is returned.' }),
          currency: Type.String({ description: '`POINTS`, or ISO 4217.' }),
        },
        { title: 'ConsoleReceipt' },
      ),
      { description: 'The receipt, then its credit notes. Empty: it has none.' },
    ),
  },
  { title: 'ConsoleReceipts' },
)

export const ReceiptParams = Closed({
  ...ReceiptsParams.properties,
  number: Type.String({
    pattern: '^[1-9][0-9]{0,14}$',
    description: 'Number of the receipt or credit note.',
    errorNoun: 'the number of a receipt',
  }),
})
export const PrintedReceipt = Type.String({ contentMediaType: 'text/html', description: 'The page.' })

/** Like the check for the club's systems, without the member `reason`. */
export function findLineErrors({ body }: { body: unknown }): FieldError[] {
  if (typeof body !== 'object' || body === null) return []
  return findChangeErrors({
    body: Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'reason')),
  })
}

/** The next state of a line. */
export const LineStateChange = Closed(
  { ...LineChange.properties, reason: Type.Optional(Reason) },
  { title: 'LineStateChange' },
)

export const PurchaseParams = Closed({ purchaseId: IdReference('The purchase, order or top-up.') })
export const RefundPurchase = Closed({ reason: Reason }, { title: 'RefundPurchase' })
export const Refunded = Closed(
  {
    purchaseId: Id('The purchase, order or top-up.'),
    refunded: Type.Boolean({ description: 'False: it was refunded before.' }),
    supplyReturned: Nullable(Type.Boolean(), { description: 'Whether all of it went back to the stock.' }),
  },
  { title: 'ConsoleRefund' },
)

export const PackingList = Closed(
  {
    state: OneOf(['none', 'ready'], {
      description: 'Lines that are not packed, or that wait for the carrier.',
    }),
    reason: Reason,
  },
  { title: 'PackingList' },
)
export const Csv = Type.String({ contentMediaType: 'text/csv', description: 'CSV with a header.' })

export const RefundsDue = Closed(
  {
    refunds: Type.Array(
      Closed({
        purchaseId: Id('The purchase, order or top-up.'),
        kind: OneOf(PURCHASE_KINDS),
        fan: Fan,
        price: Closed(Price.properties),
        paymentReference: Nullable(Type.String(), { description: 'Of the gateway.' }),
        createdAt: Instant('When the purchase began.'),
        since: Instant('When its payment was taken; else when the purchase began.'),
      }),
      { description: 'The oldest first, at most 200.' },
    ),
    total: Integer({ description: 'All that are due.' }),
  },
  { title: 'RefundsDue' },
)
