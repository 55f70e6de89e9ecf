import type { Clock } from './clock.ts'
import type { Faults } from './faults/faults.ts'
import type { Grants } from './oidc/grants.ts'
import type { KeyRing } from './oidc/keys.ts'
import type { Tokens } from './oidc/tokens.ts'
import type { RequestLog } from './request-log.ts'
import type { UserDirectory } from './users/directory.ts'
import type { Webhooks } from './users/webhooks.ts'

/** The parts of one mock provider, as its routes receive them. */
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
