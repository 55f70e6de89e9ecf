/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../../core/transport-problems.ts'
import { leagueProblems } from '../../../play/leagues/problems.ts'

export const thrownBy = {
  findLeagues: [transportProblems.invalid_cursor],
  readLeagueOfFans: [leagueProblems.league_not_found],
  listLeagueMembers: [transportProblems.invalid_cursor],
  renameLeague: [leagueProblems.league_not_found],
} as const
