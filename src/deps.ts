/** The dependencies of the application: the sum of what its rooms declare. A test supplies its own. */
import './event-readers.ts'
import type { Logger } from 'pino'
import type { Database, Replica } from '../db/index.ts'
import { createTokenValidityCache, type TokenValidityCache } from './auth/cached-token-validity.ts'
import { createNativeTokens, type NativeTokens } from './auth/native-token.ts'
import { createPublicReads, type PublicReads } from './cache/public-reads.ts'
import { createResponseCache, type ResponseCache } from './cache/response-cache.ts'
import { isTokenValidityTag } from './cache/tags.ts'
import { type CheckInCodes, createCheckInCodes } from './check-ins/code.ts'
import type { Config } from './config/config.ts'
import { deriveKey } from './core/derived-key.ts'
import { createEncryption, type Encryption } from './core/encryption.ts'
import { type Cursors, createCursors } from './core/pagination.ts'
import type { AppSources } from './core/sources.ts'
import { createGuardedFetch, type GuardedFetch } from './core/ssrf-guard.ts'
import type { Tracer } from './core/tracer.ts'
import type { RequestObserver } from './http/edge/server-hooks.ts'
import { createRateLimiter, type RateLimiter } from './http/rate-limits/rate-limiter.ts'
import type { Fetch } from './identity-provider/fetch-json.ts'
import {
  createIdentityProvider,
  type IdentityProvider,
  type ProviderObserver,
} from './identity-provider/provider.ts'
import type { ResilienceOptions } from './identity-provider/resilience-policy.ts'
import { createPayments, type Payments } from './packs/payments/create.ts'
import { createStreams, type Streams } from './stream/streams.ts'
import { createTickets, type Tickets } from './stream/tickets.ts'
import { createWebhookSecrets, type WebhookSecrets } from './webhooks/secrets.ts'

/** Called as things happen, for metrics. */
interface Observers {
  request?: RequestObserver
  providerCall?: ProviderObserver
}

export interface Deps extends AppSources {
  config: Config
  db: Database
  /** Requests of this process that run under an `Idempotency-Key`: fingerprints by scope. */
  runningKeys: Map<string, string>
  log: Logger
  identity: IdentityProvider
  nativeTokens: NativeTokens
  cursors: Cursors
  checkInCodes: CheckInCodes
  /** Encrypts session tokens for the database. The owner of a token is its subject. */
  tokenEncryption: Encryption
  /** Responses, invalidated by the units of work of this process. */
  cache: ResponseCache
  /** Invalidated only by what may end a token: unrelated writes would invalidate entries that share a slot with theirs. */
  tokenValidityCache: TokenValidityCache
  /** Reads of public responses. All other reads use `db`. */
  publicReads: PublicReads
  payments: Payments
  streams: Streams
  streamTickets: Tickets
  webhookSecrets: WebhookSecrets
  /** How endpoints of webhooks are called. */
  webhookFetch: GuardedFetch
  rateLimiter: RateLimiter
  /** Keys the hashes under which instances share rate limits. */
  rateLimitSecret: Buffer
  /** Set by `main.ts` when the process stops; responses and `/readyz` report it. */
  lifecycle: { stopping: boolean }
  observers: Observers
  /** Undefined: nothing is traced. */
  tracer: Tracer | undefined
}

/** What comes from outside the application: real in `main.ts`, a test's own in tests. */
export interface World {
  config: Config
  db: Database
  replica?: Replica | undefined
  log: Logger
  sources: AppSources
  /** How the provider is called. */
  fetch: Fetch
  resilience?: ResilienceOptions
  observers?: Observers
  tracer?: Tracer | undefined
}

export async function createDeps(world: World): Promise<Deps> {
  const { config, replica, log, sources, fetch, resilience, observers = {}, tracer } = world
  const db = tracer?.database(world.db) ?? world.db
  const tracedFetch = (target: string, untraced: Fetch) => tracer?.fetch(target, untraced) ?? untraced
  const identity = createIdentityProvider({
    ...{ ...config.identity, ...sources, fetch: tracedFetch('identity-provider', fetch), log, resilience },
    observe: observers.providerCall,
  })
  const nativeTokens = await createNativeTokens({ ...config.nativeTokens, now: sources.now })
  // The signing key is the one secret that all instances share: the other keys are derived from it.
  const secret = config.nativeTokens.key.d ?? ''
  const { externalCommits } = db
  const cache = createResponseCache({ ...sources, externalCommits, maxBytes: 8 * 1024 * 1024 })
  const tokenValidityCache = createTokenValidityCache(db)
  const cursors = createCursors(secret)
  const publicReads = createPublicReads({ ...sources, db, cache, replica, log })
  const streams = createStreams({ ...sources, config, db, log, publicReads, cursors })
  db.onInvalidate(tag => {
    if (!isTokenValidityTag(tag)) return cache.invalidate(tag)
    tokenValidityCache.invalidate(tag)
    streams.noteTokenChange()
  })
  return {
    ...sources,
    config,
    db,
    runningKeys: new Map(),
    log,
    identity: tracer?.verifier('verify session token', identity) ?? identity,
    nativeTokens: tracer?.verifier('verify native token', nativeTokens) ?? nativeTokens,
    cursors,
    checkInCodes: createCheckInCodes(secret),
    tokenEncryption: createEncryption(deriveKey(secret, 'deferred sync')),
    cache,
    tokenValidityCache,
    publicReads,
    rateLimiter: createRateLimiter({ ...config.limits, monotonic: sources.elapsed }),
    rateLimitSecret: deriveKey(secret, 'rate limits'),
    lifecycle: { stopping: false },
    observers,
    tracer,
    streams,
    streamTickets: createTickets({ ...sources, secret }),
    payments: await createPayments(config.payments, secret, {
      log,
      fetch: tracer?.fetch('stripe', request => globalThis.fetch(request)),
    }),
    webhookSecrets: createWebhookSecrets(config.nativeTokens),
    webhookFetch: tracedFetch('webhook', createGuardedFetch({ publicOnly: config.production })),
  }
}
