/** Deletes old links and sessions, and approval requests about erased fans. The audit log keeps who signed in and when. */
import { lt } from 'drizzle-orm'
import type { Database } from '../../../db/index.ts'
import { clearExpiredRequests } from './approvals/approvals.ts'
import { endRequestsAboutErased } from './approvals/end-requests.ts'

/**
 * A link that is used again within this time is reported as such. Longer than a session and a request for approval together,
 * which `readInviters` compares.
 */
const LINKS_KEPT_MS = 48 * 3_600_000

export async function sweepConsole(db: Database): Promise<void> {
  await db.write(async tx => {
    const { consoleLinks, consoleSessions } = tx.tables
    await tx
      .delete(consoleLinks)
      .where(lt(consoleLinks.expiresAt, new Date(tx.now().getTime() - LINKS_KEPT_MS)))
    await tx.delete(consoleSessions).where(lt(consoleSessions.expiresAt, tx.now()))
    await endRequestsAboutErased(tx)
  })
  await clearExpiredRequests(db)
}
