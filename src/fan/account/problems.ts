/** Problems of exports. */
import { defineProblems } from '../../core/problems.ts'

export const exportProblems = defineProblems({
  export_not_found: {
    status: 404,
    title: 'There is no export',
    description:
      'You have not asked for an export, or it was deleted after a week. `POST /api/user/export` asks for one.',
  },
})
