import { Closed, Id, Instant, Nullable } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { exampleReward, rewardMembers } from './schema.ts'

/** Of any form, so that a mistyped code is 404 rather than 422. */
export const CodeReference = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The code that the fan shows.',
  examples: ['7Q2M-X9KD-4T0B-HW5E'],
})

export const Redemption = Closed(
  {
    code: Type.String({ description: 'The code in its canonical form.', examples: ['7Q2M-X9KD-4T0B-HW5E'] }),
    reward: Closed(rewardMembers, { title: 'RedeemedReward' }),
    fan: Closed(
      {
        id: Id('Id of the fan.'),
        displayName: Nullable(Type.String(), { description: 'The name that other fans see.' }),
      },
      { title: 'RedeemingFan' },
    ),
    redeemedAt: Instant('When the fan redeemed the reward.'),
    usedAt: Nullable(Instant('When the code was used. Null: not yet.')),
    usedBy: Nullable(Type.String(), {
      description: 'The source of the server key that used it; `operator` for the command.',
    }),
  },
  { title: 'Redemption' },
)
export type Redemption = typeof Redemption.static

const { id, title, description, imageUrl, itemType } = exampleReward

export const exampleRedemption = {
  code: '7Q2M-X9KD-4T0B-HW5E',
  reward: { id, title, description, imageUrl, itemType },
  fan: { id: '01981e2c-7c1f-7000-8000-000000000003', displayName: 'Ana Ruiz' },
  redeemedAt: '2026-08-16T12:00:00.000Z',
  usedAt: null,
  usedBy: null,
}
