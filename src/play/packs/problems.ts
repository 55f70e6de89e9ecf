/** Problems of packs and their purchases. */
import { defineProblems } from '../../core/problems.ts'

export const packProblems = defineProblems({
  pack_not_found: {
    status: 404,
    title: 'There is no such pack',
    description: 'No pack has this id. Read the list of packs again.',
  },
  pack_inactive: {
    status: 409,
    title: 'The pack is not on sale now',
    description:
      'The pack is switched off, outside its sales period, or not ready for sale. Try again once the pack is active.',
  },
  sold_out: {
    status: 409,
    title: 'The pack is sold out',
    description:
      'Every pack is sold, or held by a pending purchase. A hold that expires makes a pack available again.',
  },
  too_many_holds: {
    status: 409,
    title: 'You have too many pending purchases of this pack',
    description:
      'The caller has reached the maximum number of pending purchases of this pack. Complete one of them, or wait until one expires.',
  },
  purchase_not_found: {
    status: 404,
    title: 'You have no such purchase',
    description: 'The caller has no purchase with this id. Check the id, or start a new purchase.',
  },
  purchase_expired: {
    status: 409,
    title: 'The purchase has expired; start another',
    description:
      'The purchase was not completed in time. Start a new one; a payment that arrives too late is refunded.',
  },
  purchase_not_pending: {
    status: 409,
    title: 'The purchase is not pending',
    description:
      'The purchase is completed, expired, cancelled or refunded; `detail` states which. Read the purchase again, or start a new one.',
  },
  payment_not_confirmed: {
    status: 402,
    title: 'The payment does not pay this purchase',
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
  user_pack_not_found: {
    status: 404,
    title: 'You have no such pack',
    description: 'The caller owns no pack with this id. Read the inventory of the caller again.',
  },
  proof_not_found: {
    status: 404,
    title: 'There is no opened pack with this id',
    description: 'No pack with this id has been opened. The proof of a draw exists once the pack is opened.',
  },
})
