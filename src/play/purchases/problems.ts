/** Problems of payments and refunds of every kind of purchase. */
import { defineProblems } from '../../core/problems.ts'
import { Instant, Integer } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

export const purchaseProblems = defineProblems({
  purchase_not_found: {
    status: 404,
    title: 'You have no such purchase',
    description: 'The caller has no purchase with this id. Check the id, or start a new purchase.',
  },
  payment_not_confirmed: {
    status: 402,
    title: 'The payment does not cover this purchase',
    description:
      'The payment gateway does not confirm a payment of this price for this purchase. Let the user pay, then send the request again with that payment.',
  },
  payment_gateway_unavailable: {
    status: 503,
    title: 'The payment gateway is not available; try again shortly',
    description:
      'The payment gateway does not respond. Send the same request again after `Retry-After`; do not let the user pay again.',
  },
  no_payment_needed: {
    status: 409,
    title: 'This purchase needs no payment',
    description:
      'The purchase is priced in points, free, or already paid. Complete it, or show it, without a payment.',
  },
  not_refundable: {
    status: 409,
    title: 'The purchase cannot be refunded',
    description:
      'The purchase is not completed, is already refunded, or its payment cannot be refunded; `detail` states why. Do not retry.',
  },
  paused: {
    status: 409,
    title: 'You have paused your purchases',
    description:
      'The fan has set a pause in `/api/user/limits`: no purchase, order or top-up can be started before `until`. Show it; do not offer a way around it.',
    members: Type.Object({ until: Instant('The end of the pause.') }),
    example: { until: '2027-01-01T00:00:00.000Z' },
  },
  spending_limit_reached: {
    status: 409,
    title: 'You have reached the limit of your own spending',
    description:
      'The purchase would exceed the limit that the fan has set in `/api/user/limits`. Show what is `available` until `until`, when the next period begins.',
    members: Type.Object({
      amount: Integer({ minimum: 0, description: 'The limit.' }),
      currency: Type.String({ description: 'ISO 4217, or POINTS.' }),
      per: Type.String({ description: '`day`, `week` or `month`.' }),
      available: Integer({ minimum: 0, description: 'What can still be spent in this period.' }),
      until: Instant('The end of the period.'),
    }),
    example: {
      amount: 5000,
      currency: 'EUR',
      per: 'month',
      available: 250,
      until: '2026-11-30T23:00:00.000Z',
    },
  },
})
