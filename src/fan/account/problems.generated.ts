/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { authProblems } from '../../identity/auth/problems.ts'

export const thrownBy = {
  deleteAccount: [authProblems.reauthentication_required],
} as const
