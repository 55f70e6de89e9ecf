/** Problems of the shop. */
import { defineProblems } from '../../core/problems.ts'

export const shopProblems = defineProblems({
  product_not_found: {
    status: 404,
    title: 'There is no such product',
    description: 'No product has this id. Read the list of products again.',
  },
})
