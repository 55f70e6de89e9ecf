/** Exports what a fan has in accounts, and carries it over to another fan with entries in both ledgers, each in its season. */
import { and, asc, eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import type { Merge } from '../../core/caller.ts'
import { grantReasonOf } from '../ledgers/reasons.ts'
import { type AccountEntryRow, openAccountBook } from './book.ts'
import { carriedRefOf } from './grants.ts'

/** Oldest entries first. */
export async function exportAccounts(reader: Reader, userId: string) {
  const { fanAccounts, accountEntries: entries } = reader.tables
  return {
    accounts: await reader
      .select()
      .from(fanAccounts)
      .where(eq(fanAccounts.userId, userId))
      .orderBy(asc(fanAccounts.accountId)),
    entries: eachRow({ accountId: entries.accountId, seq: entries.seq }, after =>
      reader
        .select()
        .from(entries)
        .where(and(eq(entries.userId, userId), after)),
    ),
  }
}

/**
 * What remains of each entry of the merged fan becomes an entry of the other one. The accounts of points of both are locked. Returns the
 * sum.
 */
export async function carryAccounts(tx: Transaction, { fromId, intoId }: Merge): Promise<number> {
  const { accountEntries } = tx.tables
  const entries = await tx
    .select()
    .from(accountEntries)
    .where(eq(accountEntries.userId, fromId))
    .orderBy(asc(accountEntries.accountId), asc(accountEntries.seq))
  if (entries.length === 0) return 0
  const book = openAccountBook(tx)
  const accountIds = [...new Set(entries.map(({ accountId }) => accountId))]
  await book.load(
    accountIds.flatMap(accountId => [
      { userId: fromId, accountId },
      { userId: intoId, accountId },
    ]),
  )
  const remaining = remainingOf(entries)
  let sum = 0
  // First what was earned, so that no balance is negative in between; in the ledger of the merged fan the other way round.
  for (const { entry, delta } of remaining.toSorted((a, b) => b.delta - a.delta)) {
    const { accountId, countedAt } = entry
    const reason = delta > 0 ? 'merge' : 'merge_spent'
    book.append({ userId: intoId, accountId, delta, reason, ref: carriedRefOf(entry), countedAt })
    sum += delta
  }
  for (const { entry, delta } of remaining.toSorted((a, b) => a.delta - b.delta)) {
    const { accountId, countedAt, seq } = entry
    const ref = `${intoId}:${accountId}:${seq}`
    book.append({ userId: fromId, accountId, delta: -delta, reason: 'merged', ref, countedAt })
  }
  await book.write()
  return sum
}

/** Entries with what was not taken back of them. */
function remainingOf(entries: AccountEntryRow[]) {
  const taken = new Map<string, number>()
  for (const { reason, ref, delta } of entries) {
    const granted = grantReasonOf(reason)
    if (granted) taken.set(`${granted} ${ref}`, delta)
  }
  return entries
    .filter(({ reason }) => grantReasonOf(reason) === undefined)
    .map(entry => ({ entry, delta: entry.delta + (taken.get(`${entry.reason} ${entry.ref}`) ?? 0) }))
    .filter(({ delta }) => delta !== 0)
}
