/**
 * Points that expire. Points that a fan earns on one UTC day expire together, and the oldest are spent first.
 * The rest of a day's points follows from the balance and the points earned since, so nothing is stored about
 * it.
 */
import { and, eq, gt, gte, inArray, lt, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { readBalance } from './account.ts'
import { type Lot, readMergedLots } from './lots.ts'
import { readArchivedLots } from './seams.ts'

export const DAY_MS = 86_400_000
/** Fans are warned as long before. */
export const WARNING_MS = 30 * DAY_MS

export type ExpiryPass = Tables['pointsExpiry']['$inferSelect']
/** How long points last, and since when that is so. */
export type ExpiryTerm = Pick<ExpiryPass, 'days' | 'since'>

/** Midnight, UTC. */
export const dayOf = (at: Date) => new Date(at.getTime() - (at.getTime() % DAY_MS))

const plus = (at: Date, ms: number) => new Date(at.getTime() + ms)

/**
 * Nothing expires before this time, so that fans who had points when the setting was turned on are warned
 * first.
 */
export const firstExpiry = ({ since }: ExpiryTerm) => plus(dayOf(since), WARNING_MS)

/** Points that were earned before this time have ended at `expiresAt`, a midnight. */
export const earnedUntil = (expiresAt: Date, { days }: ExpiryTerm) => plus(expiresAt, -days * DAY_MS)

/** When points that are earned now end: the midnight after `days` whole days. */
function expiryOf(earnedAt: Date, term: ExpiryTerm): Date {
  const ends = plus(dayOf(earnedAt), (term.days + 1) * DAY_MS)
  return new Date(Math.max(ends.getTime(), firstExpiry(term).getTime()))
}

/** The `ref` of the entry by which the points of a day, and of all days before, end: that day. */
export const expiryRef = (expiresAt: Date, term: ExpiryTerm) =>
  plus(earnedUntil(expiresAt, term), -DAY_MS).toISOString().slice(0, 10)

/** The end of the day of an `expiryRef`; undefined for another text. */
export function endOfExpiredDay(ref: string): Date | undefined {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(ref) ? new Date(ref) : undefined
  return day && !Number.isNaN(day.getTime()) ? plus(day, DAY_MS) : undefined
}

export const findPass = async (reader: Reader, days: number): Promise<ExpiryPass | undefined> => {
  const { pointsExpiry } = reader.tables
  const [pass] = await reader.select().from(pointsExpiry).where(eq(pointsExpiry.days, days))
  return pass
}

/** The pass of its setting, which is this one if there is none, locked until the unit of work ends. */
export async function lockPass(tx: Transaction, pass: ExpiryPass): Promise<ExpiryPass> {
  const { pointsExpiry } = tx.tables
  const [locked] = await tx
    .insert(pointsExpiry)
    .values(pass)
    .onConflictDoUpdate({ target: pointsExpiry.days, set: { day: pointsExpiry.day } })
    .returning()
  if (!locked) throw new Error('a locked pass does not exist')
  return locked
}

export async function savePass(tx: Transaction, { days, ...pass }: ExpiryPass): Promise<void> {
  const { pointsExpiry } = tx.tables
  await tx.update(pointsExpiry).set(pass).where(eq(pointsExpiry.days, days))
}

/** A fan's balance, and what they have earned since a time. The rest of the balance was earned before. */
export interface Holding {
  userId: string
  balance: number
  earned: number
}

/** The holdings of fans with points, by id, after one fan. */
export function listHoldings(
  reader: Reader,
  since: Date,
  { after, limit }: { after: string; limit: number },
) {
  const { userId, balance } = reader.tables.pointsAccounts
  return selectHoldings(reader, since, and(gt(balance, 0), gt(userId, after)), limit)
}

/** The holdings of these fans. */
export const readHoldings = (reader: Reader, since: Date, userIds: string[]) =>
  selectHoldings(reader, since, inArray(reader.tables.pointsAccounts.userId, userIds), userIds.length)

async function selectHoldings(
  ...[reader, since, ...page]: Parameters<typeof sumHoldings>
): Promise<Holding[]> {
  const holdings = await sumHoldings(reader, since, ...page)
  const userIds = holdings.map(({ userId }) => userId)
  const merged = await readMergedLots(reader, userIds)
  const archived = await readArchivedLots(reader, userIds)
  return holdings.map(({ userId, balance, earned }) => {
    const lots = merged.get(userId)
    const own = lots ? sumSince(lots, since) : earned + sumSince(archived.get(userId) ?? [], since)
    return { userId, balance, earned: own }
  })
}

/** By the entries of each fan alone. */
function sumHoldings(
  reader: Reader,
  since: Date,
  condition: ReturnType<typeof and>,
  limit: number,
): Promise<Holding[]> {
  const { pointsAccounts, pointsEntries: entries } = reader.tables
  const { userId, balance } = pointsAccounts
  const fans = reader
    .select({ userId, balance })
    .from(pointsAccounts)
    .where(condition)
    .orderBy(userId)
    .limit(limit)
    .as('fans')
  return reader
    .select({
      userId: fans.userId,
      balance: fans.balance,
      earned: sql<number>`cast(coalesce(sum(${entries.delta}), 0) as bigint)`.mapWith(Number),
    })
    .from(fans)
    .leftJoin(
      entries,
      and(eq(entries.userId, fans.userId), gt(entries.delta, 0), gte(entries.createdAt, since)),
    )
    .groupBy(fans.userId, fans.balance)
    .orderBy(fans.userId)
}

const sumSince = (lots: Lot[], since: Date) =>
  lots.reduce((sum, { points, at }) => (at >= since ? sum + points : sum), 0)

/**
 * The points that fans have earned in a period, entry by entry; for a fan with merged records, the rest of
 * them.
 */
export async function listEarnings(reader: Reader, userIds: string[], from: Date, until: Date) {
  const { userId, delta, createdAt } = reader.tables.pointsEntries
  const merged = await readMergedLots(reader, userIds)
  const rows = await reader
    .select({ userId, points: delta, at: createdAt })
    .from(reader.tables.pointsEntries)
    .where(and(inArray(userId, userIds), gt(delta, 0), gte(createdAt, from), lt(createdAt, until)))
  const archived = await readArchivedLots(reader, userIds)
  const carried = [...merged, ...archived].flatMap(([userId, lots]) => lots.map(lot => ({ userId, ...lot })))
  return [
    ...rows.filter(row => !merged.has(row.userId)),
    ...carried.filter(({ at }) => at >= from && at < until),
  ]
}

/** The fan's points that end next, and when; null without points, and before the first pass. */
export async function readNextExpiry(reader: Reader, userId: string, days: number) {
  const term = await findPass(reader, days)
  if (!term) return null
  const lots = (await readMergedLots(reader, [userId])).get(userId)
  const archived = (await readArchivedLots(reader, [userId])).get(userId)
  const oldest = lots ? lots[0] : await findOldest(reader, userId, archived)
  if (!oldest) return null
  const expiresAt = expiryOf(oldest.at, term)
  const until = earnedUntil(expiresAt, term)
  const [holding] = await readHoldings(reader, until, [userId])
  const amount = holding ? holding.balance - holding.earned : 0
  return amount > 0 ? { amount, expiresAt: expiresAt.toISOString() } : null
}

/** When the oldest points that a fan still has were earned. `archived`: what archived entries have earned. */
async function findOldest(
  reader: Reader,
  userId: string,
  archived: Lot[] = [],
): Promise<{ at: Date } | undefined> {
  if (archived.length === 0) return findOldestEntry(reader, userId)
  const { balance } = await readBalance(reader, userId)
  const lots = [...archived, ...(await listEarned(reader, userId))]
  let rest = balance
  for (const lot of lots.toSorted((one, other) => other.at.getTime() - one.at.getTime())) {
    if (rest > 0 && lot.points >= rest) return lot
    rest -= lot.points
  }
  return undefined
}

function listEarned(reader: Reader, userId: string): Promise<Lot[]> {
  const { pointsEntries: entries } = reader.tables
  return reader
    .select({ points: entries.delta, at: entries.createdAt })
    .from(entries)
    .where(and(eq(entries.userId, userId), gt(entries.delta, 0)))
}

/** As `findOldest`, for a fan without archived entries. */
async function findOldestEntry(reader: Reader, userId: string): Promise<{ at: Date } | undefined> {
  const { pointsAccounts: accounts, pointsEntries: entries } = reader.tables
  const newest = sql`sum(${entries.delta}) over (order by ${entries.createdAt} desc, ${entries.seq} desc)`
  const earned = reader
    .select({ at: entries.createdAt, sum: newest.mapWith(Number).as('sum') })
    .from(entries)
    .where(and(eq(entries.userId, userId), gt(entries.delta, 0)))
    .as('earned')
  const [oldest] = await reader
    .select({ at: earned.at })
    .from(accounts)
    .innerJoin(earned, sql`${earned.sum} >= ${accounts.balance}`)
    .where(and(eq(accounts.userId, userId), gt(accounts.balance, 0)))
    .orderBy(earned.sum)
    .limit(1)
  return oldest
}
