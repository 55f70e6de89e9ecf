/** The account of a fan: the sum of their entries and the head of their chain. Its row lock serializes what is booked. */
import { and, asc, eq, gte, sql } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { isListed, rowsOfListed, toList } from '../../../db/listed.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { lockOnly, locksForUpdate } from '../../../db/row-lock.ts'
import { type ChainedEntry, GENESIS_HASH, isHeadOf } from '../ledgers/chain.ts'

export type PointsEntry = Omit<ChainedEntry, 'userId'>

export type Account = Tables['pointsAccounts']['$inferSelect']

/** The account of a fan without entries. */
export const NEW_ACCOUNT = {
  balance: 0,
  lifetime: 0,
  seq: 0,
  headHash: GENESIS_HASH,
  updatedAt: new Date(0),
  countedFrom: null,
}

/** Creates the account if it does not exist, and locks its row until the unit of work ends. */
export async function lockAccount(tx: Transaction, userId: string) {
  const [account] = await insertOrLock(tx, userId)
  if (!account) throw new Error('a locked points account does not exist')
  return account
}

const insertOrLock = prepared((tx: Transaction, userId: string) => {
  const { pointsAccounts } = tx.tables
  return (
    tx
      .insert(pointsAccounts)
      .values({ userId, ...NEW_ACCOUNT })
      // Not a key column: that would be looked up, and its index written.
      .onConflictDoUpdate({
        target: pointsAccounts.userId,
        set: { balance: sql`${pointsAccounts.balance}` },
      })
      .returning()
  )
})

/**
 * Like `lockAccount` for many fans, in the order of the ids, so that two batches cannot wait for each other.
 */
export async function lockAccounts(tx: Transaction, userIds: string[]): Promise<void> {
  const rows = userIds.toSorted().map(userId => ({ userId, ...NEW_ACCOUNT }))
  await insertRows(tx, tx.tables.pointsAccounts, rows, 'lock')
}

/** Locks the accounts of these fans that exist, in the same order. */
export const lockLedgers = lockOnly(async (tx: Transaction, userIds: string[]) => {
  if (userIds.length > 0) await lockListed(tx, toList(userIds))
})

const lockListed = prepared((tx: Transaction, userIds: string) => {
  const { userId } = tx.tables.pointsAccounts
  const found = tx.select({ userId }).from(tx.tables.pointsAccounts)
  return locksForUpdate(tx, found.where(isListed(tx, userId, userIds)).orderBy(asc(userId)))
})

export interface CheckedAccount {
  account: Account
  /** Whether it matches the entries: otherwise another entry would break the chain. */
  isSound: boolean
}

/** The accounts of these fans, by user id; none for a fan without entries. */
export async function readAccounts(reader: Reader, userIds: string[]): Promise<Map<string, CheckedAccount>> {
  const rows = await selectTails(reader, toList(userIds))
  const accounts = Map.groupBy(rows, ({ account }) => account.userId).values()
  return new Map(
    accounts.flatMap(([first, ...others]) => {
      if (!first) return []
      const tail = [first, ...others].flatMap(({ entry }) => entry ?? [])
      const { account } = first
      const isSound = isHeadOf(account, tail) && (account.seq > 0 || account.lifetime === 0)
      return [[account.userId, { account, isSound }] as const]
    }),
  )
}

/** Accounts with their entries from `seq` on. */
const selectTails = prepared((reader: Reader, userIds: string) => {
  const { pointsAccounts, pointsEntries: entries } = reader.tables
  const found = rowsOfListed(reader, pointsAccounts, userIds, id => eq(pointsAccounts.userId, id))
  const { userId, balance, lifetime, seq, headHash, updatedAt, countedFrom } = found
  return reader
    .with(found)
    .select({
      account: { userId, balance, lifetime, seq, headHash, updatedAt, countedFrom },
      entry: entries,
    })
    .from(found)
    .leftJoin(entries, and(eq(entries.userId, userId), gte(entries.seq, seq)))
})

/** Whether as many points can be booked: neither LedgerMismatchError nor `points_limit_reached`. */
export const canBook = ({ account, isSound }: CheckedAccount, points: number) =>
  isSound && hasRoomFor(account, points, points)

/** The same check, which also locks the account. For callers that write something else first. */
export async function canAppend(tx: Transaction, userId: string, points: number): Promise<boolean> {
  const account = await lockAccount(tx, userId)
  return canBook((await readAccounts(tx, [userId])).get(userId) ?? { account, isSound: true }, points)
}

/** Whether an account can hold what a change adds. The table refuses more. */
export const hasRoomFor = ({ balance, lifetime }: Account, delta: number, gained: number) =>
  balance + delta <= Number.MAX_SAFE_INTEGER && lifetime + gained <= Number.MAX_SAFE_INTEGER

/** Current and lifetime points; zero for a fan without an account. */
export const readBalance = async (reader: Reader, userId: string) =>
  (await findBalance(reader, userId)) ?? { balance: 0, lifetime: 0 }

const findBalance = preparedRow((reader: Reader, userId: string) => {
  const { pointsAccounts } = reader.tables
  return reader
    .select({ balance: pointsAccounts.balance, lifetime: pointsAccounts.lifetime })
    .from(pointsAccounts)
    .where(eq(pointsAccounts.userId, userId))
})
