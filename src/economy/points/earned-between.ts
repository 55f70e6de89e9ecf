/** What fans earned in a period, from their ledgers. It no longer changes a minute after the end of the period. */
import { inArray } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { listMergedIds } from '../../identity/users/merges.ts'
import { boardsFor } from '../ledgers/reasons.ts'
import { type EarnedEntry, selectSince } from './earned-scores.ts'

/** Longer than any unit of work: after it, no write that began in the period is still running. */
const SETTLED_MS = 60_000

/** Fans of one statement. */
const TOGETHER = 200

export interface Earning {
  board: string
  from: Date
  /** Exclusive. */
  to: Date
  /** Fans whose points count from a later time. */
  since?: Map<string, Date>
  /** Whether the entries with this ref count. */
  isCounted?: (ref: string) => boolean
}

/** When the points of a period that ends then are final. */
export const finalAfter = (endsAt: Date) => new Date(endsAt.getTime() + SETTLED_MS)

/**
 * The points of these fans on a board without an end. What was taken back of them counts until they are final. A merged fan has
 * those of all merged records.
 */
export async function earnedBetween(
  reader: Reader,
  userIds: string[],
  earning: Earning,
): Promise<Map<string, number>> {
  const points = new Map<string, number>()
  for (let n = 0; n < userIds.length; n += TOGETHER)
    await addEarned(reader, userIds.slice(n, n + TOGETHER), earning, points)
  return points
}

async function addEarned(
  reader: Reader,
  userIds: string[],
  { board, from, to, since, isCounted = () => true }: Earning,
  points: Map<string, number>,
): Promise<void> {
  const merged = await listMergedIds(reader, userIds)
  const heirs = new Map([
    ...userIds.map(userId => [userId, userId] as const),
    ...[...merged].flatMap(([userId, ids]) => ids.map(id => [id, userId] as const)),
  ])
  const { userId: owner } = reader.tables.pointsEntries
  const rows: (EarnedEntry & { userId: string })[] = await selectSince(
    reader,
    inArray(owner, [...heirs.keys()]),
    from,
  )
  const finalAt = finalAfter(to)
  for (const { userId, entry, taken } of rows) {
    const { delta, reason, ref, createdAt: at } = entry
    const heir = heirs.get(userId) ?? userId
    // A merge carries over what was earned in the other ledger.
    if (reason === 'merge' || at < (since?.get(heir) ?? from) || at >= to || !isCounted(ref)) continue
    if (!boardsFor({ reason, ref, at }).some(({ id }) => id === board)) continue
    const back = taken && taken.createdAt < finalAt ? taken.delta : 0
    points.set(heir, (points.get(heir) ?? 0) + delta + back)
  }
}
