/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'

export const thrownBy = {
  changePreferences: [transportProblems.guardian_consent_required],
} as const
