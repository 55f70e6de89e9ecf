/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { matchProblems } from '../../../club/matches/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'

export const thrownBy = {
  reportMatch: [matchProblems.match_not_over, matchProblems.match_not_found, matchProblems.stale_revision],
  resetMatchRevision: [matchProblems.match_not_found],
  listConsoleMatches: [transportProblems.invalid_cursor],
  readConsoleMatch: [matchProblems.match_not_found],
  readMatchPulse: [matchProblems.match_not_found],
  forecastMatch: [matchProblems.match_not_found],
  readGateCode: [matchProblems.match_not_found],
} as const
