/** The total and the tier of a fan in each account, as of now: also where a task has not yet brought the row up to date. */
import { asc, eq, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { isUnitOfWork } from '../../../db/row-lock.ts'
import { presentText } from '../../club/catalogue/texts.ts'
import { type Account, type AccountSet, basisOf, getAccountSet, windowFromAt } from './account-set.ts'
import { endsBy } from './book.ts'
import { type HeldTier, judgeTier, tierNamed } from './tiers.ts'
import { readPastTotals, sumEntries } from './totals.ts'

type FanAccount = Tables['fanAccounts']['$inferSelect']

export interface FanTier {
  account: Account
  total: number
  held: HeldTier
}

/** Of the active accounts, by id; also those without an entry of the fan. */
export async function readFanTiers(reader: Reader, userId: string, set?: AccountSet): Promise<FanTier[]> {
  const known = set ?? (await getAccountSet(reader))
  const active = [...known.accounts.values()].filter(account => account.active)
  if (active.length === 0) return []
  const rows = new Map((await selectRows(reader, userId)).map(row => [row.accountId, row]))
  const tiers: FanTier[] = []
  for (const account of active) tiers.push(await tierIn(reader, known, account, rows.get(account.id)))
  return tiers
}

const selectRows = (reader: Reader, userId: string) => {
  const { fanAccounts: rows } = reader.tables
  return reader.select().from(rows).where(eq(rows.userId, userId)).orderBy(asc(rows.accountId))
}

/** SQL for whether the fan has entries in accounts, as a part of a larger statement. */
export function hasAccounts({ tables }: Pick<Reader, 'tables'>, userId: string): SQL<boolean> {
  const { fanAccounts } = tables
  return sql<boolean>`exists (select 1 from ${fanAccounts} where ${fanAccounts.userId} = ${userId})`.mapWith(
    Boolean,
  )
}

/** The tiers that a fan has, as responses show them. */
export async function readShownTiers(reader: Reader, userId: string, { onlyPublic = false } = {}) {
  const tiers = await readFanTiers(reader, userId)
  return tiers.flatMap(({ account, held }) => {
    const tier = tierNamed(account, held.tierId)
    if (!tier || (onlyPublic && !account.public)) return []
    return [{ account: account.id, id: tier.id, name: presentText(tier.name) }]
  })
}

async function tierIn(
  reader: Reader,
  set: AccountSet,
  account: Account,
  row: FanAccount | undefined,
): Promise<FanTier> {
  if (!row) return { account, total: 0, held: { tierId: null, tierSince: null, tierUntil: null } }
  const now = reader.now()
  const from = windowFromAt(account, set, now)
  const isStale = row.basis !== basisOf(account, from)
  const { userId, accountId } = row
  const total = isStale
    ? ((await sumEntries(reader, { accountId, from }, [userId])).get(userId) ?? 0)
    : 0 - row.minusTotal
  const hasMoved = from?.getTime() !== row.windowFrom?.getTime()
  const mayEnd = isStale || endsBy(row, now)
  const past = mayEnd ? (await readPastTotals(reader, set, account, [userId]))(userId) : null
  const { held } = judgeTier(account, row, total, { now, hasMoved, past })
  return { account, total, held }
}

/**
 * Whether the fan has the tier or a higher one. False for an account or a tier that does not exist. In a unit of work it locks the fan's
 * ledgers, as all that writes them does: a lock of the row of the account would be taken before theirs.
 */
export async function hasTier(
  reader: Reader,
  userId: string,
  { account: accountId, atLeast }: { account: string; atLeast: string },
): Promise<boolean> {
  const set = await getAccountSet(reader)
  const account = set.accounts.get(accountId)
  const wanted = account?.active ? tierNamed(account, atLeast) : undefined
  if (!account || !wanted) return false
  if (isUnitOfWork(reader)) await reader.spine.accounts.lockLedgers(reader, [userId])
  const rows = await selectRows(reader, userId)
  const { held } = await tierIn(
    reader,
    set,
    account,
    rows.find(row => row.accountId === accountId),
  )
  const tier = tierNamed(account, held.tierId)
  return tier !== undefined && tier.from >= wanted.from
}
