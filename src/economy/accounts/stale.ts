/** Finds rows of fans that a season's end, the end of a grace, or a change of the catalogue has made stale. */
import { and, asc, eq, gt, isNotNull, isNull, lt, lte, ne, or } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { type Account, type AccountSet, basisOf, windowFromAt } from './account-set.ts'

/** How long before the end of a season a tier at risk is told. */
const RISK_MS = 30 * 86_400_000

/** Fans whose rows of an account are stale. */
export async function findStale(
  reader: Reader,
  set: AccountSet,
  account: Account,
  limit: number,
): Promise<string[]> {
  const { fanAccounts: rows } = reader.tables
  const now = reader.now()
  const isOf = eq(rows.accountId, account.id)
  const basis = basisOf(account, windowFromAt(account, set, now))
  const select = () => reader.select({ userId: rows.userId }).from(rows)
  // Two ranges of an index, for `<>` has none.
  const before = await select()
    .where(and(isOf, or(lt(rows.basis, basis), gt(rows.basis, basis))))
    .orderBy(asc(rows.basis), asc(rows.userId))
    .limit(limit)
  if (before.length > 0) return before.map(({ userId }) => userId)
  const ended = await select()
    .where(and(isOf, isNotNull(rows.tierUntil), lte(rows.tierUntil, now)))
    .orderBy(asc(rows.tierUntil))
    .limit(limit)
  return ended.map(({ userId }) => userId)
}

/** The end of the current season, if it is near and moves the window of the account. */
export function nearEndOf(account: Account, { seasons }: AccountSet, now: Date): Date | null {
  const current = seasons.find(({ endsAt }) => now < endsAt)
  if (account.window === null || account.tiers.length === 0 || !current) return null
  return current.endsAt.getTime() - now.getTime() <= RISK_MS ? current.endsAt : null
}

/** Fans with a tier who were not yet checked for this end of a season. */
export async function findUnchecked(
  reader: Reader,
  account: Account,
  endsAt: Date,
  limit: number,
): Promise<string[]> {
  const { fanAccounts: rows } = reader.tables
  const isUnchecked = or(isNull(rows.riskToldFor), ne(rows.riskToldFor, endsAt))
  const found = await reader
    .select({ userId: rows.userId })
    .from(rows)
    .where(and(eq(rows.accountId, account.id), isNotNull(rows.tierId), isUnchecked))
    .orderBy(asc(rows.userId))
    .limit(limit)
  return found.map(({ userId }) => userId)
}
