/** Problems of fans who do not meet a requirement. Those of points and of wallets are declared in their rooms. */
import { defineProblems } from '../../core/problems.ts'
import { Type } from '../../core/typebox.ts'

const ProductId = Type.Optional(Type.String({ description: 'Of a cart: the product.' }))

export const eligibilityProblems = defineProblems({
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
