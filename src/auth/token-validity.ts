/** Whether a token that verifies still counts: asked of the database at every request, so that no cache outlives a logout. */
import { hash } from 'node:crypto'
import { and, eq, inArray, or, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { tokenValidityTag } from '../cache/tags.ts'
import type { AuthenticatedCaller, Caller, Credential } from '../core/caller.ts'
import { DomainError } from '../core/problems.ts'
import {
  deletedUser,
  ERASED,
  endSessions,
  findTokenValidity,
  isNamed,
  type Names,
  namesOf,
  type TokenValidity,
  tokenValidityColumns,
  tokenValidityOf,
} from '../users/users.ts'
import { type NativeSession, revokeSessions } from './native-sessions.ts'

const loggedOut = () => new DomainError('invalid_token', { detail: 'The token was logged out.' })

const hashOf = (...parts: string[]) => hash('sha256', JSON.stringify(parts), 'hex')

/** With the subject: a `jti` of one user must not end the token of another. */
const revocationId = ({ provider, subject }: Caller, tokenId: string) => hashOf(provider, subject, tokenId)

/** What a verified session token says of itself. */
export interface SessionToken {
  tokenId: string
  issuedAt: Date
}

/** Id of the user's record; undefined while there is none. */
interface Admitted {
  userId: string | undefined
}

/**
 * A session token: not logged out, not issued before a logout everywhere, its user neither erased nor deleted upstream.
 * @throws DomainError `invalid_token`
 */
export async function requireValidSessionToken(
  reader: Reader,
  caller: Caller,
  { tokenId, issuedAt }: SessionToken,
): Promise<Admitted> {
  const rows = await selectSession(reader, {
    ...namesOf(caller),
    id: revocationId(caller, tokenId),
    formerId: hashOf(caller.provider, tokenId),
  })
  if (rows.some(({ revokedId }) => revokedId !== null)) throw loggedOut()
  return requireUndeleted(tokenValidityOf(rows), issuedAt)
}

interface SessionValues extends Names {
  id: string
  /** Without the subject, as earlier releases stored it. Not written any more; tokens last a year at most. */
  formerId: string
}

/** One row at least, also of a user without a record. */
const selectSession = prepared((reader: Reader, values: SessionValues) => {
  const { users, revokedTokens } = reader.tables
  const revoked = reader
    .select({ id: revokedTokens.id })
    .from(revokedTokens)
    .where(inArray(revokedTokens.id, [values.id, values.formerId]))
    .limit(1)
  return reader
    .select({ revokedId: sql<string | null>`(${revoked})`, ...tokenValidityColumns(reader) })
    .from(sql`(select 1 as one) as token`)
    .leftJoin(users, isNamed(reader, values))
})

/** A native token: its session is alive, its user neither erased nor deleted upstream. @throws DomainError `invalid_token` */
export async function requireValidNativeToken(
  reader: Reader,
  caller: Caller,
  sessionId: string,
): Promise<Caller & Admitted & { expiresAt: Date }> {
  const rows = await selectNative(reader, { sessionId, erased: namesOf(caller).erased })
  const session = rows[0]?.session
  if (!session || session.revokedAt || session.expiresAt <= reader.now()) throw loggedOut()
  const { userId } = requireUndeleted(tokenValidityOf(rows), session.originIssuedAt)
  const { provider, subject, expiresAt } = session
  return { provider, subject, userId, expiresAt }
}

const selectNative = prepared(
  (reader: Reader, { erased, sessionId }: { sessionId: string; erased: string }) => {
    const { users, nativeSessions } = reader.tables
    const isOwner = and(
      eq(users.provider, nativeSessions.provider),
      or(eq(users.subject, nativeSessions.subject), eq(users.subject, erased)),
    )
    return reader
      .select({ session: nativeSessions, ...tokenValidityColumns(reader) })
      .from(nativeSessions)
      .leftJoin(users, isOwner)
      .where(eq(nativeSessions.id, sessionId))
  },
)

/** Whether a refresh of the session is refused: as in `requireNativeStanding`, by what is known of its user. */
export async function isRefreshRefused(reader: Reader, session: NativeSession): Promise<boolean> {
  const { deleted, sessionsEndedAt } = await findTokenValidity(reader, session)
  return deleted || isEnded(session.originIssuedAt, sessionsEndedAt)
}

/** `iat` counts whole seconds: a token of the second of the logout everywhere is refused. */
const isEnded = (issuedAt: Date, sessionsEndedAt: Date | null) =>
  sessionsEndedAt !== null && issuedAt <= sessionsEndedAt

function requireUndeleted(
  { userId, erased, deleted, sessionsEndedAt }: TokenValidity,
  issuedAt: Date,
): Admitted {
  if (erased) throw deletedUser(ERASED, userId)
  if (deleted) throw deletedUser('The identity provider deleted this user.', userId)
  if (isEnded(issuedAt, sessionsEndedAt)) throw loggedOut()
  return { userId }
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
    tx.invalidate(tokenValidityTag(caller))
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
  const { nativeSessions } = tx.tables
  const [session] = await tx
    .select({ originIssuedAt: nativeSessions.originIssuedAt })
    .from(nativeSessions)
    .where(eq(nativeSessions.id, credential.sessionId))
  return session?.originIssuedAt
}
