/** Whether a token that verifies still counts: asked of the database at every request, so that no cache outlives a logout. */
import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import type { AuthenticatedCaller, Caller } from '../caller.ts'
import { ERASED, endSessions, findStanding } from '../identity/users.ts'
import { DomainError } from '../problems.ts'
import { revokeSessions } from './native-sessions.ts'

const loggedOut = () => new DomainError('invalid_token', { detail: 'The token was logged out.' })

const revocationId = (provider: string, tokenId: string) =>
  createHash('sha256')
    .update(JSON.stringify([provider, tokenId]))
    .digest('hex')

/**
 * A session token: not logged out, not issued before a logout everywhere, its user neither erased nor deleted upstream.
 * @throws DomainError `invalid_token`
 */
export async function requireSessionStanding(
  reader: Reader,
  caller: Caller,
  { tokenId, issuedAt }: { tokenId: string; issuedAt: Date },
): Promise<void> {
  const { revokedTokens } = reader.tables
  const [revoked] = await reader
    .select({ id: revokedTokens.id })
    .from(revokedTokens)
    .where(eq(revokedTokens.id, revocationId(caller.provider, tokenId)))
  if (revoked) throw loggedOut()
  const { sessionsEndedAt } = await requireUndeleted(reader, caller)
  // `iat` counts whole seconds: a token of the very second of the logout is refused, to be sure.
  if (sessionsEndedAt && issuedAt <= sessionsEndedAt) throw loggedOut()
}

/** A native token: its session is alive, its user neither erased nor deleted upstream. @throws DomainError `invalid_token` */
export async function requireNativeStanding(reader: Reader, sessionId: string): Promise<Caller> {
  const { nativeSessions } = reader.tables
  const [session] = await reader.select().from(nativeSessions).where(eq(nativeSessions.id, sessionId))
  if (!session || session.revokedAt || session.expiresAt <= reader.now()) throw loggedOut()
  const { sessionsEndedAt } = await requireUndeleted(reader, session)
  if (sessionsEndedAt && session.originIssuedAt <= sessionsEndedAt) throw loggedOut()
  return { provider: session.provider, subject: session.subject }
}

async function requireUndeleted(reader: Reader, caller: Caller) {
  const { erased, deleted, sessionsEndedAt } = await findStanding(reader, caller)
  if (erased) throw new DomainError('invalid_token', { detail: ERASED })
  if (deleted) throw new DomainError('invalid_token', { detail: 'The identity provider deleted this user.' })
  return { sessionsEndedAt }
}

/** Ends the caller's own session, or every session of theirs. Holds at once, in every process, across restarts. */
export async function logOut(
  tx: Transaction,
  caller: AuthenticatedCaller,
  everywhere: boolean,
): Promise<void> {
  const { credential } = caller
  if (credential.kind === 'session') {
    const id = revocationId(caller.provider, credential.tokenId)
    await tx
      .insert(tx.tables.revokedTokens)
      .values({ id, expiresAt: credential.expiresAt })
      .onConflictDoNothing()
  }
  if (everywhere) {
    await endSessions(tx, caller)
    await revokeSessions(tx, caller)
  } else if (credential.kind === 'native') {
    await revokeSessions(tx, caller, credential.sessionId)
  }
}
