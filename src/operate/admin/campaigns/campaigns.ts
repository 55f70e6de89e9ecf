/** Campaigns: notifications with `at`, which staff start and stop. A task sends them (`run.ts`). */
import { createHash } from 'node:crypto'
import { eq, isNotNull } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../../db/index.ts'
import { locksForUpdate } from '../../../../db/row-lock.ts'
import { listCampaigns } from '../../../club/notifications/notifications.ts'
import { findSegment } from '../../../club/segments/segment-kind.ts'
import { DomainError } from '../../../core/problems.ts'
import { messageProblems } from '../../../fan/messages/problems.ts'
import { timeZoneOf } from '../../../platform/settings/settings.ts'
import { dueIn } from './due.ts'

export type CampaignRow = Tables['messageCampaigns']['$inferSelect']

/** A notification with `at`. */
export type Campaign = Awaited<ReturnType<typeof listCampaigns>>[number]

export type CampaignState = 'draft' | 'scheduled' | 'running' | 'stopped' | 'finished'

/** Guarantee of the cast: the table checks it. A campaign without a row was never started. */
export const stateOf = (row: CampaignRow | undefined) => (row?.state ?? 'draft') as CampaignState

const findStored = async (reader: Reader, id: string): Promise<Campaign | undefined> =>
  (await listCampaigns(reader)).find(entry => entry.id === id)

/** What a start sends. @throws DomainError `campaign_not_found` */
export async function readCampaign(reader: Reader, id: string): Promise<Campaign> {
  const found = await findStored(reader, id)
  if (!found) throw new DomainError(messageProblems.campaign_not_found)
  return found
}

export interface KnownCampaign {
  /** As fans see it: of a campaign that was started, as it was then. */
  campaign: Campaign
  /** False: its notification is switched off, or no longer has `at`. */
  active: boolean
  row: CampaignRow | undefined
}

/** Null for what is not a campaign, and never was one. */
function knownOf(stored: Campaign | undefined, row: CampaignRow | undefined): KnownCampaign | null {
  // Guarantee of the cast: `startCampaign` wrote it.
  const campaign = row ? (JSON.parse(row.content) as Campaign) : stored
  return campaign ? { campaign, active: stored !== undefined && stored.active !== false, row } : null
}

/** By id. What was started is among them, whatever became of its notification. */
export async function listKnown(reader: Reader): Promise<KnownCampaign[]> {
  const { messageCampaigns: rows } = reader.tables
  const started = new Map((await reader.select().from(rows)).map(row => [row.id, row]))
  const stored = new Map((await listCampaigns(reader)).map(campaign => [campaign.id, campaign]))
  const ids = [...new Set([...started.keys(), ...stored.keys()])].toSorted()
  return ids.flatMap(id => knownOf(stored.get(id), started.get(id)) ?? [])
}

/** @throws DomainError `campaign_not_found` */
export async function readKnown(reader: Reader, id: string): Promise<KnownCampaign> {
  const { messageCampaigns: rows } = reader.tables
  const [row] = await reader.select().from(rows).where(eq(rows.id, id))
  const known = knownOf(await findStored(reader, id), row)
  if (!known) throw new DomainError(messageProblems.campaign_not_found)
  return known
}

/** Batches, a start and a stop come one after the other. */
export async function lockRow(tx: Transaction, id: string): Promise<CampaignRow | undefined> {
  const { messageCampaigns: rows } = tx.tables
  const [row] = await locksForUpdate(tx, tx.select().from(rows).where(eq(rows.id, id)))
  return row
}

/**
 * Releases a campaign: it is sent at its time, or at once if that is over. What it says is kept as it is now. After a stop the fans
 * who wait get it, and nobody twice. `previewed`: the version that was previewed.
 */
export async function startCampaign(tx: Transaction, id: string, previewed?: string): Promise<void> {
  const campaign = await readCampaign(tx, id)
  const definition = await readDefinition(tx, campaign)
  const content = JSON.stringify(campaign)
  if (previewed !== undefined && previewed !== (await versionOf(tx, campaign)))
    throw new DomainError(messageProblems.campaign_changed)
  const beginsAt = await readBeginning(tx, campaign)
  const { messageCampaigns: rows } = tx.tables
  const fresh = { id, state: 'scheduled', content, definition, beginsAt, startedAt: tx.now() }
  const counts = { fans: 0, sent: 0, skipped: 0 }
  const [created] = await tx
    .insert(rows)
    .values({ ...fresh, ...counts, listedAt: null, stoppedAt: null, resumedAt: null, finishedAt: null })
    .onConflictDoNothing()
    .returning({ id: rows.id })
  if (created) return
  const row = await lockRow(tx, id)
  if (row?.state === 'finished') throw new DomainError(messageProblems.campaign_finished)
  if (row?.state !== 'stopped') throw new DomainError(messageProblems.campaign_started)
  const again = { content, startedAt: tx.now(), stoppedAt: null }
  // Its fans stay those of the first start, once they are fixed.
  await tx
    .update(rows)
    .set(
      row.listedAt === null
        ? { ...again, state: 'scheduled', definition, beginsAt }
        : { ...again, state: 'running', resumedAt: tx.now() },
    )
    .where(eq(rows.id, id))
}

/** Changes with what it says and with the conditions of its segment: a preview has it, and a start with another one is refused. */
export async function versionOf(reader: Reader, campaign: Campaign): Promise<string> {
  const segment = campaign.segment == null ? undefined : await findSegment(reader, campaign.segment)
  const text = JSON.stringify([campaign, segment?.active, segment?.definition])
  return createHash('sha256').update(text).digest('base64url').slice(0, VERSION_LENGTH)
}

const VERSION_LENGTH = 22

/** JSON of the conditions of its segment; null without one. */
async function readDefinition(tx: Transaction, { active, segment: id }: Campaign): Promise<string | null> {
  const segment = id == null ? undefined : await findSegment(tx, id)
  if (active === false || (id != null && segment?.active !== true))
    throw new DomainError(messageProblems.campaign_inactive)
  return segment?.definition ?? null
}

/** The first of the times at which it is due for fans. */
async function readBeginning(reader: Reader, { at }: Campaign): Promise<Date> {
  const zones = [await timeZoneOf(reader), ...(await readZones(reader))]
  return new Date(Math.min(...zones.map(zone => dueIn(at, zone).getTime())))
}

/** Time zones that fans have chosen. */
export async function readZones(reader: Reader): Promise<string[]> {
  const { notificationPreferences: preferences } = reader.tables
  const rows = await reader
    .selectDistinct({ zone: preferences.timeZone })
    .from(preferences)
    .where(isNotNull(preferences.timeZone))
  return rows.flatMap(({ zone }) => zone ?? [])
}

/** Ends after the batch that runs. Pushes that wait are held back until another start. */
export async function stopCampaign(tx: Transaction, id: string): Promise<void> {
  await readKnown(tx, id)
  const row = await lockRow(tx, id)
  if (row?.state !== 'scheduled' && row?.state !== 'running')
    throw new DomainError(messageProblems.campaign_not_running)
  const { messageCampaigns: rows } = tx.tables
  await tx.update(rows).set({ state: 'stopped', stoppedAt: tx.now(), resumedAt: null }).where(eq(rows.id, id))
}
