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
} from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { CASH_REASONS } from '../../economy/cash/reasons.ts'
import { PaymentReference } from '../purchases/gateways/gateway.ts'

/** Minor units. */
const MAX_TOP_UP = 1_000_000

const Currency = Type.String({
  pattern: '^[A-Z]{3}$',
  description: 'ISO 4217.',
  errorNoun: 'three capital letters',
  examples: ['EUR'],
})

export const StartTopUp = Closed(
  {
    amount: Integer({ minimum: 1, maximum: MAX_TOP_UP, description: 'Minor units.' }),
    currency: Currency,
  },
  { title: 'StartTopUp' },
)

export const TopUpReference = Closed(
  { topUpId: IdReference('The `id` of the top-up.') },
  { title: 'TopUpReference' },
)

export const CompleteTopUp = Closed(
  { topUpId: IdReference('The `id` of the top-up.'), paymentReference: PaymentReference },
  { title: 'CompleteTopUp' },
)
export type CompleteTopUp = typeof CompleteTopUp.static

export const TopUpParams = Closed({ topUpId: IdReference('The `id` of the top-up.') })

export const TopUp = Closed(
  {
    id: Id('Id of the top-up.'),
    status: OneOf(['pending', 'completed', 'expired', 'refund_due', 'refunded'], {
      description: '`completed`: the cash is credited. `expired`: a payment is still credited.',
    }),
    amount: Integer({ minimum: 1, description: 'Minor units.' }),
    currency: Currency,
    createdAt: Instant('When it was started.'),
    expiresAt: Instant('When the time to pay ends.'),
    completedAt: Nullable(Instant('When it was paid.')),
  },
  { title: 'TopUp' },
)

export const TopUps = Closed(
  { topUps: Type.Array(TopUp, { description: 'Newest first.' }), nextCursor: NextCursor },
  { title: 'TopUps' },
)

export const CashParams = Closed({ currency: Currency })
export const CashQuery = Closed(PageQuery)

const CashEntry = Closed(
  {
    id: Id('Id of the entry.'),
    currency: Currency,
    seq: Integer({ description: 'Position in the fan’s ledger of the currency, from 1.', minimum: 1 }),
    delta: Integer({
      description: 'Minor units; negative for cash that is spent.',
      minimum: Number.MIN_SAFE_INTEGER,
    }),
    balanceAfter: Integer({ description: 'Balance after this entry, including held cash.', minimum: 0 }),
    reason: OneOf(CASH_REASONS, {
      description:
        '`top_up`: paid in by the fan. `promotion`: given by the club. `payment`: of a purchase. `refund`: of a purchase. `top_up_refund`: paid out to where it came from. `promotion_ended`: not spent in time.',
    }),
    ref: Type.String({ description: 'The purchase, the top-up or the promotion.' }),
    createdAt: Instant('When the entry was booked.'),
    hash: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'SHA-256 over the entry and the hash before it.',
    }),
  },
  { title: 'CashEntry' },
)

export const CashEntries = Closed(
  { entries: Type.Array(CashEntry, { description: 'Newest first.' }), nextCursor: NextCursor },
  { title: 'CashEntries' },
)

export const exampleTopUp = {
  id: '01981e2c-7c1f-7000-8000-000000000021',
  status: 'pending' as const,
  amount: 2000,
  currency: 'EUR',
  createdAt: '2026-08-15T18:30:00.000Z',
  expiresAt: '2026-08-15T19:00:00.000Z',
  completedAt: null,
}

export const exampleCredited = {
  ...exampleTopUp,
  status: 'completed' as const,
  completedAt: '2026-08-15T18:31:00.000Z',
}

export const exampleEntry = {
  id: '01981e2c-7c1f-7000-8000-000000000022',
  currency: 'EUR',
  seq: 1,
  delta: 2000,
  balanceAfter: 2000,
  reason: 'top_up' as const,
  ref: exampleTopUp.id,
  createdAt: '2026-08-15T18:31:00.000Z',
  hash: '9f2c1d5ab0c0f0f5b8d1d3a5e7c9b1a3d5f7e9c1b3a5d7f9e1c3b5a7d9f1e3c5',
}
