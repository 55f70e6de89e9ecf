/** Problems of lockers. */
import { defineProblems } from '../../core/problems.ts'

export const lockerProblems = defineProblems({
  item_not_owned: {
    status: 422,
    title: 'An item is not yours',
    description:
      'A shelf has an item that the caller does not own. `errors` has a pointer to each. Read the collection again.',
  },
  locker_not_found: {
    status: 404,
    title: 'The fan shows no locker',
    description: 'The fan has no locker, or does not show it to the caller.',
  },
})
