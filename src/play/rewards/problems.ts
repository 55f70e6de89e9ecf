/** Problems of rewards and redemption codes, and limits that the shop and codes of campaigns have too. */

import { defineProblems } from '../../core/problems.ts'
import { Type } from '../../core/typebox.ts'

export const rewardProblems = defineProblems({
  reward_not_found: {
    status: 404,
    title: 'There is no such reward',
    description: 'No reward has this id. Read the list of rewards again.',
  },
  reward_inactive: {
    status: 409,
    title: 'The reward cannot be claimed now',
    description:
      'The reward is switched off, or the current time is outside `startsAt` and `endsAt`. Try again once the reward is active.',
  },
  already_claimed: {
    status: 409,
    title: 'You have claimed this already',
    description:
      'A fan can claim each reward, and each period of a quest, once. Read it again and show it as claimed.',
  },
  out_of_stock: {
    status: 409,
    title: 'Out of stock',
    description:
      'No item of the reward is left, or fewer units of a variant are free than the cart asks for: the others are sold, or held by unpaid orders. Read the list again; for a cart, show `available`, and offer this number.',
    members: Type.Object({
      productId: Type.Optional(Type.String({ description: 'In a cart: the product.' })),
      variantId: Type.Optional(Type.String({ description: 'In a cart: the variant.' })),
      available: Type.Optional(
        Type.Integer({ minimum: 0, description: 'In a cart: units that can be bought now.' }),
      ),
    }),
    example: { productId: 'home-scarf', variantId: 'short', available: 1 },
  },
  limit_reached: {
    status: 409,
    title: 'You have reached the limit for a fan',
    description:
      'The caller has redeemed `perFan` codes of the campaign. In a cart: a fan can buy `maxPerFan` units of this product, over all variants. Units that were bought and not returned count, and units in pending orders. A product without this limit has one for units in pending orders alone, which `detail` states. Show `available`.',
    members: Type.Object({
      productId: Type.Optional(Type.String({ description: 'In a cart: the product.' })),
      maxPerFan: Type.Optional(
        Type.Integer({ minimum: 1, description: 'In a cart: units that a fan can buy.' }),
      ),
      available: Type.Optional(
        Type.Integer({ minimum: 0, description: 'In a cart: units that the fan can still buy.' }),
      ),
    }),
    example: { productId: 'home-scarf', maxPerFan: 2, available: 1 },
  },
  not_claimed: {
    status: 409,
    title: 'Claim the reward first',
    description: 'The caller has not claimed this reward. Claim it, then redeem it.',
  },
  already_redeemed: {
    status: 409,
    title: 'You have redeemed this already',
    description:
      'A claimed reward can be redeemed once: read it again to get its redemption code. A fan can redeem the code of a campaign once.',
  },
  redemption_not_found: {
    status: 404,
    title: 'There is no such redemption code',
    description:
      'No redeemed reward and no voucher of a paid order has this code, or its fan was erased. Compare the code with the one that the fan shows.',
  },
  code_not_used: {
    status: 409,
    title: 'The redemption code is not used',
    description:
      'Only a use at a desk can be undone: the code was not used, its use was undone already, an order has taken its credit, or its own order was refunded.',
  },
  voucher_reserved: {
    status: 409,
    title: 'The voucher is in an order that is not paid yet',
    description:
      'A pending order uses the credit of this voucher. The voucher is available again when the order is cancelled or expires, after at most 30 minutes.',
  },
  already_used: {
    status: 409,
    title: 'It was used already',
    description:
      'A code can be used once. `usedAt` and `usedBy` state when, and by which source; do not hand the reward out again. Of a withdrawal: nothing of the line can be taken back, because packs are opened, vouchers used, files or collectibles handed over.',
    members: Type.Object({
      usedAt: Type.Optional(Type.String({ format: 'date-time', description: 'When the code was used.' })),
      usedBy: Type.Optional(Type.String({ description: 'The source that used it.' })),
    }),
    example: { usedAt: '2026-08-22T14:10:00.000Z', usedBy: 'north-desk' },
  },
})
