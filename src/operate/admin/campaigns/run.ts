/**
 * Sends campaigns, in every process. One statement fixes the fans of a campaign, and batches write their messages, each in a unit of
 * work that holds the campaign's row: each fan gets it once, however often processes stop, and however many run.
 */
import { and, asc, eq, inArray, isNotNull, lte, or, sql } from 'drizzle-orm'
import { deleteInBatches, restAfter } from '../../../../db/batches.ts'
import { deleteRows, insertRows, updateRows } from '../../../../db/bulk.ts'
import type { Database, Reader, Tables, Transaction } from '../../../../db/index.ts'
import { isListed, toList } from '../../../../db/listed.ts'
import { countRows } from '../../../../db/pages.ts'
import { parseWhen } from '../../../club/segments/segment-kind.ts'
import { queueAgain } from '../../../delivery/push/hold.ts'
import { writeMessages } from '../../../fan/messages/write-messages.ts'
import { lockFans } from '../../../identity/users/locks.ts'
import { timeZoneOf } from '../../../platform/settings/settings.ts'
import { isMember } from '../segments/segments.ts'
import { type Campaign, type CampaignRow, lockRow, readZones } from './campaigns.ts'
import { dueIn } from './due.ts'

type FanRow = Tables['messageCampaignFans']['$inferSelect']

/** Fans of one unit of work. */
const TOGETHER = 500

interface RunOptions {
  size?: number
  stopping?: () => boolean
}

/** Returns the number of messages. */
export async function runCampaigns(
  { db }: { db: Database },
  { size = TOGETHER, stopping = () => false }: RunOptions = {},
): Promise<number> {
  let sum = 0
  for (const id of await readDue(db.read))
    while (!stopping()) {
      const began = performance.now()
      const batch = await db.write(tx => runBatch(tx, id, size))
      if (!batch) break
      sum += batch.sent
      await restAfter(began)
    }
  return sum
}

/** Campaigns with something to do now. */
async function readDue(reader: Reader): Promise<string[]> {
  const { messageCampaigns: rows, messageCampaignFans: fans } = reader.tables
  const now = reader.now()
  const isQueued = and(eq(fans.campaignId, rows.id), sql`${fans.state} = 'queued'`)
  const waits = sql`exists (select 1 from ${fans} where ${isQueued})`
  const isDue = sql`exists (select 1 from ${fans} where ${and(isQueued, lte(fans.dueAt, now))})`
  const found = await reader
    .select({ id: rows.id })
    .from(rows)
    .where(
      or(
        and(eq(rows.state, 'scheduled'), lte(rows.beginsAt, now)),
        and(eq(rows.state, 'running'), or(isNotNull(rows.resumedAt), isDue, sql`not ${waits}`)),
      ),
    )
    .orderBy(asc(rows.beginsAt), asc(rows.id))
  return found.map(({ id }) => id)
}

/** Null: nothing is left to do now. */
async function runBatch(tx: Transaction, id: string, size: number): Promise<{ sent: number } | null> {
  const row = await lockRow(tx, id)
  if (row?.state === 'scheduled') return row.beginsAt <= tx.now() ? fixFans(tx, row) : null
  if (row?.state !== 'running') return null
  // What the stop has held back comes before what was never sent.
  if (row.resumedAt !== null) return resume(tx, id, size)
  return (await sendBatch(tx, row, size)) ?? finish(tx, id)
}

/** Who is in the segment when this statement begins, and when each of them is due. */
async function fixFans(tx: Transaction, { id, content, definition }: CampaignRow) {
  const { users, notificationPreferences: preferences, messageCampaigns, messageCampaignFans } = tx.tables
  // Guarantee of the cast: `startCampaign` wrote it.
  const { at } = JSON.parse(content) as Campaign
  const dueOf = (zone: string) => sql.param(dueIn(at, zone), messageCampaignFans.dueAt)
  const cases = (await readZones(tx)).map(zone => sql`when ${zone} then ${dueOf(zone)}`)
  const standard = dueOf(await timeZoneOf(tx))
  const dueAt = sql`case ${preferences.timeZone} ${sql.join([...cases, sql`when '' then ${standard}`], sql` `)} else ${standard} end`
  const type = sql.raw(messageCampaignFans.dueAt.getSQLType())
  await tx.insert(messageCampaignFans).select(
    sql`select ${id}, ${users.id}, 'queued', cast(${dueAt} as ${type}), null from ${users}
        left join ${preferences} on ${eq(preferences.userId, users.id)}
        where ${isMember(tx, definition === null ? [] : parseWhen(definition))}`,
  )
  const fixed = await countRows(tx, messageCampaignFans, eq(messageCampaignFans.campaignId, id))
  await tx
    .update(messageCampaigns)
    .set({ state: 'running', listedAt: tx.now(), fans: fixed })
    .where(eq(messageCampaigns.id, id))
  return { sent: 0 }
}

async function resume(tx: Transaction, id: string, size: number) {
  const { messageCampaigns: rows, messageCampaignFans: fans } = tx.tables
  const queued = await queueAgain(
    tx,
    ({ userId, messageId }) => sql`exists (select 1 from ${fans}
      where ${and(eq(fans.campaignId, id), eq(fans.userId, userId), eq(fans.messageId, messageId))})`,
    size,
  )
  if (queued < size) await tx.update(rows).set({ resumedAt: null }).where(eq(rows.id, id))
  return { sent: 0 }
}

async function sendBatch(tx: Transaction, { id, content, ...counts }: CampaignRow, size: number) {
  const { messageCampaigns, messageCampaignFans: fans } = tx.tables
  const isQueued = and(eq(fans.campaignId, id), sql`${fans.state} = 'queued'`)
  const due = await tx
    .select({ userId: fans.userId })
    .from(fans)
    .where(and(isQueued, lte(fans.dueAt, tx.now())))
    .orderBy(asc(fans.dueAt), asc(fans.userId))
    .limit(size)
  if (due.length === 0) return null
  const userIds = due.map(({ userId }) => userId)
  // An erasure or a merge, which deletes or moves the rows, and this run one after the other.
  const locked = await lockFans(tx, userIds)
  const rows = await tx
    .select()
    .from(fans)
    .where(and(isQueued, isListed(tx, fans.userId, toList(userIds))))
  const isActive = ({ userId }: FanRow) => {
    const fan = locked.get(userId)
    return fan?.state === 'active' && fan.id === userId
  }
  await leaveOut(
    tx,
    rows.filter(row => !isActive(row)),
    locked,
  )
  const active = rows.filter(isActive)
  // Guarantee of the cast: `startCampaign` wrote it. Its segment has been judged.
  const campaign = { ...(JSON.parse(content) as Campaign), segment: null }
  const causes = active.map(({ userId }) => ({ userId, cause: causeOf(id), type: CAMPAIGN, data: null }))
  const written = await writeMessages(tx, new Map([[CAMPAIGN, [campaign]]]), causes, { bulk: true })
  const messageOf = new Map(written.map(message => [message.userId, message.id]))
  await updateRows(
    tx,
    fans,
    active.map(row => {
      const messageId = messageOf.get(row.userId) ?? null
      return { ...row, state: messageId === null ? 'skipped' : 'sent', messageId }
    }),
    ['state', 'messageId'],
  )
  const sent = counts.sent + written.length
  const skipped = counts.skipped + active.length - written.length
  await tx.update(messageCampaigns).set({ sent, skipped }).where(eq(messageCampaigns.id, id))
  return { sent: written.length }
}

const CAMPAIGN = 'campaign'
const causeOf = (id: string) => `${CAMPAIGN} ${id}`

/** Fans who were erased or merged while they were fixed: the fan of a merge waits in the place of the other, unless both were. */
async function leaveOut(tx: Transaction, rows: FanRow[], locked: Awaited<ReturnType<typeof lockFans>>) {
  const { messageCampaignFans: fans } = tx.tables
  await deleteRows(tx, fans, rows)
  const merged = rows.flatMap(row => {
    const fan = locked.get(row.userId)
    return fan && fan.id !== row.userId ? [{ ...row, userId: fan.id }] : []
  })
  await insertRows(tx, fans, merged, 'skip')
}

async function finish(tx: Transaction, id: string): Promise<null> {
  const { messageCampaigns: rows, messageCampaignFans: fans } = tx.tables
  const [waiting] = await tx
    .select({ userId: fans.userId })
    .from(fans)
    .where(and(eq(fans.campaignId, id), sql`${fans.state} = 'queued'`))
    .limit(1)
  if (!waiting) await tx.update(rows).set({ state: 'finished', finishedAt: tx.now() }).where(eq(rows.id, id))
  return null
}

const KEPT_MS = 90 * 86_400_000

/** Ends what was stopped long ago, and deletes who got old campaigns: their counts stay. */
export async function sweepCampaigns(db: Database): Promise<void> {
  const before = new Date(db.read.now().getTime() - KEPT_MS)
  const { messageCampaigns: rows, messageCampaignFans: fans } = db.tables
  await db.write(tx =>
    tx
      .update(rows)
      .set({ state: 'finished', finishedAt: tx.now() })
      .where(and(eq(rows.state, 'stopped'), lte(rows.stoppedAt, before))),
  )
  const old = await db.read
    .select({ id: rows.id })
    .from(rows)
    .where(and(eq(rows.state, 'finished'), lte(rows.finishedAt, before)))
  const ids = old.map(({ id }) => id)
  if (ids.length > 0) await deleteInBatches(db, fans, () => inArray(fans.campaignId, ids))
}
