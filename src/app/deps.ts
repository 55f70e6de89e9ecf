/** The dependencies of the application: the sum of what its rooms declare. A test supplies its own. */
import type { Logger } from 'pino'
import type { Database, Replica } from '../../db/index.ts'
import { createEncoder } from '../club/pictures/encode.ts'
import { createPictureStore } from '../club/pictures/store.ts'
import { deriveKey } from '../core/derived-key.ts'
import { createEncryption } from '../core/encryption.ts'
import { createCursors } from '../core/pagination.ts'
import type { AppSources } from '../core/sources.ts'
import { createGuardedFetch } from '../core/ssrf-guard.ts'
import { createTaskLog } from '../core/task-log.ts'
import type { Tracer } from '../core/tracer.ts'
import { createSenders } from '../delivery/push/senders.ts'
import { createDeviceEncryption } from '../delivery/push/tokens.ts'
import { createStreams } from '../delivery/stream/streams.ts'
import { createTickets } from '../delivery/stream/tickets.ts'
import { createWebhookSecrets } from '../delivery/webhooks/secrets.ts'
import { createExportLinks } from '../fan/account/export-links.ts'
import { createExportEncryption } from '../fan/account/exports.ts'
import { createNativeTokens } from '../identity/auth/native-tokens.ts'
import { createTokenValidityCache } from '../identity/auth/token-validity-cache.ts'
import { fanEmailsOf } from '../identity/users/emails.ts'
import { kindOf } from '../operate/admin/jobs/kinds.ts'
import { PURCHASE_KINDS } from '../operate/admin/refunds/refund-purchase.ts'
import { createPublicReads } from '../platform/cache/public-reads.ts'
import { createResponseCache } from '../platform/cache/response-cache.ts'
import { isTokenValidityTag } from '../platform/cache/tags.ts'
import type { Config } from '../platform/config/config.ts'
import type { RequestObserver } from '../platform/http/edge/server-hooks.ts'
import { createRateLimiter } from '../platform/http/rate-limits/rate-limiter.ts'
import type { Fetch } from '../platform/identity-provider/fetch-json.ts'
import { createKeyStore } from '../platform/identity-provider/key-store.ts'
import { createIdentityProvider, type ProviderObserver } from '../platform/identity-provider/provider.ts'
import type { ResilienceOptions } from '../platform/identity-provider/resilience-policy.ts'
import { createJobs } from '../platform/jobs/jobs.ts'
import { createCheckInCodes } from '../play/check-ins/code.ts'
import { createPayments } from '../play/purchases/gateways/create.ts'
import { rewardCodes } from '../play/rewards/redemptions.ts'
import { createAddressEncryption } from '../play/shop/addresses.ts'
import { createDownloads } from '../play/shop/downloads.ts'
import { voucherCodes } from '../play/shop/vouchers.ts'
import { createChains } from '../play/wallets/chains.ts'

/** Observers for metrics. */
interface Observers {
  request?: RequestObserver
  /** As `request`, of the console. */
  consoleRequest?: RequestObserver
  providerCall?: ProviderObserver
}

export type Deps = Awaited<ReturnType<typeof createDeps>>

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

export async function createDeps(world: World) {
  const { config, replica, log, sources, fetch, resilience, observers = {}, tracer } = world
  const db = tracer?.database(world.db) ?? world.db
  const tracedFetch = (target: string, untraced: Fetch) => tracer?.fetch(target, untraced) ?? untraced
  // The signing key is the one secret that all instances share: the other keys are derived from it.
  const secret = config.nativeTokens.key.d ?? ''
  const identity = createIdentityProvider({
    ...config.identity,
    ...sources,
    fetch: tracedFetch('identity-provider', fetch),
    log,
    resilience,
    observe: observers.providerCall,
    keyStore: createKeyStore({
      db,
      log,
      identity: config.identity,
      secret: deriveKey(secret, 'keys of the identity provider'),
    }),
  })
  const nativeTokens = await createNativeTokens({ ...config.nativeTokens, now: sources.now })
  const { externalCommits } = db
  const cache = createResponseCache({ ...sources, externalCommits, maxBytes: 8 * 1024 * 1024 })
  const tokenValidityCache = createTokenValidityCache(db)
  const cursors = createCursors(secret)
  const publicReads = createPublicReads({ ...sources, db, cache, replica, log })
  const streams = createStreams({ ...sources, config, db, log, publicReads, cursors })
  const { settings, publicText } = db.read.spine
  Object.assign(settings, { environment: () => config.settings, elapsed: sources.elapsed })
  publicText.isApplied = true
  db.onInvalidate(tag => {
    if (!isTokenValidityTag(tag)) return cache.invalidate(tag)
    tokenValidityCache.invalidate(tag)
    streams.noteTokenChange()
  })
  const chains = createChains({
    rpcUrls: config.wallets.rpcUrls,
    log,
    elapsed: sources.elapsed,
    resilience,
    fetch: tracedFetch(
      'chain',
      createGuardedFetch({ publicOnly: config.production, allowPrivate: config.wallets.allowPrivate }),
    ),
  })
  db.read.spine.eligibility.chains = chains
  return {
    ...sources,
    config,
    db,
    /** Requests of this process that run under an `Idempotency-Key`: fingerprints by scope. */
    runningKeys: new Map<string, string>(),
    log,
    identity: tracer?.verifier('verify session token', identity) ?? identity,
    nativeTokens: tracer?.verifier('verify native token', nativeTokens) ?? nativeTokens,
    cursors,
    checkInCodes: createCheckInCodes(secret),
    /** Encrypts session tokens for the database. The owner of a token is its subject. */
    tokenEncryption: createEncryption(deriveKey(secret, 'deferred sync')),
    /** Responses, invalidated by the units of work of this process. */
    cache,
    /** Invalidated only by what may end a token: unrelated writes would invalidate entries that share a slot with theirs. */
    tokenValidityCache,
    /** Reads of public responses. All other reads use `db`. */
    publicReads,
    /** Encrypts the cookie that binds a sign-in of staff to their browser. */
    signInEncryption: createEncryption(deriveKey(secret, 'sign-ins to the console')),
    rateLimiter: createRateLimiter({ ...config.limits, monotonic: sources.elapsed }),
    /** Keys the hashes under which instances share rate limits. */
    rateLimitSecret: deriveKey(secret, 'rate limits'),
    /** Set by `main.ts` when the process stops; responses and `/readyz` report it. */
    lifecycle: { stopping: false },
    /** The repeated tasks of this process. */
    tasks: createTaskLog(sources),
    /** What staff run in the background. */
    jobs: createJobs({ db, log, elapsed: sources.elapsed, config, kindOf }),
    observers,
    /** Undefined: nothing is traced. */
    tracer,
    streams,
    streamTickets: createTickets({ ...sources, secret }),
    fanEmails: fanEmailsOf(config),
    pictureStore: config.uploads && createPictureStore(config.uploads, sources),
    encodePicture: createEncoder(),
    purchaseKinds: PURCHASE_KINDS,
    downloads: createDownloads(secret, config.downloads),
    codeSources: [rewardCodes, voucherCodes],
    addressEncryption: createAddressEncryption(config.nativeTokens),
    deviceEncryption: createDeviceEncryption(config.nativeTokens),
    exportEncryption: createExportEncryption(config.nativeTokens),
    exportLinks: createExportLinks(secret),
    payments: await createPayments(config, secret, {
      log,
      now: sources.now,
      trace: tracedFetch,
      fetch: tracer?.fetch('stripe', request => globalThis.fetch(request)),
    }),
    chains,
    pushSenders: createSenders({
      ...sources,
      push: config.push,
      fetch: tracedFetch('push', createGuardedFetch({ publicOnly: config.production })),
    }),
    webhookSecrets: createWebhookSecrets(config.nativeTokens),
    /** How endpoints of webhooks are called. */
    webhookFetch: tracedFetch('webhook', createGuardedFetch({ publicOnly: config.production })),
  }
}
