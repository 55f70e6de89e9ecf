/** The points ledger: append-only, hash-chained per fan, exact. Every change of a balance goes through `appendEntry`. */
import { and, eq, gte, inArray, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import { prepared, preparedRow } from '../../db/prepared.ts'
import { commandLine } from '../core/command-line.ts'
import { DomainError } from '../core/problems.ts'
import { createSignal } from '../core/signal.ts'
import { raiseScores } from '../leaderboard/scores.ts'
import { GENESIS_HASH, hashEntry } from './hash.ts'
import { boardsFor, earnedBy, type PointsReason, type VoidReason } from './reasons.ts'

export interface PointsChange {
  userId: string
  /** Whole points; negative to spend. Not zero. */
  delta: number
  /** Only `takeBack` books the others, because it lowers the boards as well. */
  reason: Exclude<PointsReason, VoidReason>
  /** Identifies the cause within its reason: at most one entry per (user, reason, ref). */
  ref: string
}

type AnyChange = Omit<PointsChange, 'reason'> & { reason: PointsReason }

export type PointsEntry = Omit<Tables['pointsEntries']['$inferSelect'], 'userId'>

/** An entry was appended to a ledger. */
export const entryBooked = createSignal<Pick<PointsEntry, 'reason' | 'delta'>>()

export type Booking =
  | { outcome: 'booked' | 'booked_before'; entry: PointsEntry }
  /** Nothing was written. */
  | { outcome: 'insufficient'; balance: number }

/** The account does not match the entries: another entry would break the chain. */
export class LedgerMismatchError extends Error {
  constructor(userId: string) {
    super(
      `the points account of fan ${userId} does not match their ledger entries; nothing was booked, ` +
        `\`${commandLine('verify-ledger')}\` shows the difference`,
    )
    this.name = 'LedgerMismatchError'
  }
}

export const insufficientPoints = (pointsRequired: number, points: number) =>
  new DomainError('insufficient_points', { pointsRequired, points, missingPoints: pointsRequired - points })

/**
 * Books a change, at most once per (user, reason, ref). Needs the user's row to exist.
 * The account's row lock serializes the entries of a fan on PostgreSQL, as the single writer does on SQLite. The unique
 * indexes and checks of the tables hold in any case.
 * @throws LedgerMismatchError
 */
export async function appendEntry(tx: Transaction, change: PointsChange): Promise<Booking> {
  const booking = await bookEntry(tx, change)
  const gained = earnedBy(change)
  if (booking.outcome === 'booked' && gained > 0) {
    const at = booking.entry.createdAt
    await raiseScores(tx, change.userId, { gained, at, boards: boardsFor({ ...change, at }) })
  }
  return booking
}

/** As `appendEntry`, without the boards. */
export async function bookEntry(tx: Transaction, change: AnyChange): Promise<Booking> {
  const { userId, delta, reason, ref } = change
  const account = await lockAccount(tx, userId)

  // A separate statement after the lock: on PostgreSQL the statement that waited for the lock reads an older snapshot.
  const found = await selectTail(tx, { userId, seq: account.seq, reason, ref })
  const before = found.find(entry => entry.reason === reason && entry.ref === ref)
  if (before) return { outcome: 'booked_before', entry: before }
  if (!matchesTail(account, found)) throw new LedgerMismatchError(userId)

  if (account.balance + delta < 0) return { outcome: 'insufficient', balance: account.balance }

  const { entry, head } = nextEntry(account, change, { id: tx.newId(), at: tx.now() })
  await insertEntry(tx, entry)
  await updateAccount(tx, { userId, ...head })
  entryBooked.announce(tx, change)
  return { outcome: 'booked', entry }
}

/** Books the first entry of a fan whose record this unit of work has created: no other can have booked one. */
export async function openAccount(tx: Transaction, change: PointsChange) {
  const { userId } = change
  const { entry, head } = nextEntry({ userId, ...NEW_ACCOUNT }, change, { id: tx.newId(), at: tx.now() })
  await insertEntry(tx, entry)
  await insertAccount(tx, { userId, ...head })
  entryBooked.announce(tx, change)
  return entry
}

const insertAccount = prepared((tx: Transaction, account: Account) =>
  tx.insert(tx.tables.pointsAccounts).values(account),
)

const insertEntry = prepared((tx: Transaction, entry: PointsEntry & { userId: string }) =>
  tx.insert(tx.tables.pointsEntries).values(entry),
)

const updateAccount = prepared((tx: Transaction, { userId, ...head }: Account) => {
  const { pointsAccounts } = tx.tables
  return tx.update(pointsAccounts).set(head).where(eq(pointsAccounts.userId, userId))
})

export type Account = Tables['pointsAccounts']['$inferSelect']

/** The account of a fan without entries. */
export const NEW_ACCOUNT = {
  balance: 0,
  lifetime: 0,
  seq: 0,
  headHash: GENESIS_HASH,
  updatedAt: new Date(0),
}

/** The entry of a change, the account after it, and the points earned by it. The balance must suffice. */
export function nextEntry(account: Account, change: AnyChange, { id, at }: { id: string; at: Date }) {
  const { userId, delta, reason, ref } = change
  const balanceAfter = account.balance + delta
  const fields = { id, userId, seq: account.seq + 1, delta, balanceAfter, reason, ref, createdAt: at }
  const entry = { ...fields, hash: hashEntry(account.headHash, fields) }
  const gained = earnedBy(change)
  const head = {
    balance: balanceAfter,
    lifetime: account.lifetime + gained,
    seq: entry.seq,
    headHash: entry.hash,
    updatedAt: at,
  }
  return { entry, head, gained }
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

/** Whether `appendEntry` would throw no LedgerMismatchError; locks the account. For callers that write something else first. */
export async function canAppend(tx: Transaction, userId: string): Promise<boolean> {
  const account = await lockAccount(tx, userId)
  // No entry has an empty reason.
  return matchesTail(account, await selectTail(tx, { userId, seq: account.seq, reason: '', ref: '' }))
}

/** Which of these fans have an account that does not match their newest entry. */
export async function listMismatched(reader: Reader, userIds: string[]): Promise<Set<string>> {
  const { pointsAccounts, pointsEntries } = reader.tables
  const rows = await reader
    .select({ account: pointsAccounts, entry: pointsEntries })
    .from(pointsAccounts)
    .leftJoin(
      pointsEntries,
      and(eq(pointsEntries.userId, pointsAccounts.userId), gte(pointsEntries.seq, pointsAccounts.seq)),
    )
    .where(inArray(pointsAccounts.userId, userIds))
  const accounts = Map.groupBy(rows, ({ account }) => account.userId)
  const wrong = [...accounts].filter(([, [first, ...others]]) => {
    const tail = [first, ...others].flatMap(row => row?.entry ?? [])
    return first && !matchesTail(first.account, tail)
  })
  return new Set(wrong.map(([userId]) => userId))
}

/** `tail`: the entries from the account's `seq` on. */
export function matchesTail({ seq, balance, lifetime, headHash }: Account, tail: PointsEntry[]): boolean {
  if (seq === 0) return tail.length === 0 && balance === 0 && lifetime === 0 && headHash === GENESIS_HASH
  const [head] = tail
  return tail.length === 1 && head?.seq === seq && head.balanceAfter === balance && head.hash === headHash
}

/**
 * The entry of a cause, and the entries from a `seq` on: an entry that is both comes twice. Two lookups by indexes: for `or`,
 * PostgreSQL reads all entries of the fan if it has planned while there were few.
 */
const selectTail = prepared((reader: Reader, { seq, ...cause }: Cause & { seq: number }) => {
  const { pointsEntries } = reader.tables
  const tail = reader
    .select()
    .from(pointsEntries)
    .where(and(eq(pointsEntries.userId, cause.userId), gte(pointsEntries.seq, seq)))
  return tail.unionAll(entryOf(reader, cause))
})

/** What an entry is booked for. */
export interface Cause {
  userId: string
  reason: string
  ref: string
}

/** Query for the entry of a cause. */
export function entryOf(reader: Reader, { userId, reason, ref }: Cause) {
  const { pointsEntries } = reader.tables
  return reader
    .select()
    .from(pointsEntries)
    .where(
      and(eq(pointsEntries.userId, userId), eq(pointsEntries.reason, reason), eq(pointsEntries.ref, ref)),
    )
}

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
