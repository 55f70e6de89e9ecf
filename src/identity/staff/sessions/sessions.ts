/** Sessions of staff. They last for a working day and cannot be extended. */
import { and, eq, gt, isNull, ne, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../../db/index.ts'
import { prepared } from '../../../../db/prepared.ts'
import { hasNoIssuer } from '../../../core/staff-ids.ts'
import { endRequestsWithoutRole } from '../approvals/end-requests.ts'
import { roleOf, type Staff } from '../staff.ts'
import { hashSecret, mintSecret } from './secrets.ts'

export const SESSION_MS = 8 * 3_600_000

export interface StaffSession {
  id: string
  staff: Staff
  expiresAt: Date
  lastUsedAt: Date
}

export interface NewSession extends StaffSession {
  /** For the cookie. Not stored. */
  token: string
}

/**
 * Always creates a new token, so that a token from before the sign-in is worthless. `providerSession`: the `sid` of a
 * sign-in with the provider. Ends approval requests of the person that the role does not allow.
 */
export async function createSession(
  tx: Transaction,
  staff: Staff,
  providerSession: string | null = null,
): Promise<NewSession> {
  const token = mintSecret(tx.randomBytes)
  const [id, createdAt] = [tx.newId(), tx.now()]
  const expiresAt = new Date(createdAt.getTime() + SESSION_MS)
  const { id: staffId, name, role } = staff
  await tx.insert(tx.tables.consoleSessions).values({
    id,
    hash: hashSecret(token),
    staffId,
    name,
    role,
    providerSession,
    createdAt,
    expiresAt,
    lastUsedAt: createdAt,
  })
  await endRequestsWithoutRole(tx, staff)
  return { id, staff, expiresAt, lastUsedAt: createdAt, token }
}

/** Ends sessions of the person in another role, which the provider has just removed. */
export async function endSessionsInOtherRoles(tx: Transaction, { id, role }: Staff): Promise<void> {
  const { consoleSessions } = tx.tables
  await tx
    .update(consoleSessions)
    .set({ endedAt: tx.now() })
    .where(
      and(eq(consoleSessions.staffId, id), ne(consoleSessions.role, role), isNull(consoleSessions.endedAt)),
    )
}

/** Locks a session against its end. False if it has ended. */
export async function lockSession(tx: Transaction, id: string): Promise<boolean> {
  const { consoleSessions } = tx.tables
  const locked = await tx
    .update(consoleSessions)
    .set({ lastUsedAt: sql`${consoleSessions.lastUsedAt}` })
    .where(and(eq(consoleSessions.id, id), isNull(consoleSessions.endedAt)))
    .returning()
  return locked.length > 0
}

/** The session of a token; null if it is unknown, expired or ended. */
export async function findSession(reader: Reader, token: string): Promise<StaffSession | null> {
  const [row] = await selectSession(reader, hashSecret(token), reader.now())
  return row && !hasNoIssuer(row.staffId) ? sessionOf(row) : null
}

/** Returns false if it had already ended. */
export async function endSession(tx: Transaction, id: string): Promise<boolean> {
  const { consoleSessions } = tx.tables
  const ended = await tx
    .update(consoleSessions)
    .set({ endedAt: tx.now() })
    .where(and(eq(consoleSessions.id, id), isNull(consoleSessions.endedAt)))
    .returning()
  return ended.length > 0
}

/** Like `endSession`, for the session of a token. An unknown token changes nothing. */
export async function endSessionOfToken(tx: Transaction, token: string): Promise<void> {
  const { consoleSessions } = tx.tables
  await tx
    .update(consoleSessions)
    .set({ endedAt: tx.now() })
    .where(and(eq(consoleSessions.hash, hashSecret(token)), isNull(consoleSessions.endedAt)))
}

const selectSession = prepared((reader: Reader, hash: string, now: Date) => {
  const { consoleSessions } = reader.tables
  return reader
    .select()
    .from(consoleSessions)
    .where(
      and(
        eq(consoleSessions.hash, hash),
        isNull(consoleSessions.endedAt),
        gt(consoleSessions.expiresAt, now),
      ),
    )
})

const sessionOf = (row: Tables['consoleSessions']['$inferSelect']): StaffSession => ({
  id: row.id,
  staff: { id: row.staffId, name: row.name, role: roleOf(row.role) },
  expiresAt: row.expiresAt,
  lastUsedAt: row.lastUsedAt,
})
