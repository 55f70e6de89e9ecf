/** Books entries for many fans, in a number of statements that does not depend on theirs. */
import { and, eq, gte, inArray, or } from 'drizzle-orm'
import { insertRows } from '../../db/bulk.ts'
import type { Reader, Transaction } from '../../db/index.ts'
import { writeManyScores } from '../leaderboard/rank-index/entries.ts'
import { raisedScores } from '../leaderboard/scores.ts'
import { correctedScores } from './corrected-scores.ts'
import {
  type Account,
  entryBooked,
  LedgerMismatchError,
  matchesTail,
  NEW_ACCOUNT,
  nextEntry,
  type PointsEntry,
} from './ledger.ts'
import { boardsFor, type GrantReason, voidReasonOf } from './reasons.ts'

/** Creates missing accounts, and locks all until the unit of work ends. In the order of the ids: two batches cannot wait for each other. */
export async function lockAccounts(tx: Transaction, userIds: string[]): Promise<void> {
  const rows = userIds.toSorted().map(userId => ({ userId, ...NEW_ACCOUNT }))
  await insertRows(tx, tx.tables.pointsAccounts, rows, 'lock')
}

/** Changes of ledgers in memory, until `write`. */
export interface Ledgers {
  /** As `takeBack`: returns the points that were taken. */
  takeBack(userId: string, ref: string): number
  /** As `appendEntry`, of more than zero points. Once for each fan. */
  append(userId: string, points: number): void
  /** Writes entries and accounts. */
  write(): Promise<void>
  /** Writes the scores. */
  writeScores(): Promise<void>
}

interface Causes {
  reason: GrantReason
  /** Of the entries that are appended. */
  ref: string
  /** Of the entries that may be taken back. */
  refsBefore: string[]
}

interface Ledger {
  account: Account
  /** Of the causes. */
  found: PointsEntry[]
  booked: (PointsEntry & { userId: string })[]
  gained: number
  taken: PointsEntry[]
}

/**
 * Reads the ledgers of fans whose accounts are locked.
 * @throws LedgerMismatchError
 */
export async function openLedgers(
  tx: Transaction,
  userIds: string[],
  { reason, ref: newRef, refsBefore }: Causes,
): Promise<Ledgers> {
  const voidReason = voidReasonOf(reason)
  const at = tx.now()
  const ledgers = await readLedgers(tx, userIds, {
    reasons: [reason, voidReason],
    refs: [newRef, ...refsBefore],
  })
  const ledgerOf = (userId: string) => {
    const ledger = ledgers.get(userId)
    if (!ledger) throw new Error('a locked points account does not exist')
    return ledger
  }
  const entryOf = ({ found }: Ledger, ref: string, of: string) =>
    found.find(entry => entry.reason === of && entry.ref === ref)

  function book(
    ledger: Ledger,
    change: { delta: number; ref: string; reason: GrantReason | typeof voidReason },
  ) {
    const { userId } = ledger.account
    const { entry, head } = nextEntry(ledger.account, { userId, ...change }, { id: tx.newId(), at })
    ledger.account = { userId, ...head }
    ledger.booked.push(entry)
  }

  return {
    takeBack(userId, ref) {
      const ledger = ledgerOf(userId)
      const granted = entryOf(ledger, ref, reason)
      const before = entryOf(ledger, ref, voidReason)
      if (!granted || before) return before ? -before.delta : 0
      const points = Math.min(granted.delta, ledger.account.balance)
      if (points === 0) return 0
      book(ledger, { delta: -points, ref, reason: voidReason })
      ledger.taken.push(granted)
      return points
    },
    append(userId, points) {
      const ledger = ledgerOf(userId)
      if (entryOf(ledger, newRef, reason)) return
      book(ledger, { delta: points, ref: newRef, reason })
      ledger.gained = points
    },
    async write() {
      const changed = [...ledgers.values()].filter(({ booked }) => booked.length > 0)
      const { pointsAccounts, pointsEntries } = tx.tables
      const entries = changed.flatMap(({ booked }) => booked)
      await insertRows(tx, pointsEntries, entries)
      for (const entry of entries) entryBooked.announce(tx, entry)
      const accounts = changed.map(({ account }) => account)
      await insertRows(tx, pointsAccounts, accounts, {
        set: ['balance', 'lifetime', 'seq', 'headHash', 'updatedAt'],
      })
    },
    async writeScores() {
      const all = [...ledgers.values()]
      const corrected = all.filter(({ taken }) => taken.length > 0)
      const raised = all.filter(({ gained, taken }) => gained > 0 && taken.length === 0)
      const appended = { reason, ref: newRef, at }
      const taken = corrected.flatMap(ledger => ledger.taken)
      const booked = taken.map(({ ref, createdAt }) => ({ reason, ref, at: createdAt }))
      const idOf = ({ account: { userId } }: Ledger) => userId
      const earnings = raised.map(ledger => ({ userId: idOf(ledger), gained: ledger.gained }))
      const changes = [
        await raisedScores(tx, earnings, { at, boards: boardsFor(appended) }),
        await correctedScores(tx, corrected.map(idOf), [appended, ...booked]),
      ]
      const before = changes.flatMap(change => change.before)
      const after = changes.flatMap(change => change.after)
      await writeManyScores(tx, before, after)
    },
  }
}

/** @throws LedgerMismatchError */
async function readLedgers(
  reader: Reader,
  userIds: string[],
  { reasons, refs }: { reasons: string[]; refs: string[] },
): Promise<Map<string, Ledger>> {
  const { pointsAccounts: accounts, pointsEntries: entries } = reader.tables
  const isCause = and(inArray(entries.reason, reasons), inArray(entries.ref, refs))
  const rows = await reader
    .select({ account: accounts, entry: entries })
    .from(accounts)
    .leftJoin(entries, and(eq(entries.userId, accounts.userId), or(gte(entries.seq, accounts.seq), isCause)))
    .where(inArray(accounts.userId, userIds))
  const ledgers = new Map<string, Ledger>()
  for (const [userId, own] of Map.groupBy(rows, ({ account }) => account.userId)) {
    const [first] = own
    if (!first) continue
    const { account } = first
    const found = own.flatMap(({ entry }) => entry ?? [])
    const tail = found.filter(({ seq }) => seq >= account.seq)
    if (!matchesTail(account, tail)) throw new LedgerMismatchError(userId)
    ledgers.set(userId, { account, found, booked: [], gained: 0, taken: [] })
  }
  return ledgers
}
