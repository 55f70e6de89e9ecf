/** What metrics read of campaigns: how many are in each state, and the fans who should have got theirs. */
import { and, asc, count, eq, inArray, lte, min, sql } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'

/** Of a campaign; more are not counted. */
const MAX_COUNTED = 10_000

/** States that end by what staff or the task do. */
const OPEN_STATES = ['scheduled', 'running', 'stopped'] as const

/** `since`: when the first of the fans was due, or its campaign was started after that; null without one. */
export async function readCampaignBacklog(reader: Reader) {
  const { messageCampaigns: campaigns, messageCampaignFans: fans } = reader.tables
  const now = reader.now()
  const { id, state, startedAt, beginsAt } = campaigns
  const open = await reader
    .select({ id, state, startedAt, beginsAt })
    .from(campaigns)
    .where(inArray(state, [...OPEN_STATES]))
  let waiting = 0
  const times: number[] = []
  for (const campaign of open.filter(row => row.state !== 'stopped')) {
    const isDue = and(eq(fans.campaignId, campaign.id), sql`${fans.state} = 'queued'`, lte(fans.dueAt, now))
    const first = reader.select({ dueAt: fans.dueAt }).from(fans).where(isDue).orderBy(asc(fans.dueAt))
    const due = first.limit(MAX_COUNTED).as('due')
    const [found] = await reader.select({ fans: count(), oldest: min(due.dueAt) }).from(due)
    waiting += Number(found?.fans)
    // Of one that is scheduled the fans are not fixed.
    const oldest = campaign.state === 'scheduled' ? campaign.beginsAt : found?.oldest
    if (oldest && oldest <= now) times.push(Math.max(oldest.getTime(), campaign.startedAt.getTime()))
  }
  return {
    states: OPEN_STATES.map(name => ({ name, campaigns: open.filter(row => row.state === name).length })),
    waiting,
    since: times.length === 0 ? null : new Date(Math.min(...times)),
  }
}
