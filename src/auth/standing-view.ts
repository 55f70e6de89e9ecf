/**
 * Whether a token still counts, remembered from request to request where that is exact (`ViewCache.readExactly`): each way
 * in which a token ends touches the topic of its caller, and another process's commit ends what is remembered.
 */
import type { Reader } from '../../db/index.ts'
import { standingTopic } from '../views/topics.ts'
import type { ViewCache, Viewed } from '../views/view-cache.ts'
import { requireNativeStanding, requireSessionStanding, type SessionToken } from './standing.ts'

const nameOf = (provider: string, { subject, tokenId, issuedAt }: SessionToken & { subject: string }) =>
  JSON.stringify(['session', provider, subject, tokenId, issuedAt.getTime()])

/** Id of the caller's record. @throws as `requireSessionStanding` */
export function viewSessionStanding(
  reader: Reader,
  views: ViewCache,
  provider: string,
  token: SessionToken & { subject: string },
): Viewed<string | undefined> {
  return views.readExactly(nameOf(provider, token), async () => {
    const caller = { provider, subject: token.subject }
    const { userId } = await requireSessionStanding(reader, caller, token)
    return { value: userId, topics: [standingTopic(caller)] }
  })
}

/** The caller, and the id of their record. @throws as `requireNativeStanding` */
export function viewNativeStanding(reader: Reader, views: ViewCache, sessionId: string) {
  return views.readExactly(`native session ${sessionId}`, async () => {
    const { expiresAt, ...caller } = await requireNativeStanding(reader, sessionId)
    return { value: caller, topics: [standingTopic(caller)], until: expiresAt }
  })
}
