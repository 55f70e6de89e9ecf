/** Devices signed in with native tokens. A session is a family of refresh tokens; only its row decides what is good. */
import { and, desc, eq, gt, inArray, isNull } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import { tokenValidityTag } from '../cache/tags.ts'
import type { Caller } from '../core/caller.ts'
import { eachName } from '../core/pagination.ts'
import { clientOfRefreshToken, hashRefreshToken, mintRefreshToken } from './refresh-token.ts'

const DAY_MS = 86_400_000
const ACCESS_TOKEN_MS = 15 * 60_000
const REFRESH_TOKEN_MS = 30 * DAY_MS
/** Devices of one fan at once. */
const MAX_SESSIONS = 50
/** A client whose answer was lost may send the immediate predecessor again this long. */
export const FORGIVENESS_MS = 10_000

export type NativeSession = Tables['nativeSessions']['$inferSelect']

/** What a device is given. The texts exist here and with the client, nowhere else. */
export interface Grant {
  session: NativeSession
  /** The OAuth client that the session token was issued to; null where that named none. */
  clientId: string | null
  issuedAt: Date
  accessExpiresAt: Date
  refreshToken: string
  refreshExpiresAt: Date
}

/** What a session comes of: a session token that verified. */
export interface Origin {
  issuedAt: Date
  /** The token, encrypted (`identity/token-seal.ts`). */
  sealedToken: string
  tokenExpiresAt: Date
  /** The OAuth client that it was issued to. */
  clientId: string | null
}

/**
 * Ends after `lifetimeMs`, however often it is refreshed: no token of it lives longer. Beyond `MAX_SESSIONS` the oldest
 * devices are signed out; the count is exact under `lockSignIn`.
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
 * Rotates a refresh token. Null refuses it: unknown, expired, of a dead session, or spent. A spent one kills its
 * session, except the immediate predecessor within 10 s. The caller must let the unit of work commit also then;
 * `onReuse` runs after the commit.
 */
export async function refreshSession(
  tx: Transaction,
  refreshToken: string,
  onReuse: (ended: NativeSession) => void = () => {},
): Promise<Grant | null> {
  const { refreshTokens } = tx.tables
  const now = tx.now()
  const [presented] = await tx
    .select()
    .from(refreshTokens)
    .where(and(eq(refreshTokens.hash, hashRefreshToken(refreshToken)), gt(refreshTokens.expiresAt, now)))
  if (!presented) return null

  // Each round is one conditional statement on the session's row. One that changes nothing was overtaken: look again.
  // Generations only grow, so a token falls from current to predecessor to spent, and three rounds decide.
  for (let round = 0; round < 3; round++) {
    const session = await findLiveSession(tx, presented.sessionId)
    if (!session) return null
    const behind = session.generation - presented.generation
    // Either way: a clock that was set back must not forgive for as long as it was set back.
    const forgiven = behind === 1 && Math.abs(now.getTime() - session.rotatedAt.getTime()) <= FORGIVENESS_MS
    const change =
      behind === 0
        ? { generation: session.generation + 1, rotatedAt: now }
        : forgiven
          ? { generation: session.generation }
          : { revokedAt: now }
    const changed = await changeSession(tx, session, change)
    if (changed?.revokedAt) tx.afterCommit(() => onReuse(changed))
    // The forgiven get a sibling: whichever of the two answers the client kept, its token is of the current generation.
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

/** Undefined when the session has moved on since it was read. */
async function changeSession(tx: Transaction, seen: NativeSession, change: Partial<NativeSession>) {
  const { nativeSessions } = tx.tables
  if (change.revokedAt) tx.invalidate(tokenValidityTag(seen))
  const [changed] = await tx
    .update(nativeSessions)
    .set(change)
    .where(
      and(
        eq(nativeSessions.id, seen.id),
        // An end needs no agreement on it: whoever moved on meanwhile has a token of the same family.
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

/** The caller's live sessions, newest first. */
export async function listSessions(reader: Pick<Transaction, 'select' | 'tables' | 'now'>, caller: Caller) {
  const { nativeSessions } = reader.tables
  return reader
    .select()
    .from(nativeSessions)
    .where(and(ownedBy(reader, caller), isLive(reader)))
    .orderBy(desc(nativeSessions.createdAt), desc(nativeSessions.id))
}

/** Ends one session of the caller, or all of them. Answers how many were alive. */
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

/** Takes away every session of a user, dead ones too, with their refresh tokens. Answers how many sessions went. */
export async function forgetSessions(tx: Transaction, caller: Caller): Promise<number> {
  const { nativeSessions, refreshTokens } = tx.tables
  // Waits for refreshes that run, so that their tokens are deleted as well, and refuses the next.
  await revokeSessions(tx, caller)
  const theirs = tx.select({ id: nativeSessions.id }).from(nativeSessions).where(ownedBy(tx, caller))
  await tx.delete(refreshTokens).where(inArray(refreshTokens.sessionId, theirs))
  return (await tx.delete(nativeSessions).where(ownedBy(tx, caller)).returning()).length
}

/** Whose sessions there are, dead ones too. */
export const listSessionOwners = (reader: Reader) => eachName(reader, reader.tables.nativeSessions)

/** How many sessions of a user there are, dead ones too. */
export async function countSessions(reader: Reader, caller: Caller): Promise<number> {
  const { nativeSessions } = reader.tables
  const rows = await reader
    .select({ id: nativeSessions.id })
    .from(nativeSessions)
    .where(ownedBy(reader, caller))
  return rows.length
}
