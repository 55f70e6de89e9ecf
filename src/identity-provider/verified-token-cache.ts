/**
 * Remembers tokens that were verified, by their whole text.
 *
 * It may skip: parsing, the signature, and every claim that cannot change while the text is the same.
 * It may not skip: `exp`, judged by the clock at each use; that the provider's keys were looked at lately; and whether the
 * token was logged out or its user deleted, which is asked of the database at every request (`auth/standing.ts`).
 * When the provider's key set changes it forgets everything, so that a retired key is refused as soon as we know.
 */
import { LRUCache } from 'lru-cache'

/** Fans at once; and the text of their tokens, which some providers make long. */
export const MAX_TOKENS = 20_000
const MAX_CHARACTERS = 32 * 1024 * 1024

export function createVerifiedTokenCache<Claims extends { expiresAt: number }>(now: () => Date) {
  const verified = new LRUCache<string, Claims>({
    max: MAX_TOKENS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, token) => token.length,
  })
  let cleared = 0

  return {
    /** Undefined: verify. `keysFresh`: whether the provider's keys have been looked at lately. */
    get(token: string, keysFresh = true): Claims | undefined {
      const claims = keysFresh ? verified.get(token) : undefined
      if (claims && claims.expiresAt > now().getTime()) return claims
      // Expired: the leeway is the verifier's to give.
      return undefined
    },
    /** Keeps what comes of a verification; what fails is not kept. */
    async put(token: string, verification: Promise<Claims>): Promise<Claims> {
      const begun = cleared
      const claims = await verification
      // Begun with the keys of before a change: true of this request, not to be remembered.
      if (begun === cleared) verified.set(token, claims)
      return claims
    },
    clear() {
      cleared++
      verified.clear()
    },
  }
}
