/**
 * Exports the points of a fan, and transfers those of a merged record, with entries in both ledgers. The points that the fan has
 * earned count for the lifetime points of the other fan, and on boards that are not final; the spent part is booked as spent.
 */
import { and, asc, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import { toList } from '../../../db/listed.ts'
import type { Merge } from '../../core/caller.ts'
import { listMerges } from '../../identity/users/merges.ts'
import { isFinal } from '../leaderboard/boards.ts'
import {
  CARRYING_REASONS,
  type Earning,
  earnedBy,
  grantReasonOf,
  isGrantReason,
  mergeRefOf,
  type PointsReason,
  remainingOf,
  seqOfMergeRef,
} from '../ledgers/reasons.ts'
import { exportGrants } from './grants.ts'
import { exportPointsHolds } from './holds.ts'
import { openLedgers } from './ledger.ts'
import { findSeam, type Seam } from './seams.ts'

/** A fan's points, oldest entry first: exactly the entries that make up the exported balance, also during concurrent bookings. */
export async function exportPoints(reader: Reader, userId: string) {
  const { pointsAccounts, pointsEntries } = reader.tables
  const [account] = await reader.select().from(pointsAccounts).where(eq(pointsAccounts.userId, userId))
  const upTo = account?.seq ?? 0
  const seam = await findSeam(reader, userId)
  const entries = eachRow({ seq: pointsEntries.seq }, after =>
    reader
      .select()
      .from(pointsEntries)
      .where(and(eq(pointsEntries.userId, userId), lte(pointsEntries.seq, upTo), after)),
  )
  return {
    balance: account?.balance ?? 0,
    lifetime: account?.lifetime ?? 0,
    archived: seam ? { until: seam.until, files: seam.files, points: await sumArchived(reader, seam) } : null,
    entries,
    holds: await exportPointsHolds(reader, userId),
    grants: await exportGrants(reader, userId),
  }
}

/** What the archived entries add to the balance. Entries that are not archived can come before the seam. */
async function sumArchived(reader: Reader, { userId, seq, balance }: Seam): Promise<number> {
  const { pointsEntries: entries } = reader.tables
  const [kept] = await reader
    .select({ points: sql`coalesce(sum(${entries.delta}), 0)`.mapWith(Number) })
    .from(entries)
    .where(and(eq(entries.userId, userId), lte(entries.seq, seq)))
  return balance - (kept?.points ?? 0)
}

export interface CarriedPoints {
  /** The amounts by which the other fan's balance and lifetime points rise. */
  balance: number
  lifetime: number
}

/**
 * Both records are locked. A repeat transfers points that were booked on the merged record since then, for
 * example by a corrected result.
 * @throws LedgerMismatchError; DomainError `points_limit_reached`
 */
export async function carryPoints(tx: Transaction, { fromId, intoId }: Merge): Promise<CarriedPoints> {
  const ledgers = await openLedgers(tx, [fromId, intoId])
  const { entries, carried } = await readUncarried(tx, { fromId, intoId })
  const last = entries.at(-1)
  if (!last) return { balance: 0, lifetime: 0 }
  const balance = last.balanceAfter
  let lifetime = 0
  for (const { boards, points, grantSeq } of earningsOf(entries, tx.now())) {
    const ref = mergeRefOf({ fromId, seq: last.seq, boards, grantSeq })
    ledgers.append({ userId: intoId, delta: points, reason: 'merge', ref })
    lifetime += points
  }
  const ref = mergeRefOf({ fromId, seq: last.seq, boards: '' })
  if (lifetime > balance)
    ledgers.append({ userId: intoId, delta: balance - lifetime, reason: 'merge_spent', ref })
  // Points that were refunded to the merged record after they were carried over as spent.
  if (lifetime < balance)
    ledgers.append({ userId: intoId, delta: balance - lifetime, reason: 'merge_returned', ref })
  if (balance > 0)
    ledgers.append({ userId: fromId, delta: -balance, reason: 'merged', ref: `${intoId}:${carried}` })
  await ledgers.write()
  return { balance, lifetime }
}

/**
 * Transfers points that this unit of work has booked on merged records, for example by the result of a match,
 * to the remaining fans.
 */
export async function carryLatePoints(tx: Transaction, userIds: string[]): Promise<void> {
  if (userIds.length === 0) return
  for (const merge of await listMerges(tx, toList(userIds))) {
    await carryPoints(tx, merge)
    await carryLatePoints(tx, [merge.intoId])
  }
}

/** The entries of the merged record that were not carried over yet. The accounts are locked. */
async function readUncarried(tx: Transaction, { fromId, intoId }: Merge) {
  const { pointsEntries: entries } = tx.tables
  const isOf = (userId: string) => eq(entries.userId, userId)
  const carriedRefs = await tx
    .select({ ref: entries.ref })
    .from(entries)
    .where(and(isOf(intoId), inArray(entries.reason, CARRYING_REASONS)))
  const own = carriedRefs.flatMap(({ ref }) => seqOfMergeRef(ref, fromId) ?? [])
  const carried = Math.max(0, ...own)
  const rows = await tx
    .select()
    .from(entries)
    .where(and(isOf(fromId), gt(entries.seq, carried)))
    .orderBy(asc(entries.seq))
  const uncarried = rows.filter(({ reason }) => reason !== 'merged')
  return { entries: uncarried, carried }
}

interface CarriedEarning {
  points: number
  /** The boards that are not final, without the global one. */
  boards: string
  /** The entry of the grant. */
  grantSeq?: number
}

/**
 * The earnings that remain of these entries: each grant separately, since it can be taken back; the others as
 * sums by boards.
 */
function earningsOf(
  entries: { seq: number; reason: string; ref: string; delta: number; createdAt: Date }[],
  now: Date,
): CarriedEarning[] {
  const earnings = new Map<string, Earning & { seq: number }>()
  for (const { seq, ref, delta, createdAt: at, ...entry } of entries) {
    // Guarantee of the cast: only reasons of the list are written.
    const reason = entry.reason as PointsReason
    const grant = earnings.get(`${grantReasonOf(reason)} ${ref}`)
    if (grant) grant.taken = { points: -delta, at }
    const points = earnedBy({ delta, reason })
    const name = isGrantReason(reason) ? `${reason} ${ref}` : `${seq}`
    if (points > 0) earnings.set(name, { seq, points, reason, ref, at, taken: null })
  }
  const sums = new Map<string, number>()
  const grants: CarriedEarning[] = []
  for (const earning of earnings.values()) {
    const remaining = remainingOf(earning)
    const points = remaining.find(({ board }) => board.id === 'all')?.points ?? 0
    if (points === 0) continue
    const open = remaining.filter(({ board }) => board.id !== 'all' && !isFinal(board, now))
    const boards = open
      .map(({ board }) => encodeURIComponent(board.id))
      .toSorted()
      .join(',')
    if (isGrantReason(earning.reason)) grants.push({ points, boards, grantSeq: earning.seq })
    else sums.set(boards, (sums.get(boards) ?? 0) + points)
  }
  return [...grants, ...[...sums].map(([boards, points]) => ({ boards, points }))]
}
