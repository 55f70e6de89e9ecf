/**
 * Token validity, cached between requests while the cache is consistent (`ResponseCache.getConsistent`). A change that ends
 * a token invalidates the tag of its subject, and each commit of another process all. Without it, a request on SQLite takes
 * 70,000 instructions more (profile: 220,000, not 151,000). To remove it, call `token-validity.ts`.
 */
import type { Reader } from '../../db/index.ts'
import type { MaybePromise, ResponseCache } from '../cache/response-cache.ts'
import { tokenValidityTag } from '../cache/tags.ts'
import type { Caller } from '../core/caller.ts'
import { requireValidNativeToken, requireValidSessionToken, type SessionToken } from './token-validity.ts'

/** `requireValidSessionToken` through the cache, keyed by the token. Returns the user id. */
export function checkSessionToken(
  reader: Reader,
  cache: ResponseCache,
  caller: Caller,
  credential: SessionToken & { token: string },
): MaybePromise<string | undefined> {
  return cache.getConsistent(credential.token, async () => {
    const { userId } = await requireValidSessionToken(reader, caller, credential)
    return { value: userId, tags: [tokenValidityTag(caller)] }
  })
}

/** `requireValidNativeToken` through the cache, keyed by the session. */
export function checkNativeToken(reader: Reader, cache: ResponseCache, holder: Caller, sessionId: string) {
  return cache.getConsistent(`native session ${sessionId}`, async () => {
    const { expiresAt, ...caller } = await requireValidNativeToken(reader, holder, sessionId)
    return { value: caller, tags: [tokenValidityTag(caller)], expiresAt }
  })
}
