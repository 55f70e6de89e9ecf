/** How far a campaign is: fans who wait for it and got it, what became of its pushes, and who read it. */
import { and, asc, count, eq, gt, lte, sql } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { defaultOf } from '../../../club/catalogue/texts.ts'
import { HELD } from '../../../delivery/push/hold.ts'
import { type KnownCampaign, listKnown, readKnown, stateOf } from './campaigns.ts'

/** The newest start first, then those that were never started. */
export async function listCampaignSummaries(reader: Reader) {
  const found = (await listKnown(reader)).map(summarize)
  const startOf = ({ startedAt }: ReturnType<typeof summarize>) => startedAt ?? ''
  return found.toSorted((a, b) => (startOf(a) < startOf(b) ? 1 : -1))
}

function summarize({ campaign, active, row }: KnownCampaign) {
  const { id, at, segment = null, category, push = false, title } = campaign
  return {
    id,
    state: stateOf(row),
    at,
    segment,
    category,
    push,
    title: defaultOf(title),
    active,
    startedAt: row?.startedAt.toISOString() ?? null,
    beginsAt: row?.beginsAt.toISOString() ?? null,
    stoppedAt: row?.stoppedAt?.toISOString() ?? null,
    finishedAt: row?.finishedAt?.toISOString() ?? null,
    /** Null: they are not fixed yet. */
    fans: row?.listedAt ? row.fans : null,
    sent: row?.sent ?? 0,
  }
}

/** Fans that one statement counts. */
const TOGETHER = 10_000

const NO_COUNTS = {
  /** Fans who wait. */
  queued: 0,
  read: 0,
  clicked: 0,
  devices: { queued: 0, held: 0, sent: 0, gone: 0, failed: 0, skipped: 0 },
}

/** @throws DomainError `campaign_not_found` */
export async function reportCampaign(reader: Reader, id: string) {
  const known = await readKnown(reader, id)
  const { row } = known
  const counts = structuredClone(NO_COUNTS)
  for (let after = ''; row; ) {
    const last = await readLast(reader, id, after)
    if (last === null) break
    await addCounts(reader, counts, { id, after, last })
    after = last
  }
  const { fans = 0, sent = 0, skipped = 0 } = row ?? {}
  const gone = row?.listedAt ? fans - sent - skipped - counts.queued : 0
  return { ...summarize(known), skipped, ...counts, left: Math.max(0, gone) }
}

/** The last fan of the next part. */
async function readLast(reader: Reader, id: string, after: string): Promise<string | null> {
  const { campaignId, userId } = reader.tables.messageCampaignFans
  const part = reader
    .select({ userId })
    .from(reader.tables.messageCampaignFans)
    .where(and(eq(campaignId, id), gt(userId, after)))
    .orderBy(asc(userId))
    .limit(TOGETHER)
    .as('part')
  const [found] = await reader.select({ last: sql<string | null>`max(${part.userId})` }).from(part)
  return found?.last ?? null
}

async function addCounts(
  reader: Reader,
  counts: typeof NO_COUNTS,
  { id, after, last }: { id: string; after: string; last: string },
): Promise<void> {
  const { messageCampaignFans: fans, messages, pushDeliveries: pushes } = reader.tables
  const isPart = and(eq(fans.campaignId, id), gt(fans.userId, after), lte(fans.userId, last))
  const [own] = await reader
    .select({
      queued: sum(sql`${fans.state} = 'queued'`),
      read: sum(sql`${messages.readAt} is not null or ${messages.clickedAt} is not null`),
      clicked: sum(sql`${messages.clickedAt} is not null`),
    })
    .from(fans)
    .leftJoin(messages, eq(messages.id, fans.messageId))
    .where(isPart)
  counts.queued += own?.queued ?? 0
  counts.read += own?.read ?? 0
  counts.clicked += own?.clicked ?? 0
  const { state, reason } = pushes
  const rows = await reader
    .select({ state, reason, pushes: count() })
    .from(fans)
    .innerJoin(pushes, and(eq(pushes.userId, fans.userId), eq(pushes.messageId, fans.messageId)))
    .where(isPart)
    .groupBy(state, reason)
  for (const row of rows) counts.devices[outcomeOf(row)] += row.pushes
}

const sum = (condition: ReturnType<typeof sql>) =>
  sql<number>`coalesce(sum(case when ${condition} then 1 else 0 end), 0)`.mapWith(Number)

function outcomeOf({ state, reason }: { state: string; reason: string | null }) {
  if (state === 'pending') return 'queued'
  if (reason === HELD) return 'held'
  if (reason === 'gone') return 'gone'
  return state === 'sent' || state === 'failed' ? state : 'skipped'
}
