/** Whether a token that verifies still counts: asked of the database at every request, so that no cache outlives a logout. */
import { hash } from 'node:crypto'
import { eq, inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import type { AuthenticatedCaller, Caller, Credential } from '../caller.ts'
import { deletedUser, ERASED, endSessions, findStanding } from '../identity/users.ts'
import { DomainError } from '../problems.ts'
import { standingTopic } from '../views/topics.ts'
import { type NativeSession, revokeSessions } from './native-sessions.ts'

const loggedOut = () => new DomainError('invalid_token', { detail: 'The token was logged out.' })

const hashOf = (...parts: string[]) => hash('sha256', JSON.stringify(parts), 'hex')

/** With the subject: a `jti` of one user must not end the token of another. */
const revocationId = ({ provider, subject }: Caller, tokenId: string) => hashOf(provider, subject, tokenId)

interface RevocationIds extends Record<string, unknown> {
  id: string
  /** Without the subject, as earlier releases stored it. Not written any more; tokens last a year at most. */
  formerId: string
}

const selectRevoked = prepared<RevocationIds, { id: string }[]>((reader, value) => {
  const { revokedTokens } = reader.tables
  return reader
    .select({ id: revokedTokens.id })
    .from(revokedTokens)
    .where(inArray(revokedTokens.id, [value('id'), value('formerId')]))
})

/** What a verified session token says of itself. */
export interface SessionToken {
  tokenId: string
  issuedAt: Date
}

/** Id of the user's record; undefined while there is none. */
interface Standing {
  userId: string | undefined
}

/**
 * A session token: not logged out, not issued before a logout everywhere, its user neither erased nor deleted upstream.
 * @throws DomainError `invalid_token`
 */
export async function requireSessionStanding(
  reader: Reader,
  caller: Caller,
  { tokenId, issuedAt }: SessionToken,
): Promise<Standing> {
  const [revoked] = await selectRevoked(reader, {
    id: revocationId(caller, tokenId),
    formerId: hashOf(caller.provider, tokenId),
  })
  if (revoked) throw loggedOut()
  const { userId, sessionsEndedAt } = await requireUndeleted(reader, caller)
  if (isEnded(issuedAt, sessionsEndedAt)) throw loggedOut()
  return { userId }
}

/** A native token: its session is alive, its user neither erased nor deleted upstream. @throws DomainError `invalid_token` */
export async function requireNativeStanding(
  reader: Reader,
  sessionId: string,
): Promise<Caller & Standing & { expiresAt: Date }> {
  const [session] = await selectSession(reader, { id: sessionId })
  if (!session || session.revokedAt || session.expiresAt <= reader.now()) throw loggedOut()
  const { userId, sessionsEndedAt } = await requireUndeleted(reader, session)
  if (isEnded(session.originIssuedAt, sessionsEndedAt)) throw loggedOut()
  const { provider, subject, expiresAt } = session
  return { provider, subject, userId, expiresAt }
}

const selectSession = prepared<{ id: string }, NativeSession[]>((reader, value) => {
  const { nativeSessions } = reader.tables
  return reader
    .select()
    .from(nativeSessions)
    .where(eq(nativeSessions.id, value('id')))
})

/** Whether a refresh of the session is refused: as in `requireNativeStanding`, by what is known of its user. */
export async function isRefreshRefused(reader: Reader, session: NativeSession): Promise<boolean> {
  const { deleted, sessionsEndedAt } = await findStanding(reader, session)
  return deleted || isEnded(session.originIssuedAt, sessionsEndedAt)
}

/** `iat` counts whole seconds: a token of the second of the logout everywhere is refused. */
const isEnded = (issuedAt: Date, sessionsEndedAt: Date | null) =>
  sessionsEndedAt !== null && issuedAt <= sessionsEndedAt

async function requireUndeleted(reader: Reader, caller: Caller) {
  const { userId, erased, deleted, sessionsEndedAt } = await findStanding(reader, caller)
  if (erased) throw deletedUser(ERASED, userId)
  if (deleted) throw deletedUser('The identity provider deleted this user.', userId)
  return { userId, sessionsEndedAt }
}

/**
 * Makes sign-in, logout everywhere and erasure of one fan wait for each other until the unit of work ends, also of a fan
 * without a record. Comes first in the unit of work, before the locks of rows and before what it protects is read.
 */
export async function lockSignIn(tx: Transaction, { provider, subject }: Caller): Promise<void> {
  const { revokedTokens } = tx.tables
  const id = hashOf('sign-in lock', provider, subject, '')
  // PostgreSQL: an insert of the same key waits until this transaction ends ("Index Uniqueness Checks"). Deleted at once,
  // the row is never visible and never stays. SQLite has one writer: nothing to wait for.
  await tx.insert(revokedTokens).values({ id, expiresAt: tx.now() })
  await tx.delete(revokedTokens).where(eq(revokedTokens.id, id))
}

/**
 * Ends the caller's own session, or every session of theirs: then also tokens of a provider whose clock is ahead, up to
 * the caller's own `iat`. Holds at once, in every process, across restarts.
 */
export async function logOut(
  tx: Transaction,
  caller: AuthenticatedCaller,
  everywhere: boolean,
): Promise<void> {
  const { credential } = caller
  if (everywhere) {
    await lockSignIn(tx, caller)
    const issuedAt = await issuedAtOf(tx, credential)
    await endSessions(tx, caller, issuedAt && issuedAt > tx.now() ? issuedAt : tx.now())
    await revokeSessions(tx, caller)
  } else if (credential.kind === 'native') {
    await revokeSessions(tx, caller, credential.sessionId)
  }
  if (credential.kind === 'session') {
    tx.touch(standingTopic(caller))
    const id = revocationId(caller, credential.tokenId)
    await tx
      .insert(tx.tables.revokedTokens)
      .values({ id, expiresAt: credential.expiresAt })
      .onConflictDoNothing()
  }
}

/** `iat` of the caller's session token, or of the one that their device was signed in with. */
async function issuedAtOf(tx: Transaction, credential: Credential): Promise<Date | undefined> {
  if (credential.kind === 'session') return credential.issuedAt
  const [session] = await selectSession(tx, { id: credential.sessionId })
  return session?.originIssuedAt
}
