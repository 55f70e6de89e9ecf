/** The dependencies of the application: the sum of what its rooms declare. A test supplies its own. */
import type { Logger } from 'pino'
import type { Database } from '../db/index.ts'
import { createNativeTokens, type NativeTokens } from './auth/native-token.ts'
import { createResponseCache, type ResponseCache } from './cache/response-cache.ts'
import { isTokenValidityTag } from './cache/tags.ts'
import type { Config } from './config/config.ts'
import { deriveKey } from './core/derived-key.ts'
import { type Cursors, createCursors } from './core/pagination.ts'
import type { AppSources } from './core/sources.ts'
import { createRateLimiter, type RateLimiter } from './http/rate-limits/rate-limiter.ts'
import type { Fetch } from './identity-provider/fetch-json.ts'
import { createIdentityProvider, type IdentityProvider } from './identity-provider/provider.ts'
import type { ResilienceOptions } from './identity-provider/resilience-policy.ts'
import { createPayments, type Payments } from './packs/payments/create.ts'
import { createTokenEncryption, type TokenEncryption } from './users/token-encryption.ts'

export interface Deps extends AppSources {
  config: Config
  db: Database
  /** Requests of this process that run under an `Idempotency-Key`: fingerprints by scope. */
  runningKeys: Map<string, string>
  log: Logger
  identity: IdentityProvider
  nativeTokens: NativeTokens
  cursors: Cursors
  tokenEncryption: TokenEncryption
  /** Responses, invalidated by the units of work of this process. */
  cache: ResponseCache
  /**
   * Apart from `cache`: the reward lists of a few fans would evict the token validity of many, and unrelated writes would
   * invalidate entries that share a slot with theirs. Invalidated only by what may end a token.
   */
  tokenValidityCache: ResponseCache
  payments: Payments
  rateLimiter: RateLimiter
  /** Keys the hashes under which instances share rate limits. */
  rateLimitSecret: Buffer
  /** Set by `main.ts` when the process stops; responses and `/readyz` report it. */
  lifecycle: { stopping: boolean }
}

/** What comes from outside the application: real in `main.ts`, a test's own in tests. */
export interface World {
  config: Config
  db: Database
  log: Logger
  sources: AppSources
  /** How the provider is called. */
  fetch: Fetch
  resilience?: ResilienceOptions
}

export async function createDeps({ config, db, log, sources, fetch, resilience }: World): Promise<Deps> {
  // The signing key is the one secret that all instances share: the other keys are derived from it.
  const secret = config.nativeTokens.key.d ?? ''
  const { externalCommits } = db
  const cache = createResponseCache({ ...sources, externalCommits, maxBytes: 8 * 1024 * 1024 })
  // The names are tokens, which are long: large enough for every entry of the verified-token cache.
  const tokenValidityCache = createResponseCache({ ...sources, externalCommits, maxBytes: 32 * 1024 * 1024 })
  db.onInvalidate(tag => (isTokenValidityTag(tag) ? tokenValidityCache : cache).invalidate(tag))
  return {
    ...sources,
    config,
    db,
    runningKeys: new Map(),
    log,
    identity: createIdentityProvider({ ...config.identity, ...sources, fetch, log, resilience }),
    nativeTokens: await createNativeTokens({ ...config.nativeTokens, now: sources.now }),
    cursors: createCursors(secret),
    tokenEncryption: createTokenEncryption(secret),
    cache,
    tokenValidityCache,
    rateLimiter: createRateLimiter({ ...config.limits, monotonic: sources.elapsed }),
    rateLimitSecret: deriveKey(secret, 'rate limits'),
    lifecycle: { stopping: false },
    payments: await createPayments(config.payments, secret, log),
  }
}
