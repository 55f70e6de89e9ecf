import { Closed, Id, Instant, Nullable } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { exampleMembers, rewardMembers } from './reward-members.ts'

/** Accepts any text, so that a mistyped code returns 404 instead of 422. */
export const CodeReference = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The code that the fan shows.',
  examples: ['7Q2M-X9KD-4T0B-HW5E'],
})

export const Redemption = Closed(
  {
    code: Type.String({ description: 'The code in its canonical form.', examples: ['7Q2M-X9KD-4T0B-HW5E'] }),
    reward: Closed(rewardMembers, {
      title: 'RedeemedReward',
      description: 'The reward. For a voucher: the product, with the `itemType` voucher.',
    }),
    order: Nullable(
      Closed({
        id: Id('The order.'),
        productId: Type.String({ description: 'The product.' }),
        variantId: Type.String({ description: 'The variant.' }),
      }),
      { description: 'For a voucher: the order in which it was bought. Null for a reward.' },
    ),
    fan: Closed(
      {
        id: Id('Id of the fan.'),
        displayName: Nullable(Type.String(), { description: 'The name that other fans see.' }),
      },
      { title: 'RedeemingFan' },
    ),
    redeemedAt: Instant('When the fan redeemed the reward, or paid the voucher.'),
    usedAt: Nullable(Instant('When the code was used. Null: not yet.')),
    usedBy: Nullable(Type.String(), {
      description:
        'The source of the server key that used it; `operator` for the command; `console` for the staff; `order:ID` for an order that it has paid a part of.',
    }),
  },
  { title: 'Redemption' },
)
export type Redemption = typeof Redemption.static

export const exampleRedemption = {
  code: '7Q2M-X9KD-4T0B-HW5E',
  reward: exampleMembers,
  order: null,
  fan: { id: '01981e2c-7c1f-7000-8000-000000000003', displayName: 'Ana Ruiz' },
  redeemedAt: '2026-08-16T12:00:00.000Z',
  usedAt: null,
  usedBy: null,
}
