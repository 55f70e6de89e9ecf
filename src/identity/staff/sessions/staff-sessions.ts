/** Sessions of all staff: listed and ended by owners. */
import { and, asc, desc, eq, gt, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { endRequestsOf } from '../approvals/end-requests.ts'
import { consoleProblems } from '../problems.ts'
import { roleOf, type Staff } from '../staff.ts'

/** A club's staff sign in once a day, so their number limits the list. */
const MAX_SESSIONS = 500

export const isLive = (reader: Reader) => {
  const { consoleSessions } = reader.tables
  return and(isNull(consoleSessions.endedAt), gt(consoleSessions.expiresAt, reader.now()))
}

/** By name, the newest of each person first. */
export async function listSessions(reader: Reader) {
  const { consoleSessions } = reader.tables
  const rows = await reader
    .select()
    .from(consoleSessions)
    .where(isLive(reader))
    .orderBy(asc(consoleSessions.staffId), desc(consoleSessions.createdAt), asc(consoleSessions.id))
    .limit(MAX_SESSIONS)
  return rows.map(({ id, staffId, name, role, createdAt, expiresAt, lastUsedAt }) => ({
    id,
    staff: { id: staffId, name, role: roleOf(role) },
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }))
}

/**
 * Also ends approval requests of the person. @throws DomainError `session_not_found` if the session is unknown, expired or
 * ended
 */
export async function endStaffSession(tx: Transaction, id: string, by: Staff) {
  const { consoleSessions } = tx.tables
  const [ended] = await tx
    .update(consoleSessions)
    .set({ endedAt: tx.now() })
    .where(and(eq(consoleSessions.id, id), isLive(tx)))
    .returning()
  if (!ended) throw new DomainError(consoleProblems.session_not_found)
  const { staffId } = ended
  return { staffId, requests: await endRequestsOf(tx, staffId, by) }
}

/** Also ends unused links and open requests. Returns how many sessions and requests ended. */
export async function endSessionsOf(tx: Transaction, staffId: string, by: Staff) {
  const { consoleSessions, consoleLinks } = tx.tables
  await tx
    .update(consoleLinks)
    .set({ expiresAt: tx.now() })
    .where(
      and(
        eq(consoleLinks.staffId, staffId),
        isNull(consoleLinks.usedAt),
        gt(consoleLinks.expiresAt, tx.now()),
      ),
    )
  const ended = await tx
    .update(consoleSessions)
    .set({ endedAt: tx.now() })
    .where(and(eq(consoleSessions.staffId, staffId), isLive(tx)))
    .returning()
  return { ended: ended.length, requests: await endRequestsOf(tx, staffId, by) }
}
