import { Closed, Integer, Nullable } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'

export const RedeemCode = Closed(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'The code as the fan types it. Case, spaces and dashes, O and 0, I, L and 1 make no difference.',
      examples: ['7Q2M-X9KD-4T0B'],
    }),
  },
  { title: 'RedeemCode' },
)
export type RedeemCode = Static<typeof RedeemCode>

const gaveMembers = {
  points: Nullable(Integer({ minimum: 1 }), { description: 'Points. Null: none.' }),
  account: Nullable(Type.String(), {
    description: 'The account in which the points are kept. Null: the points that fans spend.',
  }),
  rewardId: Nullable(Type.String(), { description: 'The reward that was claimed for the fan.' }),
  packId: Nullable(Type.String(), { description: 'The pack that the fan got, sealed.' }),
  collectibleId: Nullable(Type.String(), { description: 'The collectible of which the fan got a copy.' }),
}

export const RedeemedCode = Closed(
  {
    campaignId: Type.String({ description: 'The campaign of the code.' }),
    gave: Closed(gaveMembers, { title: 'CodeGave', description: 'What the fan got.' }),
  },
  { title: 'RedeemedCode' },
)

export const exampleRedeemed = {
  campaignId: 'scarf-summer',
  gave: { points: 50, account: null, rewardId: null, packId: null, collectibleId: null },
}
