/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { publicTextProblems } from '../../identity/public-text/problems.ts'
import { userProblems } from '../../identity/users/problems.ts'
import { codeProblems } from '../codes/problems.ts'
import { leagueProblems } from './problems.ts'

export const thrownBy = {
  createLeague: [
    publicTextProblems.terms_not_accepted,
    publicTextProblems.text_not_allowed,
    leagueProblems.too_many_leagues,
  ],
  joinLeague: [
    codeProblems.code_not_found,
    leagueProblems.already_member,
    leagueProblems.banned,
    leagueProblems.league_locked,
    leagueProblems.too_many_leagues,
    leagueProblems.league_full,
  ],
  readLeague: [transportProblems.invalid_cursor, leagueProblems.league_not_found],
  readLeagueRounds: [transportProblems.invalid_cursor, leagueProblems.league_not_found],
  changeLeague: [
    leagueProblems.league_not_found,
    leagueProblems.not_owner,
    leagueProblems.name_held,
    publicTextProblems.terms_not_accepted,
    publicTextProblems.text_not_allowed,
    userProblems.fan_not_found,
    leagueProblems.too_many_leagues,
  ],
  removeLeagueMember: [
    transportProblems.guardian_consent_required,
    leagueProblems.league_not_found,
    leagueProblems.not_owner,
    userProblems.fan_not_found,
  ],
  banFromLeague: [
    leagueProblems.cannot_ban_yourself,
    leagueProblems.league_not_found,
    leagueProblems.not_owner,
    userProblems.fan_not_found,
  ],
  endLeagueBan: [
    leagueProblems.cannot_ban_yourself,
    leagueProblems.league_not_found,
    leagueProblems.not_owner,
    userProblems.fan_not_found,
  ],
} as const
