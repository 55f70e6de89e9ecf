/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { publicTextProblems } from './problems.ts'

export const thrownBy = {
  acceptTerms: [publicTextProblems.terms_version_not_current],
} as const
