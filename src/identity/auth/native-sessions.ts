/** Sessions of devices with native tokens. A session is a family of refresh tokens; its row decides which one is valid. */
import { and, desc, eq, gt, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { countRows } from '../../../db/pages.ts'
import type { Subject } from '../../core/caller.ts'
import { type Cursors, cutPage, eachFan, type Page } from '../../core/pagination.ts'
import type { SecurityEvent } from '../../core/security-events.ts'
import { tokenValidityTag } from '../../platform/cache/tags.ts'
import { clientOfRefreshToken, hashRefreshToken, mintRefreshToken } from './native-tokens.ts'

const DAY_MS = 86_400_000
const ACCESS_TOKEN_MS = 15 * 60_000
const REFRESH_TOKEN_MS = 30 * DAY_MS
/** Active sessions of a fan. */
const MAX_SESSIONS = 50
/** The generation of an unused refresh token after another token of the same generation was used. */
const SUPERSEDED = 0

export type NativeSession = Tables['nativeSessions']['$inferSelect']

/** The tokens of a device. The database has only a hash of the refresh token. */
export interface Grant {
  session: NativeSession
  /** The OAuth client of the session token; null if it names none. */
  clientId: string | null
  issuedAt: Date
  accessExpiresAt: Date
  refreshToken: string
  refreshExpiresAt: Date
}

/** The verified session token that a native session is created from. */
export interface Origin {
  issuedAt: Date
  /** The token, encrypted by `TokenEncryption`. */
  encryptedToken: string
  tokenExpiresAt: Date
  /** The OAuth client of the token. */
  clientId: string | null
}

/**
 * Starts a session that ends after `lifetimeMs`, even if it is refreshed. Beyond `MAX_SESSIONS` the oldest sessions are
 * revoked. The caller must hold `lockSignIn`, so that the count is exact.
 */
export async function startSession(
  tx: Transaction,
  caller: Subject,
  deviceName: string | null,
  { issuedAt, clientId, ...origin }: Origin,
  lifetimeMs: number,
): Promise<Grant> {
  const { provider, subject } = caller
  const { nativeSessions } = tx.tables
  const now = tx.now()
  const others = await selectLive(tx, caller)
  const surplus = others.slice(MAX_SESSIONS - 1).map(({ id }) => id)
  if (surplus.length > 0) {
    tx.invalidate(tokenValidityTag(caller))
    await tx.update(nativeSessions).set({ revokedAt: now }).where(inArray(nativeSessions.id, surplus))
  }
  const session: NativeSession = {
    id: tx.newId(),
    provider,
    subject,
    deviceName,
    originIssuedAt: issuedAt,
    ...origin,
    generation: 1,
    rotatedAt: now,
    createdAt: now,
    expiresAt: new Date(now.getTime() + lifetimeMs),
    revokedAt: null,
  }
  await tx.insert(nativeSessions).values(session)
  return grant(tx, session, clientId)
}

/**
 * Rotates a refresh token. Returns null if it is unknown or expired, or its session has ended. A used token is accepted again
 * until its successor has been used, however late, for a client that did not receive the response. Any other reuse revokes
 * the session. The unit of work must commit also if the result is null; `report` runs after the commit.
 */
export async function refreshSession(
  tx: Transaction,
  refreshToken: string,
  report: (event: SecurityEvent, sessionId: string) => void,
): Promise<Grant | null> {
  const hash = hashRefreshToken(refreshToken)
  // Each round is one conditional update of the session. If it changes nothing, a concurrent refresh was first. Generations
  // only grow, so the token becomes first the previous one, then a used one: three rounds are enough.
  for (let round = 0; round < 3; round++) {
    const presented = await findToken(tx, hash)
    if (!presented) return null
    const { session, generation } = presented
    if (session.revokedAt || session.expiresAt <= tx.now()) {
      tx.afterCommit(() => report('ended_session_used', session.id))
      return null
    }
    const behind = session.generation - generation
    const change =
      behind === 0
        ? { generation: session.generation + 1, rotatedAt: tx.now() }
        : // The session has a later token, which nobody has used.
          behind === 1
          ? { generation: session.generation }
          : { revokedAt: tx.now() }
    const changed = await changeSession(tx, session, change)
    if (!changed) continue
    if (changed.revokedAt) {
      tx.afterCommit(() => report('refresh_token_reused', session.id))
      return null
    }
    if (behind === 0) await supersedeSiblings(tx, session, hash)
    return grant(tx, changed, clientOfRefreshToken(refreshToken))
  }
  return null
}

/** The token and its session as of one moment; undefined if the token is unknown or has expired. */
async function findToken(tx: Transaction, hash: string) {
  const { refreshTokens, nativeSessions } = tx.tables
  const [found] = await tx
    .select({ generation: refreshTokens.generation, session: nativeSessions })
    .from(refreshTokens)
    .innerJoin(nativeSessions, eq(nativeSessions.id, refreshTokens.sessionId))
    .where(and(eq(refreshTokens.hash, hash), gt(refreshTokens.expiresAt, tx.now())))
  return found
}

/**
 * If a token was accepted again, it has several successors, of which the client keeps one. When that one is
 * used, the others must not be accepted as previous tokens: only someone who has copied one would use it. The
 * update of the session has locked them.
 */
async function supersedeSiblings(tx: Transaction, { id, generation }: NativeSession, used: string) {
  const { refreshTokens } = tx.tables
  await tx
    .update(refreshTokens)
    .set({ generation: SUPERSEDED })
    .where(
      and(
        eq(refreshTokens.sessionId, id),
        eq(refreshTokens.generation, generation),
        ne(refreshTokens.hash, used),
      ),
    )
}

/** Undefined if the session has changed since it was read. */
async function changeSession(tx: Transaction, seen: NativeSession, change: Partial<NativeSession>) {
  const { nativeSessions } = tx.tables
  if (change.revokedAt) tx.invalidate(tokenValidityTag(seen))
  const [changed] = await tx
    .update(nativeSessions)
    .set(change)
    .where(
      and(
        eq(nativeSessions.id, seen.id),
        // A revocation does not depend on the generation: it ends all tokens of the family.
        change.revokedAt ? undefined : eq(nativeSessions.generation, seen.generation),
        isNull(nativeSessions.revokedAt),
      ),
    )
    .returning()
  return changed
}

async function grant(tx: Transaction, session: NativeSession, clientId: string | null): Promise<Grant> {
  const until = (ms: number) => new Date(Math.min(tx.now().getTime() + ms, session.expiresAt.getTime()))
  const refreshToken = mintRefreshToken(tx.randomBytes(32), clientId)
  const refreshExpiresAt = until(REFRESH_TOKEN_MS)
  await tx.insert(tx.tables.refreshTokens).values({
    hash: hashRefreshToken(refreshToken),
    sessionId: session.id,
    generation: session.generation,
    expiresAt: refreshExpiresAt,
  })
  return {
    session,
    clientId,
    issuedAt: tx.now(),
    accessExpiresAt: until(ACCESS_TOKEN_MS),
    refreshToken,
    refreshExpiresAt,
  }
}

const ownedBy = (tx: Pick<Reader, 'tables'>, { provider, subject }: Subject) =>
  and(eq(tx.tables.nativeSessions.provider, provider), eq(tx.tables.nativeSessions.subject, subject))

const isLive = ({ tables: { nativeSessions }, now }: Pick<Transaction, 'tables' | 'now'>) =>
  and(isNull(nativeSessions.revokedAt), gt(nativeSessions.expiresAt, now()))

/** The active sessions of the caller, newest first. @throws DomainError `invalid_cursor` */
export async function listSessions(reader: Reader, cursors: Cursors, caller: Subject, page: Page) {
  const list = `sessions ${caller.provider} ${caller.subject}`
  const { createdAt, id } = reader.tables.nativeSessions
  const before = cursors.decodeTimed(list, page.cursor)
  const older = before && sql`(${createdAt}, ${id}) < (${sql.param(before.at, createdAt)}, ${before.id})`
  const rows = await selectLive(reader, caller, older).limit(page.limit + 1)
  const { shown, nextCursor } = cutPage(rows, page.limit, last =>
    cursors.encodeTimed(list, { at: last.createdAt, id: last.id }),
  )
  return { sessions: shown, nextCursor }
}

function selectLive(reader: Pick<Reader, 'select' | 'tables' | 'now'>, caller: Subject, which?: SQL) {
  const { nativeSessions } = reader.tables
  return reader
    .select()
    .from(nativeSessions)
    .where(and(ownedBy(reader, caller), isLive(reader), which))
    .orderBy(desc(nativeSessions.createdAt), desc(nativeSessions.id))
}

/** Revokes one session of the caller, or all of them. Returns how many were active. */
export async function revokeSessions(tx: Transaction, caller: Subject, sessionId?: string): Promise<number> {
  const { nativeSessions } = tx.tables
  tx.invalidate(tokenValidityTag(caller))
  const ended = await tx
    .update(nativeSessions)
    .set({ revokedAt: tx.now() })
    .where(
      and(
        ownedBy(tx, caller),
        isNull(nativeSessions.revokedAt),
        sessionId === undefined ? undefined : eq(nativeSessions.id, sessionId),
      ),
    )
    .returning()
  return ended.length
}

/** Deletes all sessions of a user, ended ones included, with their refresh tokens. Returns the number of sessions. */
export async function deleteSessions(tx: Transaction, caller: Subject): Promise<number> {
  const { nativeSessions, refreshTokens } = tx.tables
  // Waits for running refreshes, so that their tokens are deleted as well, and refuses later ones.
  await revokeSessions(tx, caller)
  const owned = tx.select({ id: nativeSessions.id }).from(nativeSessions).where(ownedBy(tx, caller))
  await tx.delete(refreshTokens).where(inArray(refreshTokens.sessionId, owned))
  return (await tx.delete(nativeSessions).where(ownedBy(tx, caller)).returning()).length
}

/** Provider and subject of each fan with sessions, ended ones included. */
export const listSessionOwners = (reader: Reader) => eachFan(reader, reader.tables.nativeSessions)

/** The number of sessions of a user, ended ones included. */
export const countSessions = (reader: Reader, caller: Subject) =>
  countRows(reader, reader.tables.nativeSessions, ownedBy(reader, caller))
