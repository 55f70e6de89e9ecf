/** Records the last use of each key, precise to the hour, in the background: at most one write per key, hour and process. */
import { and, eq, isNull, lt, or } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Database, Transaction } from '../../../db/index.ts'
import type { ServerKeyRow } from './keys.ts'

const HOUR_MS = 3_600_000

/** Returns a function that records the use of a key; it neither waits nor throws. */
export function createUseRecorder({ db, log }: { db: Database; log: Logger }) {
  /** The hour that this process has recorded, or tried to, by id of the key. */
  const recorded = new Map<string, number>()
  return ({ id, lastUsedAt }: Pick<ServerKeyRow, 'id' | 'lastUsedAt'>): void => {
    const now = db.read.now().getTime()
    const hour = now - (now % HOUR_MS)
    if (recorded.get(id) === hour || (lastUsedAt !== null && lastUsedAt.getTime() >= hour)) return
    recorded.set(id, hour)
    db.write(tx => recordUse(tx, id, new Date(hour))).catch(error =>
      log.warn({ error }, 'the last use of a server key was not recorded'),
    )
  }
}

async function recordUse(tx: Transaction, id: string, lastUsedAt: Date): Promise<void> {
  const { serverKeys } = tx.tables
  const isLater = or(isNull(serverKeys.lastUsedAt), lt(serverKeys.lastUsedAt, lastUsedAt))
  await tx
    .update(serverKeys)
    .set({ lastUsedAt })
    .where(and(eq(serverKeys.id, id), isLater))
}
