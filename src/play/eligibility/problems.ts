/** Problems of fans who do not meet a requirement. Those of points and of wallets are declared in their rooms. */
import { defineProblems } from '../../core/problems.ts'
import { Nullable } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

const ProductId = Type.Optional(Type.String({ description: 'Of a cart: the product.' }))

const Countries = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))

export const eligibilityProblems = defineProblems({
  not_sold_there: {
    status: 409,
    title: 'This is not offered in your country',
    description:
      'The entry is for fans of `countries`, or not for those of `notCountries`. `country` is that of the shipping address, or of the profile. If it is null, let the fan state it in the profile.',
    members: Type.Object({
      productId: ProductId,
      country: Nullable(Type.String(), { description: 'The country of the fan. Null: unknown.' }),
      countries: Countries('The only countries, if these are limited.'),
      notCountries: Countries('The excluded countries, if there are any.'),
    }),
    example: { country: null, countries: ['GB', 'PT'] },
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
