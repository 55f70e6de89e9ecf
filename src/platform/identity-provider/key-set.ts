/**
 * The provider's signing keys. During an outage of the provider the last valid set stays in use for a limited time, also across
 * a restart, by the store.
 * Unknown key ids cause at most one request to the provider per cooldown.
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
import { attempt } from '../../core/attempt.ts'
import { ProviderError } from './fetch-json.ts'

/** A retired key is refused after at most this time, unless the provider is down. Milliseconds. */
export const KEYS_FRESH_MS = 5 * 60_000
/** Minimum time between fetches after a failure, and between fetches for unknown key ids. */
export const FETCH_COOLDOWN_MS = 10_000
/** The same after a failure while there is no usable key set. */
export const EMPTY_COOLDOWN_MS = 1_000
const MAX_KEYS = 100
/** An unchanged key set is stored again, with the new time, at most this often. */
const STORE_EVERY_MS = 10 * 60_000

export interface KeySetOptions {
  /** Resolves to a JWKS document (RFC 7517). */
  load: () => Promise<Record<string, unknown>>
  /** Monotonic clock, in milliseconds. */
  elapsed: () => number
  /** How long a set is used while the provider is down. Milliseconds. */
  usableMs: number
  /** Called when a fetched set differs from the previous one. */
  onChange: () => void
  /** Called after each failed fetch. The current set stays in use. */
  onFailure: (error: ProviderError) => void
  /** Where the last set outlives the process. */
  store?: KeyStore | undefined
}

export interface KeyStore {
  /** The set that was stored last, by any process, and its age; null if there is none. Never throws. */
  read(): Promise<{ keys: unknown; ageMs: number } | null>
  /** Never throws. `keys`: JSON. */
  write(keys: string): Promise<void>
}

export function createKeySet({ load, elapsed, usableMs, onChange, onFailure, store }: KeySetOptions) {
  let held: { keys: ReturnType<typeof createLocalJWKSet>; text: string; at: number } | undefined
  let lastFetch = Number.NEGATIVE_INFINITY
  let lastUnknownKid = Number.NEGATIVE_INFINITY
  let lastFailure: ProviderError | undefined
  /** The provider's own Retry-After. */
  let pausedUntil = Number.NEGATIVE_INFINITY
  let fetching: Promise<void> | undefined
  let stored: { text: string; at: number } | undefined

  const age = () => (held ? elapsed() - held.at : Number.POSITIVE_INFINITY)
  const usable = () => age() < usableMs

  /** Concurrent callers share one fetch. */
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

  /** Has its own cooldown, so that a scheduled fetch does not delay the discovery of a new key. */
  function fetchForUnknownKid(): Promise<void> {
    const at = elapsed()
    const failedRecently = lastFailure !== undefined && msToWait(FETCH_COOLDOWN_MS) > 0
    if (!fetching && (failedRecently || at - lastUnknownKid < FETCH_COOLDOWN_MS)) return Promise.resolve()
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
      if (!usable()) await restore()
    }
  }

  /** The stored set keeps its age, so that a restart does not make a key usable for longer. */
  async function restore() {
    const found = await store?.read()
    if (!found || found.ageMs >= usableMs) return
    const set = attempt(() => readKeySet({ keys: found.keys }))
    if (set) held = { ...set, at: elapsed() - found.ageMs }
  }

  /**
   * Stores the keys that were fetched since the last time. Requests do not wait for it: `refresh` calls it.
   */
  async function keep() {
    if (!store || !held || lastFailure) return
    if (stored && stored.text === held.text && held.at - stored.at < STORE_EVERY_MS) return
    stored = { text: held.text, at: held.at }
    await store.write(held.text)
  }

  /** The token cannot be verified now. */
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
    /**
     * Finds the key of a token for jose. Throws `ProviderError` `unavailable` if there is no usable set, or if the set lacks
     * the key and the provider cannot be asked for a newer set.
     */
    async find(...[header, token]: Parameters<JWTVerifyGetKey>) {
      if (age() >= KEYS_FRESH_MS) {
        const failing = usable() && lastFailure && elapsed() - lastFetch < KEYS_FRESH_MS
        const fetched = fetchOnce()
        // During a known outage requests use the current set and do not wait for the fetch.
        if (!failing) await fetched
      }
      try {
        // Guarantee of the casts: jose passes the header of a JWS.
        return await keys()(header as JWSHeaderParameters, token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        // The provider may have rotated its keys since the last fetch.
        await fetchForUnknownKid()
      }
      try {
        return await keys()(header as JWSHeaderParameters, token)
      } catch (error) {
        // Only a successful fetch proves that the provider has no such key.
        if (error instanceof errors.JWKSNoMatchingKey && lastFailure) throw unavailable(FETCH_COOLDOWN_MS)
        throw error
      }
    },
    /** Fetches the set before it is no longer fresh, unless a cooldown forbids it. Never throws. */
    async refresh() {
      if (age() >= KEYS_FRESH_MS / 2) await fetchOnce()
      await keep()
    },
    /** Whether the set was fetched within `KEYS_FRESH_MS`. */
    isFresh: () => age() < KEYS_FRESH_MS,
    /** Null if there is a usable set, otherwise the reason. */
    problem: () => (usable() ? null : problem()),
  }
}

/** Keeps public signing keys only. An empty set is an error of the provider: it does not replace the current set. */
function readKeySet(document: Record<string, unknown>) {
  const list = Array.isArray(document.keys) ? document.keys : []
  if (list.length > MAX_KEYS) throw new ProviderError('its key set is too long', 'invalid')
  const keys = list.filter(
    key =>
      ['RSA', 'EC', 'OKP'].includes(key?.kty) && (key.use ?? 'sig') === 'sig' && !key.d && isPublicKey(key),
  )
  if (keys.length === 0) throw new ProviderError('its key set holds no signing key', 'invalid')
  // Guarantee of the cast: each key was imported.
  return { keys: createLocalJWKSet({ keys } as JSONWebKeySet), text: JSON.stringify(keys) }
}

/** A damaged key is dropped, because jose would fail for every token that it matches. */
const isPublicKey = (key: JWK): boolean =>
  attempt(() => createPublicKey({ key: key as webcrypto.JsonWebKey, format: 'jwk' })) !== undefined
