/** Queues pushes in the unit of work that writes their messages. Without a device nothing is written. */
import { and, asc, lt, ne, sql } from 'drizzle-orm'
import { deleteInBatches } from '../../../db/batches.ts'
import { insertNewRows } from '../../../db/bulk.ts'
import type { Database, Tables, Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Category } from '../../club/notifications/categories.ts'
import { queuesOf } from './spine.ts'

/** The unit of work has locked the fan. */
export interface Push {
  userId: string
  /** A repetition with the same id is one push. */
  messageId: string
  category: Category
  title: string
  body: string
  url: string | null
  imageUrl: string | null
  /** A later push with this key replaces one that waits, or that the device shows. */
  collapseKey: string | null
  /** Null: as soon as possible. */
  notBefore: Date | null
  /** Another fan who caused it: nothing is sent to a fan who has blocked or muted this one, or is blocked by this one. */
  senderId: string | null
}

/** As it is stored and sent. */
export type PushContent = Pick<Push, 'title' | 'body' | 'url' | 'imageUrl'>

/** More at once are for many fans: pushes for single fans go before them. */
const MAX_SINGLE = 50
/** Live Activities count the changes of a match within a millisecond. */
const STEP = 1_000

const selectDevices = prepared((tx: Transaction, userIds: string) => {
  const { devices } = tx.tables
  const { userId, deviceId, service } = devices
  return tx
    .select({ userId, deviceId, service })
    .from(devices)
    .where(and(isListed(tx, userId, userIds), ne(devices.kind, 'live_activity')))
    .orderBy(asc(userId), asc(deviceId))
})

/** Queues each push for each device of its fan, and returns the number of rows. They are sent after the commit, in the order of their ids. */
export async function enqueuePushes(
  tx: Transaction,
  pushes: Push[],
  { bulk = pushes.length > MAX_SINGLE } = {},
): Promise<number> {
  if (pushes.length === 0) return 0
  const found = await selectDevices(tx, toList([...new Set(pushes.map(({ userId }) => userId))]))
  const byFan = Map.groupBy(found, ({ userId }) => userId)
  const rows = pushes.flatMap(push =>
    (byFan.get(push.userId) ?? []).map(device => ({
      ...device,
      messageId: push.messageId,
      position: tx.now().getTime() * STEP,
      bulk,
      category: push.category,
      content: contentOf(push),
      collapseKey: push.collapseKey,
      senderId: push.senderId,
      dueAt: push.notBefore ?? tx.now(),
    })),
  )
  return queueRows(tx, rows)
}

const contentOf = ({ title, body, url, imageUrl }: PushContent): string =>
  JSON.stringify({ title, body, url, imageUrl } satisfies PushContent)

type QueuedPush = Pick<
  Tables['pushDeliveries']['$inferInsert'],
  | 'userId'
  | 'deviceId'
  | 'messageId'
  | 'position'
  | 'service'
  | 'bulk'
  | 'category'
  | 'content'
  | 'collapseKey'
  | 'senderId'
  | 'dueAt'
>

/** Rows that exist stay as they are. */
async function queueRows(tx: Transaction, rows: QueuedPush[]): Promise<number> {
  const pending = rows.map(row => ({ ...row, state: 'pending', attempts: 0, createdAt: tx.now() }))
  const queued = await insertNewRows(tx, tx.tables.pushDeliveries, pending)
  if (queued.length > 0) tx.spine.push.queued.announce(tx, queuesOf(queued))
  return queued.length
}

const RETENTION_MS = 30 * 86_400_000

/** iOS ends a Live Activity after 12 hours at most. */
const ACTIVITY_MS = 2 * 86_400_000

/** Deletes pushes that have been kept long enough, and Live Activities whose end was not sent. */
export async function sweepPushes(db: Database): Promise<void> {
  const { devices, pushDeliveries } = db.tables
  await deleteInBatches(
    db,
    devices,
    tx =>
      sql`${devices.matchId} is not null and ${lt(devices.lastUsedAt, new Date(tx.now().getTime() - ACTIVITY_MS))}`,
  )
  await deleteInBatches(db, pushDeliveries, tx =>
    lt(pushDeliveries.createdAt, new Date(tx.now().getTime() - RETENTION_MS)),
  )
}
