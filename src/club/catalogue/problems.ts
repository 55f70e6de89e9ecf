/** Problems of imports of the catalogue. */
import { defineProblems } from '../../core/problems.ts'

export const catalogueProblems = defineProblems({
  catalogue_conflict: {
    status: 409,
    title: 'The catalogue entry cannot be changed like this',
    description:
      'The change contradicts what fans already own or hold; `errors` lists each contradiction. Correct the entry and import it again.',
  },
})
