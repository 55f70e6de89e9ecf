/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { publicTextProblems } from './problems.ts'

export const thrownBy = {
  acceptTerms: [transportProblems.guardian_consent_required, publicTextProblems.terms_version_not_current],
} as const
