/**
 * The unspent points of a fan, by the time at which they were earned; the oldest are spent first. A merge
 * transfers the unspent points of the merged fan with their age, which cannot be computed from one ledger
 * alone: see `readMergedLots`.
 */
import { asc, inArray } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { listMergedIds } from '../../identity/users/merges.ts'
import type { ChainedEntry } from '../ledgers/chain.ts'
import { carriedBy } from '../ledgers/reasons.ts'

export interface Lot {
  points: number
  /** When they were earned. */
  at: Date
}

type Entry = Pick<ChainedEntry, 'userId' | 'seq' | 'delta' | 'reason' | 'ref' | 'createdAt'>
/** Entries of fans, each in the order of `seq`. */
export type Ledgers = Map<string, Entry[]>

/** The oldest first. Of the entries before `until`. */
export function lotsOf(ledgers: Ledgers, userId: string, until = Number.POSITIVE_INFINITY): Lot[] {
  const lots: Lot[] = []
  const merges = new Set<string>()
  for (const { seq, delta, reason, ref, createdAt } of ledgers.get(userId) ?? []) {
    if (seq >= until) break
    const carried = carriedBy({ reason, ref })
    if (!carried && delta > 0) add(lots, { points: delta, at: createdAt })
    else if (!carried) spend(lots, -delta)
    // One merge books several entries, whose sum is the rest.
    else if (!merges.has(`${carried.fromId} ${carried.seq}`)) {
      merges.add(`${carried.fromId} ${carried.seq}`)
      for (const lot of lotsOf(ledgers, carried.fromId, carried.seq + 1)) add(lots, lot)
    }
  }
  return lots
}

/**
 * The new lot is nearly always the last one: only a merge, or a clock that was set back, adds an older one.
 */
function add(lots: Lot[], lot: Lot): void {
  const place = lots.findLastIndex(({ at }) => at <= lot.at)
  lots.splice(place + 1, 0, lot)
}

function spend(lots: Lot[], points: number): void {
  let left = points
  for (let [oldest] = lots; oldest && left > 0; [oldest] = lots) {
    const spent = Math.min(oldest.points, left)
    left -= spent
    if (spent === oldest.points) lots.shift()
    else lots[0] = { ...oldest, points: oldest.points - spent }
  }
}

/**
 * For fans with merged records. Other fans are not in the result: their own entries show when points were
 * earned.
 */
export async function readMergedLots(reader: Reader, userIds: string[]): Promise<Map<string, Lot[]>> {
  const merged = await listMergedIds(reader, userIds)
  const ledgers = await readLedgers(reader, merged)
  return new Map([...merged.keys()].map(userId => [userId, lotsOf(ledgers, userId)]))
}

/** The ledgers of fans with merged records, and of these records. */
export const readMergedLedgers = async (reader: Reader, userIds: string[]): Promise<Ledgers> =>
  readLedgers(reader, await listMergedIds(reader, userIds))

async function readLedgers(reader: Reader, merged: Map<string, string[]>): Promise<Ledgers> {
  if (merged.size === 0) return new Map()
  const { userId, seq, delta, reason, ref, createdAt } = reader.tables.pointsEntries
  const entries = await reader
    .select({ userId, seq, delta, reason, ref, createdAt })
    .from(reader.tables.pointsEntries)
    .where(inArray(userId, [...merged].flat(2)))
    .orderBy(asc(userId), asc(seq))
  return Map.groupBy(entries, entry => entry.userId)
}
