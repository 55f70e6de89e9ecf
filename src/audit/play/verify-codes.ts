/**
 * Compares redemptions of codes with the generated codes, the counts of campaigns, and entries of points and in accounts, which
 * nobody can change.
 */
import { and, count, eq, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import { differs, differsInTime, type Finding } from '../../core/finding.ts'
import { hashIn } from '../../play/codes/campaign-kind.ts'
import { parseGives } from '../../play/codes/entry-schema.ts'

/** Maximum of codes with findings. */
const MAX_CODES = 1_000

/** Each statement is one snapshot: a redemption, its code and its entry are written together. */
export async function findWrongRedemptions(reader: Reader, range: Range): Promise<Finding[]> {
  const {
    codeRedemptions: redemptions,
    campaignCodes: codes,
    campaigns,
    pointsEntries,
    accountEntries: kept,
    users,
  } = reader.tables
  const { userId, delta, reason, ref } = pointsEntries
  // A merge moves redemptions but not their entries.
  const records = reader
    .select({ id: users.id })
    .from(users)
    .where(or(eq(users.id, redemptions.userId), eq(users.mergedIntoId, redemptions.userId)))
  const booked = reader
    .select({ delta: sql`sum(${delta})` })
    .from(pointsEntries)
    .where(and(inArray(userId, records), eq(reason, 'code'), eq(ref, redemptions.id)))
  const rows = await reader
    .select({
      redemption: redemptions,
      kind: campaigns.kind,
      code: codes,
      points: sql<number>`coalesce((${booked}), 0)`.mapWith(Number),
    })
    .from(redemptions)
    .leftJoin(campaigns, eq(campaigns.id, redemptions.campaignId))
    .leftJoin(codes, eq(codes.hash, redemptions.codeHash))
    .where(inRange(redemptions.userId, range))
  const keptRows = await reader
    .select({ ref: kept.ref, accountId: kept.accountId, delta: kept.delta })
    .from(redemptions)
    .innerJoin(
      kept,
      and(inArray(kept.userId, records), eq(kept.reason, 'code'), eq(kept.ref, redemptions.id)),
    )
    .where(inRange(redemptions.userId, range))
  const keptFor = new Map(keptRows.map(entry => [entry.ref, entry]))
  const without = [
    ...(await reader
      .select({ userId, ref, seq: pointsEntries.seq })
      .from(pointsEntries)
      .leftJoin(redemptions, eq(redemptions.id, ref))
      .where(and(inRange(userId, range), eq(reason, 'code'), isNull(redemptions.id)))),
    ...(await reader
      .select({ userId: kept.userId, ref: kept.ref, seq: kept.seq })
      .from(kept)
      .leftJoin(redemptions, eq(redemptions.id, kept.ref))
      .where(and(inRange(kept.userId, range), eq(kept.reason, 'code'), isNull(redemptions.id)))),
  ]
  return [
    ...rows.flatMap(({ redemption, kind, code, points }) => {
      const { id, userId, gave, isUnique, campaignId, redeemedAt } = redemption
      const what = (column: string) => `code_redemptions.${column} of ${id}`
      const { points: given, account } = parseGives(gave)
      const inAccount = keptFor.get(id)
      return [
        ...differs(userId, what('gave'), points, account === null ? (given ?? 0) : 0),
        ...differs(userId, what('gave'), inAccount?.accountId ?? null, account),
        ...differs(userId, what('gave'), inAccount?.delta ?? null, account === null ? null : given),
        ...differs(userId, what('is_unique'), kind === 'unique', isUnique),
        // A shared code can be another one since.
        ...differs(userId, what('code_hash'), isUnique ? campaignId : null, code?.campaignId ?? null),
        ...(code ? differsInTime(userId, what('redeemed_at'), code.redeemedAt, redeemedAt) : []),
      ]
    }),
    ...without.map(({ userId, ref, seq }) => ({
      userId,
      what: `code_redemptions.row of ${ref}`,
      seq,
      expected: userId,
      actual: null,
    })),
  ]
}

/** Each statement is one snapshot. */
export async function findWrongCampaigns(reader: Reader): Promise<Finding[]> {
  const { campaigns, campaignCodes: codes, codeRedemptions: redemptions } = reader.tables
  const { id, redeemed, code, codeHash } = campaigns
  const counts = await reader
    .select({ id, redeemed, code, codeHash, counted: count(redemptions.id) })
    .from(campaigns)
    .leftJoin(redemptions, eq(redemptions.campaignId, id))
    .groupBy(id, redeemed, code, codeHash)
  const unexplained = await reader
    .select({ hash: codes.hash, campaignId: codes.campaignId, redeemedAt: codes.redeemedAt })
    .from(codes)
    .leftJoin(redemptions, and(eq(redemptions.codeHash, codes.hash), redemptions.isUnique))
    .where(
      and(
        isNotNull(codes.redeemedAt),
        or(isNull(redemptions.id), ne(redemptions.campaignId, codes.campaignId)),
      ),
    )
    .limit(MAX_CODES)
  return [
    ...counts.flatMap(({ id, redeemed, code, codeHash, counted }) => [
      ...differs(null, `campaigns.redeemed of ${id}`, counted, redeemed),
      ...differs(null, `campaigns.code_hash of ${id}`, hashIn({ code }), codeHash),
    ]),
    ...unexplained.flatMap(({ campaignId, redeemedAt }) =>
      differs(null, `campaign_codes.redeemed_at of a code of ${campaignId}`, null, redeemedAt),
    ),
  ]
}
