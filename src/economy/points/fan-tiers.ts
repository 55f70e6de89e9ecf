/** The total and the tier of a fan in each account, as of now: also where a task has not yet brought the row up to date. */
import { asc, eq } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { locksInUnitOfWork } from '../../../db/row-lock.ts'
import {
  type Account,
  type AccountSet,
  basisOf,
  getAccountSet,
  windowFromAt,
} from '../accounts/account-set.ts'
import { type HeldTier, judgeTier, tierNamed } from '../accounts/tiers.ts'
import { readTotals } from './account-totals.ts'

type FanAccount = Tables['fanAccounts']['$inferSelect']

export interface FanTier {
  account: Account
  total: number
  held: HeldTier
}

/** Of the active accounts, by id; also those without an entry of the fan. In a unit of work it locks the rows. */
export async function readFanTiers(reader: Reader, userId: string, set?: AccountSet): Promise<FanTier[]> {
  const known = set ?? (await getAccountSet(reader))
  const active = [...known.accounts.values()].filter(account => account.active)
  if (active.length === 0) return []
  const { fanAccounts } = reader.tables
  const rows = await locksInUnitOfWork(
    reader,
    reader
      .select()
      .from(fanAccounts)
      .where(eq(fanAccounts.userId, userId))
      .orderBy(asc(fanAccounts.accountId)),
  )
  const tiers: FanTier[] = []
  for (const account of active)
    tiers.push(
      await tierIn(
        reader,
        known,
        account,
        rows.find(({ accountId }) => accountId === account.id),
      ),
    )
  return tiers
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
    ? ((await readTotals(reader, { accountId, from }, [userId])).get(userId)?.total ?? 0)
    : -row.minusTotal
  const hasMoved = from?.getTime() !== row.windowFrom?.getTime()
  const { held } = judgeTier(account, row, total, { now, since: hasMoved && from ? from : now })
  return { account, total, held }
}

/** Whether the fan has the tier or a higher one. False for an account or a tier that does not exist. */
export async function hasTier(
  reader: Reader,
  userId: string,
  { account: accountId, atLeast }: { account: string; atLeast: string },
): Promise<boolean> {
  const found = (await readFanTiers(reader, userId)).find(({ account }) => account.id === accountId)
  if (!found) return false
  const [wanted, held] = [tierNamed(found.account, atLeast), tierNamed(found.account, found.held.tierId)]
  return wanted !== undefined && held !== undefined && held.from >= wanted.from
}
