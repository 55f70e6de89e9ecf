/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { authProblems } from './problems.ts'

export const thrownBy = {
  refreshNativeToken: [authProblems.invalid_refresh_token],
  createNativeToken: [authProblems.session_required],
  listSessions: [transportProblems.invalid_cursor],
  endSession: [authProblems.session_not_found],
} as const
