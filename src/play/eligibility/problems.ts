/** Problems of fans who do not meet a requirement. Those of points and of wallets are declared in their rooms. */
import { defineProblems } from '../../core/problems.ts'
import { Nullable } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

const ProductId = Type.Optional(Type.String({ description: 'In a cart: the product.' }))

const Countries = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))

export const eligibilityProblems = defineProblems({
  not_sold_there: {
    status: 409,
    title: 'This is not offered in your country',
    description:
      'The entry is only for fans in `countries`, or for all fans except those in `notCountries`. `country` is that of the shipping address, or of the profile. If it is null, let the fan state it in the profile.',
    members: Type.Object({
      productId: ProductId,
      country: Nullable(Type.String(), { description: 'The country of the fan. Null: unknown.' }),
      countries: Countries('The only countries, if these are limited.'),
      notCountries: Countries('The excluded countries, if there are any.'),
    }),
    example: { country: null, countries: ['GB', 'PT'] },
  },
  membership_required: {
    status: 409,
    title: 'This is for members',
    description:
      'Only fans with an active membership of one of the kinds in `membership` can claim or buy this. Show where to get one.',
    members: Type.Object({
      productId: ProductId,
      membership: Type.Array(Type.String(), { description: 'Kinds of membership. One of them is enough.' }),
    }),
    example: { membership: ['season-ticket'] },
  },
  age_required: {
    status: 409,
    title: 'This is for older fans',
    description:
      'Only fans who are at least `minAge` can claim, buy or redeem this. `ageBand` is what the club knows of the fan; if it is null, nobody has checked the age.',
    members: Type.Object({
      productId: ProductId,
      minAge: Type.Integer({ description: 'The age that is required.' }),
      ageBand: Nullable(Type.String(), { description: 'The age band of the fan. Null: unknown.' }),
    }),
    example: { productId: 'home-scarf', minAge: 18, ageBand: '16_17' },
  },
  tier_required: {
    status: 409,
    title: 'This is for fans with a tier',
    description:
      'Only fans with the tier `tier.atLeast` of the account, or a higher one, can claim or buy this. `GET /api/user/accounts` says what is missing.',
    members: Type.Object({
      productId: ProductId,
      tier: Type.Object(
        {
          account: Type.String({ description: 'The account.' }),
          atLeast: Type.String({ description: 'The lowest tier.' }),
        },
        { description: 'The tier that the fan must have.' },
      ),
    }),
    example: { tier: { account: 'status', atLeast: 'silver' } },
  },
  not_in_segment: {
    status: 409,
    title: 'This is not for you',
    description: 'The entry is only for fans that the club has chosen, and the caller is not one of them.',
    members: Type.Object({ productId: ProductId }),
    example: { productId: 'home-scarf' },
  },
  collectible_required: {
    status: 409,
    title: 'This is for owners of a collectible',
    description:
      'Only fans who own a copy of `collectibleId` can claim or buy this. Show which one, and where to get it.',
    members: Type.Object({
      productId: ProductId,
      collectibleId: Type.String({ description: 'The collectible that the fan must own.' }),
    }),
    example: { productId: 'derby-print', collectibleId: 'winning-goal' },
  },
})
