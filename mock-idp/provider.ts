import type { Clock } from './clock.ts'
import type { UserDirectory } from './directory.ts'
import type { Faults } from './faults/faults.ts'
import type { Grants } from './oidc/grants.ts'
import type { KeyRing } from './oidc/keys.ts'
import type { Tokens } from './oidc/tokens.ts'
import type { RequestLog } from './requests.ts'
import type { Webhooks } from './webhooks.ts'

/** The parts of one mock provider, as its routes are handed them. */
export interface Provider {
  issuer: string
  audience: string
  clock: Clock
  keys: KeyRing
  tokens: Tokens
  users: UserDirectory
  grants: Grants
  faults: Faults
  webhooks: Webhooks
  requests: RequestLog
}
