/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { teamProblems } from '../../club/teams/problems.ts'
import { pointsProblems } from '../../economy/points/problems.ts'
import { publicTextProblems } from '../../identity/public-text/problems.ts'
import { profileProblems } from '../profile/problems.ts'

export const thrownBy = {
  completeOnboarding: [
    publicTextProblems.terms_not_accepted,
    publicTextProblems.text_not_allowed,
    profileProblems.handle_taken,
    teamProblems.team_not_found,
    pointsProblems.points_limit_reached,
  ],
} as const
