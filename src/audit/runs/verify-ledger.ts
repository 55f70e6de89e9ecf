/**
 * Recomputes all data that is derived from the ledger and from events, while the API runs. Takes no lock and writes nothing.
 * Because concurrent writes can cause findings, a fan with findings is read again in a snapshot before anything is reported.
 * A chain that was rewritten as a whole, with its account and scores, shows only in the digest: store the digest elsewhere
 * and compare it.
 */
import { createHash } from 'node:crypto'
import type { Range } from '../../../db/id-range.ts'
import { type Database, DatabaseError, type Reader, translateDatabaseError } from '../../../db/index.ts'
import type { Finding } from '../../core/finding.ts'
import { findWrongAccounts } from '../../economy/accounts/audit.ts'
import { createFoldAudit, findWrongFolds } from '../../economy/events/audit-folds.ts'
import { listBoards } from '../../economy/leaderboard/rank-index/entries.ts'
import { findWrongBuckets, type WrongBucket } from '../../economy/leaderboard/rank-index/verify.ts'
import { readRuleHistory } from '../../economy/rules/rule-history.ts'
import { findWrongMemberships } from '../../play/memberships/audit-memberships.ts'
import { findWrongItems } from '../../play/packs/audit-items.ts'
import { findWrongOrders } from '../../play/shop/audit-orders.ts'
import { type Coverage, coverAll } from '../coverage/coverage.ts'
import { findWrongAges } from '../fans/verify-ages.ts'
import { findWrongConsents } from '../fans/verify-consents.ts'
import { findWrongFans } from '../fans/verify-fans.ts'
import { findWrongModeration } from '../fans/verify-moderation.ts'
import { findWrongReferrals } from '../fans/verify-referrals.ts'
import { findWrongSegments } from '../fans/verify-segments.ts'
import { type EncryptionKeys, findUnreadable } from '../keys/encrypted-rows.ts'
import { findWrongCash } from '../money/verify-cash.ts'
import { findWrongDeliveries } from '../money/verify-deliveries.ts'
import { findPaymentsOfNothing, findWrongPurchases } from '../money/verify-purchases.ts'
import { findWrongReceipts, findWrongSeries } from '../money/verify-receipts.ts'
import { findWrongDiscounts, findWrongVouchers } from '../money/verify-vouchers.ts'
import { findWrongCampaigns, findWrongRedemptions } from '../play/verify-codes.ts'
import { findWrongDeadlines, findWrongJokers } from '../play/verify-competitions.ts'
import { findUncounted, findWrongSeats } from '../play/verify-divisions.ts'
import { findWrongBaselines, findWrongLeagues, findWrongRounds } from '../play/verify-leagues.ts'
import { findWrongPacks, findWrongSupply } from '../play/verify-packs.ts'
import {
  findWrongPredictions,
  findWrongScores,
  findWrongSettlements,
  findWrongSplits,
} from '../play/verify-predictions.ts'
import {
  findWrongAnswers,
  findWrongQuestions,
  findWrongTallies,
  findWrongVotes,
} from '../play/verify-questions.ts'
import { findWrongSets } from '../play/verify-sets.ts'
import { findWrongTrades } from '../play/verify-trades.ts'
import { checkEventsOf, findWrongBudgets, verifyEventsOf } from '../points/verify-events.ts'
import { findWrongGrants } from '../points/verify-grants.ts'
import { findWrongMergedExpiry } from '../points/verify-merged-expiry.ts'
import { auditRange, checkFan } from '../points/verify-points.ts'
import { findWrongCatalogue } from '../records/verify-catalogue.ts'
import { findUnrecorded } from '../records/verify-recorded.ts'
import { findWrongSeason } from '../records/verify-season.ts'

export interface LedgerReport {
  fans: number
  entries: number
  boards: number
  events: number
  /** Number of calls of `onFinding`. */
  findings: number
  /**
   * SHA-256, in lower-case hex, over the JSON arrays `[userId, seq, headHash]` of all fans with entries, each followed by a
   * line feed, by id: equal ledgers have equal digests. Only a full run covers all ledgers.
   */
  digest: string
}

export interface VerifyOptions {
  /** What to read. Default: everything. */
  coverage?: Coverage | undefined
  onFinding?: (finding: Finding) => void
  /** If given, encrypted columns are checked too. */
  keys?: EncryptionKeys | undefined
  /** Fans checked so far, and the approximate total. May throw to stop, and is awaited. */
  onProgress?: (done: number, total: number) => void | Promise<void>
}

/** Reports invalid JSON in a JSON column as a finding, so that it does not end the verification. */
const withJson =
  <Given extends unknown[]>(find: (reader: Reader, ...given: Given) => Promise<Finding[]>) =>
  async (reader: Reader, ...given: Given): Promise<Finding[]> => {
    try {
      return await find(reader, ...given)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      return [{ userId: null, what: 'a column with JSON', expected: 'JSON', actual: error.message }]
    }
  }

/** Checks of a range of fans. They take several statements, so their findings are certain only in a snapshot. */
export const CHECKS_OF_FANS: readonly ((reader: Reader, range: Range) => Promise<Finding[]>)[] = [
  findWrongMergedExpiry,
  findWrongPredictions,
  findWrongScores,
  findWrongJokers,
  findWrongVotes,
  findWrongAnswers,
  findWrongPurchases,
  findWrongReceipts,
  findWrongItems,
  findWrongPacks,
  findWrongSets,
  findWrongTrades,
  findWrongDeliveries,
  findWrongCash,
  findWrongAccounts,
  findWrongModeration,
  findWrongMemberships,
  findWrongBaselines,
  findUncounted,
  findWrongRedemptions,
  findWrongReferrals,
  findWrongConsents,
  findWrongAges,
  findWrongSegments,
  findWrongFans,
  findUnrecorded,
].map(withJson)

/** The same for data that does not belong to single fans. */
export const CHECKS_OF_ALL: readonly ((reader: Reader) => Promise<Finding[]>)[] = [
  findWrongGrants,
  findWrongOrders,
  findWrongVouchers,
  findWrongDiscounts,
  findPaymentsOfNothing,
  findWrongSeries,
  findWrongSupply,
  findWrongCampaigns,
  findWrongLeagues,
  findWrongRounds,
  findWrongSeats,
  findWrongSettlements,
  findWrongSplits,
  findWrongDeadlines,
  findWrongTallies,
  findWrongQuestions,
  findWrongCatalogue,
  findWrongBudgets,
  findWrongSeason,
].map(withJson)

/** @throws DatabaseError */
export async function verifyLedger(
  db: Pick<Database, 'read' | 'snapshot' | 'findDamage'>,
  { coverage = coverAll(db.read, 'verify-ledger'), onFinding, onProgress, keys }: VerifyOptions = {},
): Promise<LedgerReport> {
  const { read } = db
  const report = { fans: 0, entries: 0, boards: 0, events: 0, findings: 0 }
  const digest = createHash('sha256')
  const say = (findings: Finding[]) => {
    report.findings += findings.length
    for (const finding of findings) onFinding?.(finding)
  }
  /** Repeats a check in a snapshot if it has findings, since concurrent writes may have caused them. */
  const sayIfSure = async (find: (reader: Reader) => Promise<Finding[]>) => {
    if ((await find(read)).length > 0) say(await db.snapshot(find))
  }
  const { ranges, isGeneral } = coverage
  const damage = isGeneral ? await db.findDamage() : []
  say(damage.map(words => ({ userId: null, what: 'database', expected: 'sound', actual: words })))
  try {
    const fans = await coverage.countFans()
    const boards = await listBoards(read)
    const history = await readRuleHistory(read)
    for await (const { range, userIds } of ranges) {
      const folds = await createFoldAudit(read, range)
      for await (const { userId, verdict, entries } of auditRange(read, range, userIds, boards, folds.add)) {
        // In a snapshot: an archive deletes entries, and writes the seam from which they are checked.
        const sure =
          verdict.findings.length > 0 ? await db.snapshot(reader => checkFan(reader, userId)) : verdict
        say(sure.findings)
        report.entries += entries
        const { seq, headHash } = verdict.account
        if (entries > 0) digest.update(`${JSON.stringify([userId, seq, headHash])}\n`)
      }
      if (folds.conclude().length > 0) say(await db.snapshot(reader => findWrongFolds(reader, range)))
      for await (const { userId, findings, events } of verifyEventsOf(read, range, history)) {
        if (findings.length > 0) say(await db.snapshot(reader => checkEventsOf(reader, userId)))
        report.events += events
      }
      for (const find of CHECKS_OF_FANS) await sayIfSure(reader => find(reader, range))
      report.fans += userIds.length
      await onProgress?.(report.fans, Math.max(fans, report.fans))
    }
    for (const find of isGeneral ? CHECKS_OF_ALL : []) await sayIfSure(find)
    if (keys && isGeneral) await sayIfSure(reader => findUnreadable(reader, keys))
    for (const board of isGeneral ? await listBoards(read) : []) {
      say((await findWrongBuckets(read, board)).map(describeBucket))
      report.boards++
    }
  } catch (error) {
    const fault = translateDatabaseError(error)
    // Damage that prevents reading has already been reported.
    if (!(damage.length > 0 && fault instanceof DatabaseError && fault.fault === 'corrupt')) throw fault
  }
  return { ...report, digest: digest.digest('hex') }
}

function describeBucket({ board, level, points, reachedAt, expected, actual }: WrongBucket): Finding {
  const bucket = `${level}/${points}/${reachedAt}`
  return { userId: null, what: `leaderboard_counts ${bucket}`, board, expected, actual }
}
