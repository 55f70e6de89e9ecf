/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { consoleProblems } from '../../../identity/staff/problems.ts'
import { providerProblems } from '../../../platform/identity-provider/problems.ts'

export const thrownBy = {
  endProviderSessions: [
    consoleProblems.logout_token_not_valid,
    providerProblems.identity_provider_unavailable,
  ],
} as const
