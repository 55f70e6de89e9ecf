/**
 * Whether a token still counts, remembered from request to request where that is exact (`ViewCache.readExactly`): each way
 * in which a token ends invalidates the tag of its caller, and another process's commit ends what is remembered.
 */
import type { Reader } from '../../db/index.ts'
import type { ViewCache, Viewed } from '../cache/response-cache.ts'
import { tokenValidityTag } from '../cache/tags.ts'
import type { Caller } from '../core/caller.ts'
import { requireNativeStanding, requireSessionStanding, type SessionToken } from './token-validity.ts'

/** Of a verified token, whose text names what is kept: all that it says is in it. Id of the caller's record. @throws as `requireSessionStanding` */
export function viewSessionStanding(
  reader: Reader,
  views: ViewCache,
  caller: Caller,
  credential: SessionToken & { token: string },
): Viewed<string | undefined> {
  return views.readExactly(credential.token, async () => {
    const { userId } = await requireSessionStanding(reader, caller, credential)
    return { value: userId, tags: [tokenValidityTag(caller)] }
  })
}

/** The caller, and the id of their record. @throws as `requireNativeStanding` */
export function viewNativeStanding(reader: Reader, views: ViewCache, holder: Caller, sessionId: string) {
  return views.readExactly(`native session ${sessionId}`, async () => {
    const { expiresAt, ...caller } = await requireNativeStanding(reader, holder, sessionId)
    return { value: caller, tags: [tokenValidityTag(caller)], until: expiresAt }
  })
}
