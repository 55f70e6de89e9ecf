/** Pushes that are held back: of a campaign that staff have stopped, until it continues, and in the quiet hours of their fan. */
import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import { updateRows } from '../../../db/bulk.ts'
import type { Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { isWaiting } from './devices.ts'
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

/** The reason of a push that waits for the end of quiet hours. It stays pending. */
export const QUIET = 'quiet_hours'

type Rows = Tables['pushDeliveries']

/** Those whose end has come are due. */
export const isHeldByQuietHours = ({ reason, dueAt }: Rows, now: Date): SQL =>
  sql`(coalesce(${reason}, '') = 'quiet_hours' and ${gt(dueAt, now)})`

/** Locks all: a turn that decides by the preferences before the change ends first, and what it has held is found. */
const lockWaiting = prepared((tx: Transaction, fanId: string) => {
  const { pushDeliveries: rows } = tx.tables
  return locksForUpdate(
    tx,
    tx
      .select()
      .from(rows)
      .where(and(eq(rows.userId, fanId), isWaiting(tx)))
      .orderBy(asc(rows.deviceId), asc(rows.position)),
  )
})

/** The preferences of the fan have changed: what quiet hours hold is decided again. */
export async function decideAgain(tx: Transaction, fanId: string): Promise<void> {
  const held = (await lockWaiting(tx, fanId)).filter(({ reason }) => reason === QUIET)
  if (held.length === 0) return
  const due = held.map(row => ({ ...row, dueAt: tx.now() }))
  await updateRows(tx, tx.tables.pushDeliveries, due, ['dueAt'])
  tx.spine.push.queued.announce(tx, queuesOf(held))
}
