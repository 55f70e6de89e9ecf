/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { sanctionProblems } from '../../identity/sanctions/problems.ts'
import { userProblems } from '../../identity/users/problems.ts'
import { leagueProblems } from '../../play/leagues/problems.ts'
import { lockerProblems } from '../../play/lockers/problems.ts'
import { tradeProblems } from '../../play/trades/problems.ts'
import { moderationProblems } from './problems.ts'

export const thrownBy = {
  fileReport: [
    userProblems.fan_not_found,
    lockerProblems.locker_not_found,
    tradeProblems.trade_not_found,
    leagueProblems.league_not_found,
    moderationProblems.cannot_report_yourself,
  ],
  listReports: [transportProblems.invalid_cursor],
  fileAppeal: [
    sanctionProblems.sanction_not_found,
    sanctionProblems.sanction_not_in_force,
    sanctionProblems.already_appealed,
  ],
} as const
