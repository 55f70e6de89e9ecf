/** Problems of payments and refunds of every kind of purchase. */
import { defineProblems } from '../../core/problems.ts'

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
})
