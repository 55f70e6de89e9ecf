/** What a fan has in cash. */
import { and, asc, desc, eq, gt, lt, lte, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import type { Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import type { CashEntry } from './ledger.ts'
import type { CashReason } from './reasons.ts'

/**
 * Like `readCashBalances`, with zero for each configured currency without a balance, so that clients see
 * which currencies the club offers.
 */
export async function readOfferedBalances(reader: Reader, { userId }: Viewer, currencies: readonly string[]) {
  const own = await readCashBalances(reader, userId)
  const empty = currencies.filter(offered => own.every(({ currency }) => currency !== offered))
  return [...own, ...empty.map(currency => ({ currency, available: 0, held: 0 }))].toSorted((a, b) =>
    a.currency < b.currency ? -1 : 1,
  )
}

/** By currency. An expired hold or promotion counts as ended, even before its end is booked. */
export async function readCashBalances(reader: Reader, userId: string) {
  const { cashAccounts: accounts, cashHolds: holds, cashPromotions: promotions } = reader.tables
  const { cashHoldPromotions: parts } = reader.tables
  const now = reader.now()
  const sumOf = (sum: ReturnType<typeof sql>) => sql<number>`coalesce((${sum}), 0)`.mapWith(Number)
  const isOf = (table: typeof holds | typeof promotions) =>
    and(eq(table.userId, accounts.userId), eq(table.currency, accounts.currency), lte(table.expiresAt, now))
  const rows = await reader
    .select({
      currency: accounts.currency,
      balance: accounts.balance,
      held: accounts.held,
      expired: sumOf(
        sql`select sum(${holds.amount}) from ${holds} where ${and(isOf(holds), eq(holds.state, 'held'))}`,
      ),
      ended: sumOf(
        sql`select sum(${promotions.remaining}) from ${promotions} where ${and(isOf(promotions), gt(promotions.remaining, 0))}`,
      ),
      // The amount that expired holds return to promotions that have ended.
      returned: sumOf(
        sql`select sum(${parts.amount}) from ${holds} inner join ${parts} on ${eq(parts.purchaseId, holds.purchaseId)} inner join ${promotions} on ${eq(promotions.ref, parts.ref)} where ${and(isOf(holds), eq(holds.state, 'held'), lte(promotions.expiresAt, now))}`,
      ),
    })
    .from(accounts)
    .where(eq(accounts.userId, userId))
    .orderBy(asc(accounts.currency))
  return rows.map(({ currency, balance, held, expired, ended, returned }) => ({
    currency,
    available: balance - held + expired - ended - returned,
    held: held - expired,
  }))
}

/** Totals of all fans by currency. `promotion` is the part of `available` that the club gave. */
export async function readCashTotals(reader: Reader) {
  const { cashAccounts: accounts, cashPromotions: promotions } = reader.tables
  const total = (column: ReturnType<typeof sql>) =>
    sql<number>`cast(sum(${column}) as bigint)`.mapWith(Number)
  const rows = await reader
    .select({
      currency: accounts.currency,
      available: total(sql`${accounts.balance} - ${accounts.held}`),
      held: total(sql`${accounts.held}`),
    })
    .from(accounts)
    .groupBy(accounts.currency)
  const given = await reader
    .select({ currency: promotions.currency, left: total(sql`${promotions.remaining}`) })
    .from(promotions)
    .groupBy(promotions.currency)
  const left = new Map(given.map(({ currency, left }) => [currency, left]))
  return rows.map(row => ({ ...row, promotion: left.get(row.currency) ?? 0 }))
}

/** A page of the caller's entries in a currency, newest first. */
export async function listCashEntries(
  reader: Reader,
  cursors: Cursors,
  { userId }: Viewer,
  { currency, limit, cursor }: Page & { currency: string },
) {
  const { cashEntries: entries } = reader.tables
  const list = JSON.stringify(['cash', userId, currency])
  const before = cursors.decode(list, cursor)
  const rows = await reader
    .select()
    .from(entries)
    .where(
      and(
        eq(entries.userId, userId),
        eq(entries.currency, currency),
        before === undefined ? undefined : lt(entries.seq, Number(before)),
      ),
    )
    .orderBy(desc(entries.seq))
    .limit(limit + 1)
  const { shown, nextCursor } = cutPage(rows, limit, last => cursors.encode(list, last.seq))
  return { entries: shown.map(presentCashEntry), nextCursor }
}

function presentCashEntry({ userId: _, createdAt, reason, ...entry }: CashEntry) {
  // Guarantee of the cast: only `CashLedger` appends entries, with their reasons.
  return { ...entry, reason: reason as CashReason, createdAt: createdAt.toISOString() }
}
