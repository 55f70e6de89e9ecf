/** Problems of references to fans. */
import { defineProblems } from '../../core/problems.ts'

export const userProblems = defineProblems({
  fan_not_found: {
    status: 404,
    title: 'There is no such fan',
    description:
      'No fan has this `userId`, the fan was erased, `email` is not the verified address of one fan, or `provider` is not the identity provider of this API. Correct the request.',
  },
})
