/** Pushes of a campaign that staff have stopped: held back, and queued again when it continues. */
import { and, asc, type SQL, sql } from 'drizzle-orm'
import { updateRows } from '../../../db/bulk.ts'
import type { Tables, Transaction } from '../../../db/index.ts'
import { queuesOf } from './spine.ts'

/** The reason of a push that is held back. It keeps its content. */
export const HELD = 'campaign_stopped'

/** Queues those that meet the condition, at most `max`, and returns how many. */
export async function queueAgain(
  tx: Transaction,
  isOf: (rows: Tables['pushDeliveries']) => SQL,
  max: number,
): Promise<number> {
  const { pushDeliveries: rows } = tx.tables
  // Literal: a parameter would not match the partial index.
  const held = await tx
    .select()
    .from(rows)
    .where(and(sql`${rows.reason} = 'campaign_stopped'`, isOf(rows)))
    .orderBy(asc(rows.userId))
    .limit(max)
  const again = { state: 'pending', reason: null, endedAt: null, dueAt: tx.now() }
  await updateRows(
    tx,
    rows,
    held.map(row => ({ ...row, ...again })),
    ['state', 'reason', 'endedAt', 'dueAt'],
  )
  if (held.length > 0) tx.spine.push.queued.announce(tx, queuesOf(held))
  return held.length
}
