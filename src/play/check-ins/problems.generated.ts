/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { matchProblems } from '../../club/matches/problems.ts'
import { checkInProblems } from './problems.ts'

export const thrownBy = {
  readCheckInCode: [matchProblems.match_not_found],
  checkIn: [checkInProblems.invalid_check_in_code, checkInProblems.check_in_closed],
} as const
