import type { Clock } from './clock.ts'
import type { UserDirectory } from './directory.ts'
import type { Faults } from './faults.ts'
import type { Grants } from './grants.ts'
import type { KeyRing } from './keys.ts'
import type { RequestLog } from './requests.ts'
import type { Tokens } from './tokens.ts'
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
