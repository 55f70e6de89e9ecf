/**
 * Caches the claims of verified tokens, keyed by the whole token.
 *
 * A hit replaces parsing, the signature check, and the check of every claim that is constant for a token. It does not replace
 * the check of `exp`, made at each look-up, nor that of token validity (logout, deletion, erasure), made at each request by
 * `auth/token-validity.ts` or its cache. A change of the provider's key set clears the cache: a retired key ends at once.
 */
import { LRUCache } from 'lru-cache'
import type { CacheCounts } from '../cache/response-cache.ts'

/** Fewer if the tokens of the provider are long. */
export const MAX_TOKENS = 20_000
/** Part of the total size for one token. A shorter token counts as much, which limits the number of entries. */
const CHARACTERS_PER_TOKEN = 1_678

export function createVerifiedTokenCache<Claims extends { expiresAt: number }>(now: () => Date) {
  const verified = new LRUCache<string, Claims>({
    // A `max` would reserve the memory of all entries.
    maxSize: MAX_TOKENS * CHARACTERS_PER_TOKEN,
    sizeCalculation: (_, token) => Math.max(token.length, CHARACTERS_PER_TOKEN),
  })
  let cleared = 0
  const counts: CacheCounts = { hits: 0, misses: 0 }

  return {
    /** A miss is a verification. */
    counts,
    /** Undefined if the token must be verified. `keysFresh`: whether the provider's keys were fetched recently. */
    get(token: string, keysFresh = true): Claims | undefined {
      const claims = keysFresh ? verified.get(token) : undefined
      if (claims && claims.expiresAt > now().getTime()) {
        counts.hits++
        return claims
      }
      // An expired token is verified again, because only the verifier applies the clock tolerance.
      return undefined
    },
    /** Caches the result of a verification that succeeds. */
    async put(token: string, verification: Promise<Claims>): Promise<Claims> {
      counts.misses++
      const clearedBefore = cleared
      const claims = await verification
      // If the keys have changed since the start, the result holds for this request but is not cached.
      if (clearedBefore === cleared) verified.set(token, claims)
      return claims
    },
    clear() {
      cleared++
      verified.clear()
    },
  }
}
