/**
 * Brings totals and tiers up to date after a season or a change of the catalogue, and reports tiers at risk. Each batch is one unit of
 * work that marks its rows: after a crash the next one continues, in any process.
 */
import { and, eq, inArray } from 'drizzle-orm'
import { restAfter } from '../../../db/batches.ts'
import type { Database, Transaction } from '../../../db/index.ts'
import { type Account, type AccountSet, getAccountSet, windowFromAt } from './account-set.ts'
import { refreshRows, writeFanAccounts } from './book.ts'
import { tellTier } from './spine.ts'
import { findStale, findUnchecked, nearEndOf } from './stale.ts'
import { tierNamed } from './tiers.ts'
import { sumEntries } from './totals.ts'

const TOGETHER = 100

/** Any number of processes may run it at the same time. Returns the number of rows. */
export async function settleAccounts(
  { db }: { db: Database },
  stopping: () => boolean = () => false,
): Promise<number> {
  const { accounts } = await getAccountSet(db.read)
  let sum = 0
  for (const id of accounts.keys()) {
    sum += await inParts(
      id,
      (set, account) => findStale(db.read, set, account, TOGETHER),
      userIds => db.write(tx => refresh(tx, id, userIds)),
    )
    sum += await inParts(
      id,
      async (set, account) => {
        const endsAt = nearEndOf(account, set, db.read.now())
        return endsAt ? findUnchecked(db.read, account, endsAt, TOGETHER) : []
      },
      userIds => db.write(tx => checkRisk(tx, id, userIds)),
    )
  }
  return sum

  // The catalogue and the time of each part are those by which it is settled, or a change meanwhile would repeat it without end.
  async function inParts(
    accountId: string,
    find: (set: AccountSet, account: Account) => Promise<string[]>,
    settle: (userIds: string[]) => Promise<number>,
  ): Promise<number> {
    let settled = 0
    while (!stopping()) {
      const began = performance.now()
      const set = await getAccountSet(db.read)
      const account = set.accounts.get(accountId)
      const userIds = account?.active ? await find(set, account) : []
      if (userIds.length === 0) break
      settled += await settle(userIds)
      await restAfter(began)
    }
    return settled
  }
}

async function lockRows(tx: Transaction, accountId: string, userIds: string[]) {
  await tx.spine.accounts.lockLedgers(tx, userIds)
  const { fanAccounts: rows } = tx.tables
  return tx
    .select()
    .from(rows)
    .where(and(eq(rows.accountId, accountId), inArray(rows.userId, userIds)))
}

async function refresh(tx: Transaction, accountId: string, userIds: string[]): Promise<number> {
  const rows = await lockRows(tx, accountId, userIds)
  const fresh = await refreshRows(tx, await getAccountSet(tx), rows)
  for (const { change } of fresh) if (change) tellTier(tx, change)
  await writeFanAccounts(
    tx,
    fresh.map(({ row }) => row),
  )
  return rows.length
}

/** Tells the fans whose total will not reach their tier when the season has ended. */
async function checkRisk(tx: Transaction, accountId: string, userIds: string[]): Promise<number> {
  const rows = await lockRows(tx, accountId, userIds)
  const set: AccountSet = await getAccountSet(tx)
  const account = set.accounts.get(accountId)
  const endsAt = account ? nearEndOf(account, set, tx.now()) : null
  if (!account || !endsAt) return 0
  const from = windowFromAt(account, set, endsAt)
  const totals = await sumEntries(
    tx,
    { accountId, from },
    rows.map(({ userId }) => userId),
  )
  const unchecked = rows.filter(({ riskToldFor }) => riskToldFor?.getTime() !== endsAt.getTime())
  for (const { userId, tierId, seq } of unchecked) {
    const tier = tierNamed(account, tierId)
    if (!tier || (totals.get(userId) ?? 0) >= tier.from) continue
    const risk = { type: 'at_risk', tierId: tier.id, to: null, reason: 'season', endsAt } as const
    tellTier(tx, { ...risk, userId, accountId, seq })
  }
  await writeFanAccounts(
    tx,
    unchecked.map(row => ({ ...row, riskToldFor: endsAt })),
  )
  return unchecked.length
}
