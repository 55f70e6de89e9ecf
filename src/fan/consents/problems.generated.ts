/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { userProblems } from '../../identity/users/problems.ts'
import { consentProblems } from './problems.ts'

export const thrownBy = {
  writeConsents: [
    transportProblems.guardian_consent_required,
    consentProblems.document_not_found,
    consentProblems.document_version_not_current,
  ],
  writeAgeBand: [userProblems.fan_not_found],
} as const
