/** The points ledger: append-only, hash-chained per fan, exact. Every change of a balance goes through `appendEntry`. */
import { and, eq, gte, inArray, or, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { type Board, boardsAt } from '../leaderboard/boards.ts'
import { raiseScores } from '../leaderboard/scores.ts'
import { GENESIS_HASH, hashEntry } from './hash.ts'

/** What an entry is for. With its `ref` it names one cause, which is booked once. */
export const POINTS_REASONS = [
  'onboarding',
  'activity',
  'adjustment',
  'pack_purchase',
  'pack_refund',
  'opening_balance',
] as const
export type PointsReason = (typeof POINTS_REASONS)[number]

/** Points that come back were earned before: they lift no rank. */
export const GIVEN_BACK: PointsReason[] = ['pack_refund']

/** Points from before the fan's time here: they count on the global board, and as earned in no week or month. */
const FROM_BEFORE: PointsReason[] = ['opening_balance']

/** The boards on which points count that are booked at an instant. */
export const boardsFor = (reason: PointsReason, at: Date): Board[] =>
  boardsAt(at).filter(({ period }) => period === 'all' || !FROM_BEFORE.includes(reason))

/** What a change adds to lifetime points. */
export const earnedBy = ({ delta, reason }: Pick<PointsChange, 'delta' | 'reason'>) =>
  GIVEN_BACK.includes(reason) ? 0 : Math.max(delta, 0)

export interface PointsChange {
  userId: string
  /** Whole points; negative to spend. Not zero. */
  delta: number
  reason: PointsReason
  /** Names the cause within its reason: at most one entry per (user, reason, ref). */
  ref: string
}

export interface PointsEntry {
  id: string
  seq: number
  delta: number
  balanceAfter: number
  reason: string
  ref: string
  createdAt: Date
  hash: string
}

export type Booking =
  | { outcome: 'booked' | 'booked_before'; entry: PointsEntry }
  /** Nothing was written. */
  | { outcome: 'insufficient'; balance: number }

/** The account contradicts the entries: the next entry would follow a head that is not theirs, and break the chain for good. */
export class LedgerMismatchError extends Error {
  constructor(userId: string) {
    super(
      `the points account of fan ${userId} does not match their ledger entries; nothing was booked, ` +
        '`bun run verify-ledger` shows the difference',
    )
    this.name = 'LedgerMismatchError'
  }
}

/**
 * Books a change, at most once per (user, reason, ref). Needs the user's row to exist.
 * The account's row lock puts the entries of one fan in a line on PostgreSQL, as the one writer does on SQLite;
 * the unique indexes and checks of the tables hold whatever happens here.
 * @throws LedgerMismatchError
 */
export async function appendEntry(tx: Transaction, change: PointsChange): Promise<Booking> {
  const { userId, delta, reason, ref } = change
  const account = await holdAccount(tx, userId)

  // A statement of its own, after the lock: on PostgreSQL one that waited for it still reads the snapshot from before.
  const found = await selectTail(tx, { userId, seq: account.seq, reason, ref })
  const before = found.find(entry => entry.reason === reason && entry.ref === ref)
  if (before) return { outcome: 'booked_before', entry: before }
  if (!matchesTail(account, found)) throw new LedgerMismatchError(userId)

  if (account.balance + delta < 0) return { outcome: 'insufficient', balance: account.balance }

  const at = tx.now()
  const { entry, head, gained } = nextEntry(account, change, { id: tx.newId(), at })
  await insertEntry(tx, entry)
  await updateAccount(tx, { userId, ...head })
  if (gained > 0) await raiseScores(tx, userId, { gained, at, boards: boardsFor(reason, at) })
  return { outcome: 'booked', entry }
}

const insertEntry = prepared((tx: Transaction, entry: PointsEntry & { userId: string }) =>
  tx.insert(tx.tables.pointsEntries).values(entry),
)

const updateAccount = prepared((tx: Transaction, { userId, ...head }: Account) => {
  const { pointsAccounts } = tx.tables
  return tx.update(pointsAccounts).set(head).where(eq(pointsAccounts.userId, userId))
})

export type Account = Tables['pointsAccounts']['$inferSelect']

/** Follows from the entries in every member: without one, nothing has ever changed. */
export const NEW_ACCOUNT = {
  balance: 0,
  lifetime: 0,
  seq: 0,
  headHash: GENESIS_HASH,
  updatedAt: new Date(0),
}

/** The entry that a change makes, the account's head after it, and what was earned by it. The balance must suffice. */
export function nextEntry(account: Account, change: PointsChange, { id, at }: { id: string; at: Date }) {
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

/** Opens the account when there is none, and holds its row until the unit of work ends. */
export async function holdAccount(tx: Transaction, userId: string) {
  const [account] = await holdRow(tx, userId)
  if (!account) throw new Error('points account vanished while it was locked')
  return account
}

const holdRow = prepared((tx: Transaction, userId: string) => {
  const { pointsAccounts } = tx.tables
  return (
    tx
      .insert(pointsAccounts)
      .values({ userId, ...NEW_ACCOUNT })
      // Not a key: that would be looked up, and its index written, for nothing.
      .onConflictDoUpdate({
        target: pointsAccounts.userId,
        set: { balance: sql`${pointsAccounts.balance}` },
      })
      .returning()
  )
})

/** Whether `appendEntry` would take an entry: for what must know before it writes anything else. Holds the account. */
export async function takesEntries(tx: Transaction, userId: string): Promise<boolean> {
  const account = await holdAccount(tx, userId)
  // No entry has an empty reason.
  return matchesTail(account, await selectTail(tx, { userId, seq: account.seq, reason: '', ref: '' }))
}

/** Those of some fans whose account does not match their newest entry, as one statement sees them. */
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
function matchesTail({ seq, balance, lifetime, headHash }: Account, tail: PointsEntry[]): boolean {
  if (seq === 0) return tail.length === 0 && balance === 0 && lifetime === 0 && headHash === GENESIS_HASH
  const [head] = tail
  return tail.length === 1 && head?.seq === seq && head.balanceAfter === balance && head.hash === headHash
}

interface TailOrCause extends Cause {
  seq: number
}

/** The entry of a cause, and the entries from a `seq` on, each by an index: at most two rows while the chain is sound. */
const selectTail = prepared((reader: Reader, { userId, seq, reason, ref }: TailOrCause) => {
  const { pointsEntries } = reader.tables
  return reader
    .select()
    .from(pointsEntries)
    .where(
      and(
        eq(pointsEntries.userId, userId),
        or(gte(pointsEntries.seq, seq), and(eq(pointsEntries.reason, reason), eq(pointsEntries.ref, ref))),
      ),
    )
})

interface Cause {
  userId: string
  reason: string
  ref: string
}

/** Current and lifetime points; zero for a fan without an account. */
export async function readBalance(reader: Reader, userId: string | undefined) {
  if (userId === undefined) return { balance: 0, lifetime: 0 }
  const [account] = await selectBalance(reader, userId)
  return account ?? { balance: 0, lifetime: 0 }
}

const selectBalance = prepared((reader: Reader, userId: string) => {
  const { pointsAccounts } = reader.tables
  return reader
    .select({ balance: pointsAccounts.balance, lifetime: pointsAccounts.lifetime })
    .from(pointsAccounts)
    .where(eq(pointsAccounts.userId, userId))
})
