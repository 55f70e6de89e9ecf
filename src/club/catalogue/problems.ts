/** Problems of changes of the catalogue. */
import { defineProblems } from '../../core/problems.ts'

export const catalogueProblems = defineProblems({
  catalogue_conflict: {
    status: 409,
    title: 'The catalogue entry cannot be changed like this',
    description:
      'The change contradicts what fans already own or hold; `errors` lists each contradiction. Correct the entry and import it again.',
  },
  revision_conflict: {
    status: 409,
    title: 'The catalogue entry was changed in the meantime',
    description:
      'The change is based on an older revision. Read the entry again, and apply the change to it.',
  },
  revision_not_found: {
    status: 404,
    title: 'Unknown revision',
    description: 'The history of the catalogue entry has no such revision.',
  },
  entry_not_found: {
    status: 404,
    title: 'Unknown catalogue entry',
    description: 'The catalogue has no entry of this kind with this id.',
  },
})
