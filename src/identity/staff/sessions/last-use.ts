/**
 * Records the last use of each session, precise to the minute, in the background: at most one write per session, minute and
 * process.
 */
import { and, eq, lt } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { Database, Transaction } from '../../../../db/index.ts'
import type { StaffSession } from './sessions.ts'

const MINUTE_MS = 60_000

/** Returns a function that records the use of a session; it neither waits nor throws. */
export function createUseRecorder({ db, log }: { db: Database; log: Logger }) {
  /** The minute that this process has recorded, or tried to, by id of the session. */
  const recorded = new LRUCache<string, number>({ max: 1_000 })
  return ({ id, lastUsedAt }: Pick<StaffSession, 'id' | 'lastUsedAt'>): void => {
    const now = db.read.now().getTime()
    const minute = now - (now % MINUTE_MS)
    if (recorded.get(id) === minute || lastUsedAt.getTime() >= minute) return
    recorded.set(id, minute)
    db.write(tx => recordUse(tx, id, new Date(minute))).catch(error =>
      log.warn({ error }, 'the last use of a session of staff was not recorded'),
    )
  }
}

async function recordUse(tx: Transaction, id: string, lastUsedAt: Date): Promise<void> {
  const { consoleSessions } = tx.tables
  await tx
    .update(consoleSessions)
    .set({ lastUsedAt })
    .where(and(eq(consoleSessions.id, id), lt(consoleSessions.lastUsedAt, lastUsedAt)))
}
