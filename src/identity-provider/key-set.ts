/**
 * The provider's signing keys. The last good set outlives the provider's failures for a bounded time, and whatever
 * tokens ask for, the provider is asked at most once a cooldown.
 */
import { createPublicKey, type webcrypto } from 'node:crypto'
import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWK,
  type JWSHeaderParameters,
  type JWTVerifyGetKey,
} from 'jose'
import { ProviderError } from './fetch-json.ts'

/** A retired key is refused after this at the latest, while the provider answers. Milliseconds. */
export const KEYS_FRESH_MS = 5 * 60_000
/** Between two fetches that failed, and between two that unknown kids asked for. */
export const FETCH_COOLDOWN_MS = 10_000
/** While no usable set is held, a failed fetch is tried again sooner. */
export const EMPTY_COOLDOWN_MS = 1_000
const MAX_KEYS = 100

export interface KeySetOptions {
  /** Resolves to a JWKS document (RFC 7517). */
  load: () => Promise<Record<string, unknown>>
  /** Milliseconds of a clock that never goes back: set back, it would keep old keys fresh and new ones unknown. */
  elapsed: () => number
  /** How long a set is used while the provider does not answer. Milliseconds. */
  usableMs: number
  /** A set with other keys has taken the place of the one before. */
  onChange: () => void
  /** Told of each failed refresh; the set in use stays. */
  onFailure: (error: ProviderError) => void
}

export interface KeySet {
  /**
   * For jose: the key that a token's header names. Throws `ProviderError` `unavailable` while no usable set is held, and
   * for a key that the held set lacks while the provider cannot be asked for a newer one.
   */
  readonly find: JWTVerifyGetKey
  /** Fetches when the set is no longer fresh and no cooldown forbids it. Never throws. */
  refresh(): Promise<void>
  /** Whether the set was confirmed within `KEYS_FRESH_MS`. */
  isFresh(): boolean
  /** Null when a usable set is held, else why not. */
  problem(): string | null
}

export function createKeySet({ load, elapsed, usableMs, onChange, onFailure }: KeySetOptions): KeySet {
  let held: { keys: ReturnType<typeof createLocalJWKSet>; text: string; at: number } | undefined
  let lastFetch = Number.NEGATIVE_INFINITY
  let lastUnknownKid = Number.NEGATIVE_INFINITY
  let lastFailure: ProviderError | undefined
  /** The provider's own Retry-After. */
  let pausedUntil = Number.NEGATIVE_INFINITY
  let fetching: Promise<void> | undefined

  const age = () => (held ? elapsed() - held.at : Number.POSITIVE_INFINITY)
  const usable = () => age() < usableMs

  /** All that need a fetch at the same time share one. */
  function fetchOnce(): Promise<void> {
    const cooldown = usable() ? FETCH_COOLDOWN_MS : EMPTY_COOLDOWN_MS
    if (!fetching && msToWait(cooldown) > 0) return Promise.resolve()
    return fetchShared()
  }

  const msToWait = (cooldown: number) => Math.max(lastFetch + cooldown, pausedUntil) - elapsed()

  function fetchShared(): Promise<void> {
    fetching ??= fetchNow().finally(() => {
      fetching = undefined
    })
    return fetching
  }

  /** An allowance of its own: a fetch on schedule must not keep a key unknown that the provider has just made. */
  function fetchForUnknownKid(): Promise<void> {
    const at = elapsed()
    const failedLately = lastFailure !== undefined && msToWait(FETCH_COOLDOWN_MS) > 0
    if (!fetching && (failedLately || at - lastUnknownKid < FETCH_COOLDOWN_MS)) return Promise.resolve()
    lastUnknownKid = at
    return fetchShared()
  }

  async function fetchNow() {
    lastFetch = elapsed()
    try {
      const before = held?.text
      held = { ...readKeySet(await load()), at: elapsed() }
      if (before !== undefined && before !== held.text) onChange()
      lastFailure = undefined
    } catch (error) {
      lastFailure =
        error instanceof ProviderError ? error : new ProviderError('its keys cannot be read', 'invalid')
      pausedUntil = elapsed() + (lastFailure.retryAfter ?? 0) * 1000
      onFailure(lastFailure)
    }
  }

  /** Nobody can say whether a token is good. */
  function unavailable(cooldown: number): ProviderError {
    const seconds = Math.max(1, Math.ceil(msToWait(cooldown) / 1000))
    return new ProviderError(problem(), 'unavailable', seconds)
  }

  const problem = () => lastFailure?.message ?? 'its keys are not known yet'

  function keys() {
    if (held && usable()) return held.keys
    throw unavailable(EMPTY_COOLDOWN_MS)
  }

  return {
    async find(header, token) {
      if (age() >= KEYS_FRESH_MS) {
        const failing = usable() && lastFailure && elapsed() - lastFetch < KEYS_FRESH_MS
        const fetched = fetchOnce()
        // Of an outage that we know of, one request paid with a wait: the others need not, since the held set counts.
        if (!failing) await fetched
      }
      try {
        return await keys()(header as JWSHeaderParameters, token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        // Perhaps a new key: the provider may have rotated since we asked.
        await fetchForUnknownKid()
      }
      try {
        return await keys()(header as JWSHeaderParameters, token)
      } catch (error) {
        // Only a provider that answers can say that it has no such key.
        if (error instanceof errors.JWKSNoMatchingKey && lastFailure) throw unavailable(FETCH_COOLDOWN_MS)
        throw error
      }
    },
    refresh: () => (age() >= KEYS_FRESH_MS / 2 ? fetchOnce() : Promise.resolve()),
    isFresh: () => age() < KEYS_FRESH_MS,
    problem: () => (usable() ? null : problem()),
  }
}

/** Keeps public signing keys only. An empty set is a fault of the provider, never a reason to refuse everybody. */
function readKeySet(document: Record<string, unknown>) {
  const list = Array.isArray(document.keys) ? document.keys : []
  if (list.length > MAX_KEYS) throw new ProviderError('its key set is too long', 'invalid')
  const keys = list.filter(
    key =>
      ['RSA', 'EC', 'OKP'].includes(key?.kty) && (key.use ?? 'sig') === 'sig' && !key.d && isPublicKey(key),
  )
  if (keys.length === 0) throw new ProviderError('its key set holds no signing key', 'invalid')
  return { keys: createLocalJWKSet({ keys } as JSONWebKeySet), text: JSON.stringify(keys) }
}

/** A damaged key would refuse good tokens: it must not push out the one that it stands for. */
function isPublicKey(key: JWK): boolean {
  try {
    createPublicKey({ key: key as webcrypto.JsonWebKey, format: 'jwk' })
    return true
  } catch {
    return false
  }
}
