/**
 * Fans by their total in an account, as of an instant. A row of a fan that has not changed since has the total; those of all others
 * are counted from their entries.
 */
import { and, asc, eq, gt, gte, isNull, lt, lte, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import type { Account, AccountSet } from './account-set.ts'
import { basesOf, windowFromAt } from './account-set.ts'
import { totalsOf } from './totals.ts'

export interface Place {
  total: number
  /** When the fan earned last of what remains of it. */
  reachedAt: Date
  userId: string
}

interface Order {
  account: Account
  set: AccountSet
  asOf: Date
  /** The lowest total, above zero. */
  least: number
  /** Which fans the list has, by an expression for their id. */
  isShown(userId: SQL): SQL | undefined
}

interface Part {
  after: Place | undefined
  limit: number
}

/** The highest total first; of equal ones, who reached it first. */
export async function readPlaces(reader: Reader, order: Order, part: Part): Promise<Place[]> {
  const { account, set, asOf } = order
  const from = windowFromAt(account, set, asOf)
  const places = [
    ...(await selectUnchanged(reader, order, part, from)),
    ...(await countChanged(reader, order, part, from)),
  ]
  return places.toSorted(compare).slice(0, part.limit)
}

const compare = (a: Place, b: Place) =>
  b.total - a.total || a.reachedAt.getTime() - b.reachedAt.getTime() || (a.userId < b.userId ? -1 : 1)

async function selectUnchanged(
  reader: Reader,
  { account, asOf, least, isShown }: Order,
  { after, limit }: Part,
  from: Date | null,
): Promise<Place[]> {
  const { fanAccounts: rows } = reader.tables
  const isWindow = from ? eq(rows.windowFrom, from) : isNull(rows.windowFrom)
  const isAfter =
    after &&
    sql`(${rows.minusTotal}, ${rows.reachedAt}, ${rows.userId}) > (${-after.total}, ${sql.param(after.reachedAt, rows.reachedAt)}, ${after.userId})`
  const isKept = and(eq(rows.accountId, account.id), lte(rows.updatedAt, asOf), isWindow)
  const found = await reader
    .select({ userId: rows.userId, minusTotal: rows.minusTotal, reachedAt: rows.reachedAt })
    .from(rows)
    .where(and(isKept, lte(rows.minusTotal, -least), isAfter, isShown(sql`${rows.userId}`)))
    .orderBy(asc(rows.minusTotal), asc(rows.reachedAt), asc(rows.userId))
    .limit(limit)
  return found.map(({ userId, minusTotal, reachedAt }) => ({ userId, total: -minusTotal, reachedAt }))
}

async function countChanged(
  reader: Reader,
  { account, asOf, least, isShown }: Order,
  { after, limit }: Part,
  from: Date | null,
): Promise<Place[]> {
  const { fanAccounts: rows, accountEntries } = reader.tables
  // Ranges of two indexes, each of its own: for `or` SQLite reads the whole table. A basis begins with its window.
  const [first, end] = basesOf(from)
  const parts = [gt(rows.updatedAt, asOf), lt(rows.basis, first), gte(rows.basis, end)].map(
    isIn => sql`select ${rows.userId} from ${rows} where ${and(eq(rows.accountId, account.id), isIn)}`,
  )
  const changed = sql`(${sql.join(parts, sql` union all `)})`
  const counted = totalsOf(reader, { accountId: account.id, from, asOf }, changed).as('counted')
  const isEnough = sql`${counted.total} >= ${sql.raw(String(least))}`
  const isAfter =
    after &&
    sql`(-${counted.total}, ${counted.reachedAt}, ${counted.userId}) > (${sql.raw(String(-after.total))}, ${sql.param(after.reachedAt, accountEntries.createdAt)}, ${after.userId})`
  const found = await reader
    .select({ userId: counted.userId, total: counted.total, reachedAt: counted.reachedAt })
    .from(counted)
    .where(and(isEnough, isAfter, isShown(sql`${counted.userId}`)))
    .orderBy(sql`${counted.total} desc`, asc(counted.reachedAt), asc(counted.userId))
    .limit(limit)
  return found.map(({ reachedAt, ...place }) => ({ ...place, reachedAt: reachedAt ?? new Date(0) }))
}
