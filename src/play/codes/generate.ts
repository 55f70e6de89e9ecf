/** Generates codes of a campaign, voids those that nobody has used, and counts. The codes themselves are not stored. */
import { and, asc, count, eq, gt, gte, inArray, isNull, lt, sql } from 'drizzle-orm'
import { insertNewRows } from '../../../db/bulk.ts'
import type { Reader, Transaction } from '../../../db/index.ts'
import { countRows } from '../../../db/pages.ts'
import { windowAt } from '../../core/windows.ts'
import { timeZoneOf } from '../../platform/settings/settings.ts'
import type { CampaignRow } from './campaign-kind.ts'
import { CODE_BYTES, hashOfCode, mintCode, normalizeCode } from './code.ts'

export async function findCampaign(reader: Reader, id: string): Promise<CampaignRow | undefined> {
  const { campaigns } = reader.tables
  const [row] = await reader.select().from(campaigns).where(eq(campaigns.id, id))
  return row
}

/** Stores the hashes of new codes, and returns the codes: nobody can read them again. */
export async function generateCodes(tx: Transaction, campaignId: string, size: number): Promise<string[]> {
  const codes = new Map<string, string>()
  while (codes.size < size) {
    const code = mintCode(tx.randomBytes(CODE_BYTES))
    codes.set(hashOfCode(normalizeCode(code) ?? ''), code)
  }
  const createdAt = tx.now()
  const rows = [...codes.keys()].map(hash => ({ hash, campaignId, createdAt }))
  // A code that exists already is left out.
  const made = await insertNewRows(tx, tx.tables.campaignCodes, rows)
  return made.flatMap(({ hash }) => codes.get(hash) ?? [])
}

/** The hashes of unused codes, in their order, in pages. */
export async function listUnused(
  reader: Reader,
  campaignId: string,
  { after, size }: { after: string; size: number },
): Promise<string[]> {
  const { campaignCodes } = reader.tables
  const { hash } = campaignCodes
  const rows = await reader
    .select({ hash })
    .from(campaignCodes)
    .where(and(isUnused(reader, campaignId), gt(hash, after)))
    .orderBy(asc(hash))
    .limit(size)
  return rows.map(row => row.hash)
}

const isUnused = ({ tables: { campaignCodes } }: Pick<Reader, 'tables'>, campaignId: string) => {
  const { redeemedAt, voidedAt } = campaignCodes
  return and(eq(campaignCodes.campaignId, campaignId), isNull(redeemedAt), isNull(voidedAt))
}

/** How many of these codes `voidCodes` would void. */
export const countUnused = (reader: Reader, campaignId: string, hashes: string[]): Promise<number> => {
  const { campaignCodes } = reader.tables
  return countRows(
    reader,
    campaignCodes,
    and(isUnused(reader, campaignId), inArray(campaignCodes.hash, hashes)),
  )
}

/** Voids the unused ones of these codes, and returns their number. A voided code is not found. */
export async function voidCodes(tx: Transaction, campaignId: string, hashes: string[]): Promise<number> {
  const { campaignCodes } = tx.tables
  const voided = await tx
    .update(campaignCodes)
    .set({ voidedAt: tx.now() })
    .where(and(isUnused(tx, campaignId), inArray(campaignCodes.hash, hashes)))
    .returning({ hash: campaignCodes.hash })
  return voided.length
}

/** How a campaign runs: of its codes how many are unused, redeemed and voided, and what fans redeemed by day of the club. */
export async function reportCampaign(reader: Reader, campaignId: string) {
  const { campaignCodes, codeRedemptions } = reader.tables
  const { redeemedAt, voidedAt } = campaignCodes
  const [codes] = await reader
    .select({ generated: count(), redeemed: count(redeemedAt), voided: count(voidedAt) })
    .from(campaignCodes)
    .where(eq(campaignCodes.campaignId, campaignId))
  const { generated = 0, redeemed = 0, voided = 0 } = codes ?? {}
  return {
    generated,
    unused: generated - redeemed - voided,
    voided,
    days: await countByDay(reader, campaignId, codeRedemptions),
  }
}

/** One statement for each day with redemptions, which an index serves. */
async function countByDay(
  reader: Reader,
  campaignId: string,
  redemptions: Reader['tables']['codeRedemptions'],
) {
  const { redeemedAt, userId } = redemptions
  const days: { day: string; redemptions: number; fans: number }[] = []
  const timeZone = await timeZoneOf(reader)
  let from = new Date(0)
  for (;;) {
    const isLater = and(eq(redemptions.campaignId, campaignId), gte(redeemedAt, from))
    const [next] = await reader
      .select({ at: redeemedAt })
      .from(redemptions)
      .where(isLater)
      .orderBy(redeemedAt)
      .limit(1)
    if (!next) return days
    const { key: day, startsAt, endsAt } = windowAt('day', next.at, timeZone)
    from = endsAt
    const [counted] = await reader
      .select({ redemptions: count(), fans: sql`count(distinct ${userId})`.mapWith(Number) })
      .from(redemptions)
      .where(and(eq(redemptions.campaignId, campaignId), gte(redeemedAt, startsAt), lt(redeemedAt, from)))
    days.push({ day, redemptions: 0, fans: 0, ...counted })
  }
}

/** How many fans have redeemed how many codes. */
export async function countByFan(reader: Reader, campaignId: string) {
  const { codeRedemptions: rows } = reader.tables
  const own = reader
    .select({ userId: rows.userId, times: count().as('times') })
    .from(rows)
    .where(eq(rows.campaignId, campaignId))
    .groupBy(rows.userId)
    .as('own')
  return reader.select({ times: own.times, fans: count() }).from(own).groupBy(own.times).orderBy(own.times)
}
