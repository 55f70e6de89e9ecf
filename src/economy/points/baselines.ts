/**
 * Baselines: what a fan had earned before an instant, from which a league counts. The points of the league are the score on a
 * board less the baseline, so that earning points writes nothing for leagues. Only two changes move a baseline: points that were
 * earned before are taken back, and a unit of work that began before the instant books after it.
 */
import { and, eq, inArray, isNull, lt, or } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { listMergedIds } from '../../identity/users/merges.ts'
import { type Booked, boardsFor, earnedBy, type PointsReason, remainingOf } from '../ledgers/reasons.ts'
import { lockAccount, readBalance } from './account.ts'
import type { AppendedEntry, BaselineChange } from './appended-entries.ts'
import { type EarnedEntry, selectSince } from './earned-scores.ts'
import { readArchivedSince } from './seams.ts'

interface ChangedLedger {
  account: { userId: string; countedFrom: Date | null }
  booked: AppendedEntry[]
  taken: (Booked & { points: number; earnedAt: Date })[]
}

/** For ledgers that are written. Costs nothing for fans in no league, and hardly ever a statement for others. */
export async function changeBaselines(tx: Transaction, ledgers: ChangedLedger[]): Promise<void> {
  const changes = ledgers.flatMap(({ account: { userId, countedFrom }, booked, taken }) => {
    if (countedFrom === null) return []
    const late = booked.filter(({ createdAt }) => createdAt < countedFrom)
    return [
      ...late.flatMap(entry => earningOf(entry)),
      ...taken
        .filter(({ earnedAt }) => earnedAt < countedFrom)
        .map(({ points, earnedAt, ...of }) => ({ userId, boards: idsOf(of), points: -points, at: earnedAt })),
    ]
  })
  if (changes.length > 0) await tx.spine.points.changeBaselines(tx, changes)
}

const idsOf = (booked: Booked) => boardsFor(booked).map(({ id }) => id)

function earningOf({ userId, ref, delta, createdAt: at, ...entry }: AppendedEntry): BaselineChange[] {
  // Guarantee of the cast: only reasons of the list are written.
  const reason = entry.reason as PointsReason
  const points = earnedBy({ reason, delta })
  return points > 0 ? [{ userId, boards: idsOf({ reason, ref, at }), points, at }] : []
}

/** A baseline of the fan, kept up to date from now on. The account stays locked until the unit of work ends. */
export async function openBaseline(
  tx: Transaction,
  userId: string,
  board: string,
  since: Date,
): Promise<number> {
  await lockAccount(tx, userId)
  await raiseCountedFrom(tx, userId, since)
  return earnedBefore(tx, userId, board, since)
}

const raiseCountedFrom = prepared((tx: Transaction, userId: string, countedFrom: Date) => {
  const { pointsAccounts: accounts } = tx.tables
  return tx
    .update(accounts)
    .set({ countedFrom })
    .where(
      and(
        eq(accounts.userId, userId),
        or(isNull(accounts.countedFrom), lt(accounts.countedFrom, countedFrom)),
      ),
    )
})

/**
 * What remains on a board without an end of the points that were earned before `since`. A merge carries points over in sums: what
 * they consist of is read from the ledgers of the merged records. Of archived entries only the day is known: those of the day of
 * `since` count as earned later.
 */
export async function earnedBefore(
  reader: Reader,
  userId: string,
  board: string,
  since: Date,
): Promise<number> {
  const merged = (await listMergedIds(reader, [userId])).get(userId) ?? []
  const { userId: owner } = reader.tables.pointsEntries
  const rows: (EarnedEntry & { userId: string })[] = await selectSince(
    reader,
    inArray(owner, [userId, ...merged]),
    since,
  )
  const earnings = rows.map(({ userId, entry: { delta: points, createdAt: at, ...booked }, taken }) => {
    const back = taken && { points: -taken.delta, at: taken.createdAt }
    const remaining = remainingOf({ ...booked, points, at, taken: back })
    return { ...booked, userId, at, points: remaining.find(({ board: { id } }) => id === board)?.points ?? 0 }
  })
  const archived = board === 'all' ? await readArchivedSince(reader, [userId, ...merged], since) : 0
  const own = earnings.filter(earning => earning.userId === userId)
  const later = earnings.filter(({ reason, at }) => reason !== 'merge' && at >= since)
  const total = board === 'all' ? (await readBalance(reader, userId)).lifetime : sumOf(own)
  return Math.max(0, total - sumOf(later) - archived)
}

const sumOf = (earnings: { points: number }[]) => earnings.reduce((sum, { points }) => sum + points, 0)
