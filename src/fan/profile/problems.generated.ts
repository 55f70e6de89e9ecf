/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { teamProblems } from '../../club/teams/problems.ts'
import { authProblems } from '../../identity/auth/problems.ts'
import { publicTextProblems } from '../../identity/public-text/problems.ts'
import { providerProblems } from '../../platform/identity-provider/problems.ts'
import { profileProblems } from './problems.ts'

export const thrownBy = {
  readProfile: [profileProblems.profile_not_found],
  writeProfile: [
    publicTextProblems.terms_not_accepted,
    publicTextProblems.text_not_allowed,
    profileProblems.handle_taken,
    teamProblems.team_not_found,
  ],
  updateProfile: [
    profileProblems.profile_not_found,
    publicTextProblems.terms_not_accepted,
    publicTextProblems.text_not_allowed,
    profileProblems.handle_taken,
    teamProblems.team_not_found,
  ],
  sync: [
    authProblems.session_required,
    providerProblems.identity_provider_unavailable,
    providerProblems.identity_provider_invalid,
    providerProblems.identity_provider_refused,
  ],
} as const
