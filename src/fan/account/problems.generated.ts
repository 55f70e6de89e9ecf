/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { authProblems } from '../../identity/auth/problems.ts'
import { exportProblems } from './problems.ts'

export const thrownBy = {
  deleteAccount: [authProblems.reauthentication_required],
  readExport: [exportProblems.export_not_found],
} as const
