/** Problems of teams. */
import { defineProblems } from '../../core/problems.ts'

export const teamProblems = defineProblems({
  team_not_found: {
    status: 422,
    title: 'There is no such team',
    description: 'No team has the id in `favoriteTeamId`. Choose one from `GET /api/teams`.',
  },
})
