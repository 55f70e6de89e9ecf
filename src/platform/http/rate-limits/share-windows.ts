/** Shares the rate limits of several instances through their database. */
import { createHmac } from 'node:crypto'
import { and, gt, lte, sql } from 'drizzle-orm'
import { type Database, DatabaseError, type Transaction } from '../../../../db/index.ts'
import { type Policy, type RateLimiter, type Window, windowMsOf } from './rate-limiter.ts'

/** Rows of one statement. */
const BATCH = 500

/**
 * Adds the counts of this instance to the shared windows, and reads those of the others. While the database is
 * unavailable, each instance continues with its own counts.
 */
export async function shareWindows(db: Database, limiter: RateLimiter, secret: Buffer): Promise<void> {
  // All instances use the same order, which prevents deadlocks.
  const named = limiter
    .takeUnshared()
    .map(window => ({ window, key: hashOf(window, secret) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  for (let start = 0; start < named.length; start += BATCH) {
    const batch = new Map(named.slice(start, start + BATCH).map(({ window, key }) => [key, window]))
    await share(db, limiter, batch)
  }
}

async function share(db: Database, limiter: RateLimiter, batch: Map<string, Window>): Promise<void> {
  const added = new Map(
    [...batch].map(([key, { unshared, policy }]) => [key, { used: unshared, policy }] as const),
  )
  try {
    const { rows, now } = await db.write(async tx => ({ rows: await add(tx, added), now: tx.now() }))
    for (const { key, used, endsAt } of rows) {
      const window = batch.get(key)
      if (!window) continue
      // `used` does not include requests that were counted during the write.
      window.unshared -= added.get(key)?.used ?? 0
      window.used = used + window.unshared
      window.endsAt = limiter.monotonic() + (endsAt.getTime() - now.getTime())
    }
  } catch (error) {
    // `unshared` is unchanged: the next request of that key shares it again.
    if (!(error instanceof DatabaseError)) throw error
  }
}

/**
 * Adds counts to the windows. Restarts a window that has ended, or that ends later than a new one would because a
 * clock was set back.
 */
async function add(tx: Transaction, added: Map<string, { used: number; policy: Policy }>) {
  const { rateLimitWindows: table } = tx.tables
  const endOf = (policy: Policy) => new Date(tx.now().getTime() + windowMsOf(policy))
  const live = and(gt(table.endsAt, tx.now()), lte(table.endsAt, sql`excluded.ends_at`))
  return tx
    .insert(table)
    .values([...added].map(([key, { used, policy }]) => ({ key, used, endsAt: endOf(policy) })))
    .onConflictDoUpdate({
      target: table.key,
      set: {
        used: sql`case when ${live} then ${table.used} + excluded.used else excluded.used end`,
        endsAt: sql`case when ${live} then ${table.endsAt} else excluded.ends_at end`,
      },
    })
    .returning()
}

export async function sweepWindows(db: Database): Promise<void> {
  await db.write(async tx => {
    const { rateLimitWindows } = tx.tables
    await tx.delete(rateLimitWindows).where(lte(rateLimitWindows.endsAt, tx.now()))
  })
}

/** Addresses and subjects are personal data: the database stores a keyed hash of them. */
function hashOf({ policy, key }: Window, secret: Buffer): string {
  return createHmac('sha256', secret).update(`${policy} ${key}`).digest('base64url')
}
