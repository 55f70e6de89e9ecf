/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { matchProblems } from './problems.ts'

export const thrownBy = {
  listMatches: [transportProblems.invalid_cursor],
  readMatch: [matchProblems.match_not_found],
  updateMatch: [matchProblems.match_not_found, matchProblems.stale_revision],
} as const
