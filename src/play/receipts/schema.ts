import { Closed, IdReference, Instant, Integer, Nullable, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { Address } from '../shop/addresses.ts'

const SERIES = ['money', 'points'] as const

const amounts = {
  net: Integer({ minimum: 0, description: 'Without tax, in minor units or points.' }),
  tax: Integer({ minimum: 0, description: 'The tax in `gross`, half up.' }),
  gross: Integer({ minimum: 0, description: 'What was paid, or is returned.' }),
}

const ReceiptLine = Closed(
  {
    number: Integer({ minimum: 1, description: 'Of the line of the order.' }),
    name: Type.String({ description: 'What was bought, at the time of the payment.' }),
    variant: Nullable(Type.String(), { description: 'Of the product. Null for packs.' }),
    quantity: Integer({ minimum: 0, description: 'Units.' }),
    taxRate: Nullable(Type.Number({ minimum: 0, maximum: 1 }), {
      description: 'The tax that the price includes, as a fraction. Null: none is stated.',
    }),
    ...amounts,
  },
  { title: 'ReceiptLine' },
)

const members = {
  series: OneOf(SERIES, { description: 'Each has its own numbers. `points`: of orders in `POINTS`.' }),
  number: Integer({ minimum: 1, description: '1, 2, 3 … in the series, without a gap.' }),
  issuedAt: Instant('When it was paid or refunded.'),
  lines: Type.Array(ReceiptLine, { description: 'Their amounts add up to those of the whole.' }),
  ...amounts,
}

const CreditNote = Closed(members, { title: 'CreditNote' })

export const Receipt = Closed(
  {
    orderId: Type.String({ description: 'The order, or the purchase of a pack.' }),
    ...members,
    currency: Type.String({ description: '`POINTS`, or ISO 4217.' }),
    country: Nullable(Type.String(), { description: 'Whose tax it has, ISO 3166-1 alpha-2 or XK.' }),
    seller: Closed(
      {
        name: Nullable(Type.String(), { description: 'The company that sells.' }),
        address: Nullable(Type.String(), { description: 'Its address.' }),
        taxId: Nullable(Type.String(), { description: 'Its tax number.' }),
      },
      { description: 'As the settings of the club were when it was issued.' },
    ),
    buyer: Nullable(Address, { description: 'The address of the order, while it is kept.' }),
    creditNotes: Type.Array(CreditNote, { description: 'Of its refunds, oldest first.' }),
  },
  { title: 'Receipt' },
)
export type Receipt = typeof Receipt.static

export const ReceiptParams = Closed({ orderId: IdReference('The order, or the purchase of a pack.') })

const line = {
  number: 1,
  name: 'Home scarf',
  variant: '140 cm',
  quantity: 1,
  taxRate: 0.23,
  net: 1_545,
  tax: 355,
  gross: 1_900,
}

export const exampleReceipt: Receipt = {
  orderId: '01981e2c-7c1f-7000-8000-000000000012',
  series: 'money',
  number: 1_042,
  issuedAt: '2026-08-15T18:32:00.000Z',
  lines: [line],
  net: 1_545,
  tax: 355,
  gross: 1_900,
  currency: 'EUR',
  country: 'PT',
  seller: { name: 'Harbour Athletic', address: 'Rua do Cais 1, Porto', taxId: 'PT501234567' },
  buyer: null,
  creditNotes: [],
}
