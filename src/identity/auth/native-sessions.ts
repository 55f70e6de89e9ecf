/** Sessions of devices with native tokens. A session is a family of refresh tokens; its row decides which one is valid. */
import { and, desc, eq, gt, inArray, isNull } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { countRows } from '../../../db/pages.ts'
import type { Caller } from '../../core/caller.ts'
import { eachFan } from '../../core/pagination.ts'
import type { SecurityEvent } from '../../core/security-events.ts'
import { tokenValidityTag } from '../../platform/cache/tags.ts'
import { clientOfRefreshToken, hashRefreshToken, mintRefreshToken } from './refresh-token.ts'

const DAY_MS = 86_400_000
const ACCESS_TOKEN_MS = 15 * 60_000
const REFRESH_TOKEN_MS = 30 * DAY_MS
/** Active sessions of a fan. */
const MAX_SESSIONS = 50
/** How long the previous refresh token is still accepted, for a client that did not receive the response. */
export const REUSE_GRACE_MS = 10_000

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
  caller: Caller,
  deviceName: string | null,
  { issuedAt, clientId, ...origin }: Origin,
  lifetimeMs: number,
): Promise<Grant> {
  const { provider, subject } = caller
  const { nativeSessions } = tx.tables
  const now = tx.now()
  const others = await listSessions(tx, caller)
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
 * Rotates a refresh token. Returns null if it is unknown, expired, already used, or its session has ended. Reuse revokes
 * the session, except for the previous token within `REUSE_GRACE_MS`. The unit of work must commit also if the result is
 * null; `report` runs after the commit.
 */
export async function refreshSession(
  tx: Transaction,
  refreshToken: string,
  report: (event: SecurityEvent, sessionId: string) => void,
): Promise<Grant | null> {
  const { refreshTokens } = tx.tables
  const now = tx.now()
  const [presented] = await tx
    .select()
    .from(refreshTokens)
    .where(and(eq(refreshTokens.hash, hashRefreshToken(refreshToken)), gt(refreshTokens.expiresAt, now)))
  if (!presented) return null
  const { sessionId } = presented

  // Each round is one conditional update of the session. If it changes nothing, a concurrent refresh was first. Generations
  // only grow, so the token becomes first the previous one, then a used one: three rounds are enough.
  for (let round = 0; round < 3; round++) {
    const session = await findLiveSession(tx, sessionId)
    if (!session) {
      tx.afterCommit(() => report('ended_session_used', sessionId))
      return null
    }
    const behind = session.generation - presented.generation
    // The absolute difference: a clock that was set back must not extend the grace period.
    const inGrace = behind === 1 && Math.abs(now.getTime() - session.rotatedAt.getTime()) <= REUSE_GRACE_MS
    const change =
      behind === 0
        ? { generation: session.generation + 1, rotatedAt: now }
        : inGrace
          ? { generation: session.generation }
          : { revokedAt: now }
    const changed = await changeSession(tx, session, change)
    if (changed?.revokedAt) tx.afterCommit(() => report('refresh_token_reused', sessionId))
    // Within the grace period the response has another token of the current generation: both responses are usable.
    if (changed) return changed.revokedAt ? null : grant(tx, changed, clientOfRefreshToken(refreshToken))
  }
  return null
}

async function findLiveSession(tx: Transaction, sessionId: string): Promise<NativeSession | undefined> {
  const { nativeSessions } = tx.tables
  const [session] = await tx
    .select()
    .from(nativeSessions)
    .where(and(eq(nativeSessions.id, sessionId), isLive(tx)))
  return session
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

const ownedBy = (tx: Pick<Reader, 'tables'>, { provider, subject }: Caller) =>
  and(eq(tx.tables.nativeSessions.provider, provider), eq(tx.tables.nativeSessions.subject, subject))

const isLive = ({ tables: { nativeSessions }, now }: Pick<Transaction, 'tables' | 'now'>) =>
  and(isNull(nativeSessions.revokedAt), gt(nativeSessions.expiresAt, now()))

/** The active sessions of the caller, newest first. */
export async function listSessions(reader: Pick<Transaction, 'select' | 'tables' | 'now'>, caller: Caller) {
  const { nativeSessions } = reader.tables
  return reader
    .select()
    .from(nativeSessions)
    .where(and(ownedBy(reader, caller), isLive(reader)))
    .orderBy(desc(nativeSessions.createdAt), desc(nativeSessions.id))
}

/** Revokes one session of the caller, or all of them. Returns how many were active. */
export async function revokeSessions(tx: Transaction, caller: Caller, sessionId?: string): Promise<number> {
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
export async function deleteSessions(tx: Transaction, caller: Caller): Promise<number> {
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
export const countSessions = (reader: Reader, caller: Caller) =>
  countRows(reader, reader.tables.nativeSessions, ownedBy(reader, caller))
