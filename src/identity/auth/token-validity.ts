/**
 * Token validity: whether a verified token has been revoked since, by a logout, a deletion or an erasure. Read from the
 * database at each request, or from `token-validity-cache.ts` while the cache is consistent with the database.
 */

import { hash } from 'node:crypto'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import {
  type AuthenticatedCaller,
  type Credential,
  NOBODY,
  type Subject,
  type Viewer,
} from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { tokenValidityTag } from '../../platform/cache/tags.ts'
import { deletedUser, ERASED, endSessions } from '../users/callers.ts'
import { listSignIns } from '../users/merges.ts'
import {
  findTokenValidity,
  joinedTokenValidity,
  readTokenValidity,
  type TokenValidity,
} from '../users/user-token-validity.ts'
import { requireUser, type SubjectKeys, subjectKeysOf } from '../users/users.ts'
import { type NativeSession, revokeSessions } from './native-sessions.ts'

const LOGGED_OUT = 'The token was logged out.'

const loggedOut = () => new DomainError(transportProblems.invalid_token, { detail: LOGGED_OUT })

export const hashOf = (...parts: string[]) => hash('sha256', JSON.stringify(parts), 'hex')

/** Includes the subject: the `jti` of one user must not revoke the token of another. */
const revocationId = ({ provider, subject }: Subject, tokenId: string) => hashOf(provider, subject, tokenId)

export const revocationIdsOf = (caller: Subject, tokenId: string) => ({
  id: revocationId(caller, tokenId),
  formerId: hashOf(caller.provider, tokenId),
})

/** The claims of a verified session token that its validity depends on. */
export interface SessionToken {
  tokenId: string
  issuedAt: Date
}

export interface ValidToken {
  /** Id of the user record; `NOBODY` without one. */
  userId: string
  /** The locale of the profile. */
  locale: string | null
  hasBlocks: boolean
  /** Whether the token belongs to an additional sign-in of a merged fan. */
  isMerged: boolean
}

/**
 * A session token is valid if it is not logged out and not issued before a logout everywhere, and if its user is neither
 * erased nor deleted by the provider.
 * @throws DomainError `invalid_token`
 */
export async function requireValidSessionToken(
  reader: Reader,
  caller: Subject,
  { tokenId, issuedAt }: SessionToken,
): Promise<ValidToken> {
  const rows = await selectSession(reader, { ...subjectKeysOf(caller), ...revocationIdsOf(caller, tokenId) })
  if (rows.some(({ revokedId }) => revokedId !== null)) throw loggedOut()
  return requireUndeleted(await readTokenValidity(reader, rows), issuedAt)
}

interface SessionValues extends SubjectKeys {
  id: string
  /** The id without the subject, as earlier releases stored it. A token lasts at most a year. */
  formerId: string
}

/** Returns at least one row, also for a subject without a user record. */
const selectSession = prepared((reader: Reader, values: SessionValues) => {
  const { revokedTokens } = reader.tables
  const revoked = reader
    .select({ id: revokedTokens.id })
    .from(revokedTokens)
    .where(inArray(revokedTokens.id, [values.id, values.formerId]))
    .limit(1)
  const { user, columns } = joinedTokenValidity(reader, values)
  return reader
    .select({ revokedId: sql<string | null>`(${revoked})`, ...columns })
    .from(sql`(select 1 as one) as token`)
    .leftJoin(user, sql`true`)
})

/**
 * A native token is valid if its session is active and its user is neither erased nor deleted by the provider.
 * @throws DomainError `invalid_token`
 */
export async function requireValidNativeToken(
  reader: Reader,
  caller: Subject,
  sessionId: string,
): Promise<Subject & ValidToken & { expiresAt: Date }> {
  const rows = await selectNative(reader, { sessionId, ...subjectKeysOf(caller) })
  const session = rows[0]?.session
  if (!session || session.revokedAt || session.expiresAt <= reader.now()) {
    const security = { event: 'ended_session_used' as const, sessionId }
    throw new DomainError(transportProblems.invalid_token, { detail: LOGGED_OUT, security })
  }
  const valid = requireUndeleted(await readTokenValidity(reader, rows), session.originIssuedAt)
  const { provider, subject, expiresAt } = session
  return { provider, subject, ...valid, expiresAt }
}

/**
 * Finds the user by the parameters: with a join on the columns of the session, PostgreSQL would read every
 * user of the provider.
 */
const selectNative = prepared((reader: Reader, values: SubjectKeys & { sessionId: string }) => {
  const { nativeSessions } = reader.tables
  const { user, columns } = joinedTokenValidity(reader, values)
  const isSession = and(
    eq(nativeSessions.id, values.sessionId),
    eq(nativeSessions.provider, values.provider),
    eq(nativeSessions.subject, values.subject),
  )
  return reader
    .select({ session: nativeSessions, ...columns })
    .from(nativeSessions)
    .leftJoin(user, sql`true`)
    .where(isSession)
})

/** Whether a refresh of the session is refused, because its user is erased, deleted or logged out everywhere. */
export async function isRefreshRefused(reader: Reader, session: NativeSession): Promise<boolean> {
  const { deleted, sessionsEndedAt } = await findTokenValidity(reader, session)
  return deleted || isEnded(session.originIssuedAt, sessionsEndedAt)
}

/** `iat` has whole seconds: a token issued in the same second as the logout everywhere is refused. */
export const isEnded = (issuedAt: Date, sessionsEndedAt: Date | null) =>
  sessionsEndedAt !== null && issuedAt <= sessionsEndedAt

function requireUndeleted(
  { userId, erased, deleted, sessionsEndedAt, ...known }: TokenValidity,
  issuedAt: Date,
): ValidToken {
  if (erased) throw deletedUser(ERASED, userId)
  if (deleted) throw deletedUser('The identity provider deleted this user.', userId)
  if (isEnded(issuedAt, sessionsEndedAt)) throw loggedOut()
  const { locale, hasBlocks, isMerged } = known
  return { userId, locale, hasBlocks, isMerged }
}

/**
 * Serialises sign-in, logout everywhere and erasure of a fan until the unit of work ends, also for a fan without a user
 * record. Must be the first statement of the unit of work, before row locks and before reads of what it protects.
 */
export async function lockSignIn(tx: Transaction, { provider, subject }: Subject): Promise<void> {
  const { revokedTokens } = tx.tables
  const id = hashOf('sign-in lock', provider, subject, '')
  // PostgreSQL: an insert of the same key waits until this transaction ends ("Index Uniqueness Checks"). The row is deleted
  // at once, so it is never visible to others. SQLite has a single writer.
  await tx.insert(revokedTokens).values({ id, expiresAt: tx.now() })
  await tx.delete(revokedTokens).where(eq(revokedTokens.id, id))
}

/**
 * Ends the caller's session, or all their sessions. `everywhere` revokes session tokens issued until now, or until the
 * `iat` of the caller's token if the provider's clock is ahead. Effective immediately in every process.
 */
export async function logOut(tx: Transaction, caller: AuthenticatedCaller, everywhere: boolean) {
  const { credential } = caller
  if (everywhere) {
    const signIns = await readSignIns(tx, caller)
    for (const signIn of signIns) await lockSignIn(tx, signIn)
    const issuedAt = await issuedAtOf(tx, credential)
    await endSessions(tx, caller, issuedAt && issuedAt > tx.now() ? issuedAt : tx.now())
    for (const signIn of signIns) await revokeSessions(tx, signIn)
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

/** Ends all sessions of a fan, for operators: those of every sign-in. Returns the number of devices that were signed in. */
export async function endAllSessions(tx: Transaction, userId: string): Promise<number> {
  const user = await requireUser(tx, userId)
  const signIns = await readSignIns(tx, { ...user, userId })
  for (const signIn of signIns) await lockSignIn(tx, signIn)
  await endSessions(tx, { ...user, userId }, tx.now())
  let devices = 0
  for (const signIn of signIns) devices += await revokeSessions(tx, signIn)
  return devices
}

/** Always in the same order, so that two units of work cannot wait for each other. */
async function readSignIns(tx: Transaction, caller: Subject & Viewer): Promise<Subject[]> {
  if (caller.userId === NOBODY) return [caller]
  const signIns = await listSignIns(tx, await requireUser(tx, caller.userId))
  return signIns.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** `iat` of the caller's session token, or of the one that their native session was created with. */
async function issuedAtOf(tx: Transaction, credential: Credential): Promise<Date | undefined> {
  if (credential.kind === 'session') return credential.issuedAt
  const { nativeSessions } = tx.tables
  const [session] = await tx
    .select({ originIssuedAt: nativeSessions.originIssuedAt })
    .from(nativeSessions)
    .where(eq(nativeSessions.id, credential.sessionId))
  return session?.originIssuedAt
}
