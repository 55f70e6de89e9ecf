/** Deletes old links and sessions, except used invitations, and approval requests about erased fans. The audit log keeps who signed in and when. */
import { and, isNull, lt, or } from 'drizzle-orm'
import type { Database } from '../../../db/index.ts'
import { clearExpiredRequests } from './approvals/approvals.ts'
import { endRequestsAboutErased } from './approvals/end-requests.ts'
import { LINK_MATTERS_MS } from './sessions/inviters.ts'

export async function sweepConsole(db: Database): Promise<void> {
  await db.write(async tx => {
    const { consoleLinks, consoleSessions } = tx.tables
    const { expiresAt, usedAt, invitedById } = consoleLinks
    const isOver = lt(expiresAt, new Date(tx.now().getTime() - LINK_MATTERS_MS))
    // Used invitations are kept: an appeal may be decided years later, by another person than the sanction.
    await tx.delete(consoleLinks).where(and(isOver, or(isNull(usedAt), isNull(invitedById))))
    await tx.delete(consoleSessions).where(lt(consoleSessions.expiresAt, tx.now()))
    await endRequestsAboutErased(tx)
  })
  await clearExpiredRequests(db)
}
