/** Validity of the tokens of open streams, which are checked again and again, all at once. */
import { eq, isNull } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { rowsOfListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import type { AuthenticatedCaller, Subject } from '../../core/caller.ts'
import { findTokenValidities } from '../users/user-token-validity.ts'
import { isEnded, revocationIdsOf } from './token-validity.ts'

/** A verified token, without the token. */
export interface StreamToken extends Subject {
  credential:
    | { kind: 'session'; tokenId: string; issuedAt: Date; expiresAt: Date }
    | { kind: 'native'; sessionId: string; expiresAt: Date }
}

export function streamTokenOf({ provider, subject, credential }: AuthenticatedCaller): StreamToken {
  const { kind, expiresAt } = credential
  if (kind === 'native')
    return { provider, subject, credential: { kind, sessionId: credential.sessionId, expiresAt } }
  const { tokenId, issuedAt } = credential
  return { provider, subject, credential: { kind, tokenId, issuedAt, expiresAt } }
}

/** By its token: whether it is valid, and the user id; `NOBODY` without a user record. */
export type TokenCheck = (token: StreamToken) => { valid: boolean; userId: string }

/**
 * Checks like `requireValidSessionToken` and `requireValidNativeToken`, in at most three statements for any
 * number of tokens of one provider. The expiry of the tokens themselves is not checked.
 */
export async function checkStreamTokens(
  reader: Reader,
  provider: string,
  tokens: StreamToken[],
): Promise<TokenCheck> {
  const [validityOf, revoked, sessions] = await Promise.all([
    findTokenValidities(reader, provider, [...new Set(tokens.map(({ subject }) => subject))]),
    findRevoked(reader, tokens.flatMap(revocationIds)),
    findSessions(
      reader,
      tokens.flatMap(({ credential }) => (credential.kind === 'native' ? credential.sessionId : [])),
    ),
  ])
  return token => {
    const { userId, deleted, sessionsEndedAt } = validityOf(token.subject)
    const { credential } = token
    const issuedAt =
      credential.kind === 'session'
        ? revocationIds(token).some(id => revoked.has(id))
          ? undefined
          : credential.issuedAt
        : sessions.get(`${credential.sessionId} ${token.subject}`)
    return { valid: issuedAt !== undefined && !deleted && !isEnded(issuedAt, sessionsEndedAt), userId }
  }
}

function revocationIds(token: StreamToken): string[] {
  const { credential } = token
  return credential.kind === 'session' ? Object.values(revocationIdsOf(token, credential.tokenId)) : []
}

async function findRevoked(reader: Reader, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  return new Set((await selectRevoked(reader, toList(ids))).map(({ id }) => id))
}

const selectRevoked = prepared((reader: Reader, ids: string) => {
  const { revokedTokens } = reader.tables
  const found = rowsOfListed(reader, revokedTokens, ids, id => eq(revokedTokens.id, id))
  return reader.with(found).select({ id: found.id }).from(found)
})

/** The active ones, by id and subject: `iat` of the session token that each was created from. */
async function findSessions(reader: Reader, ids: string[]): Promise<Map<string, Date>> {
  if (ids.length === 0) return new Map()
  const rows = await selectSessions(reader, toList(ids))
  const active = rows.filter(({ expiresAt }) => expiresAt > reader.now())
  return new Map(active.map(({ id, subject, originIssuedAt }) => [`${id} ${subject}`, originIssuedAt]))
}

const selectSessions = prepared((reader: Reader, ids: string) => {
  const { nativeSessions } = reader.tables
  const found = rowsOfListed(reader, nativeSessions, ids, id => eq(nativeSessions.id, id))
  const { id, subject, originIssuedAt, expiresAt, revokedAt } = found
  return reader
    .with(found)
    .select({ id, subject, originIssuedAt, expiresAt })
    .from(found)
    .where(isNull(revokedAt))
})
