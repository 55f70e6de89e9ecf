/**
 * The ledgers of fans in accounts: chains as that of spendable points, whose lock protects them as well. Changes are in memory until
 * `write`, which also brings totals and tiers up to date.
 */
import { and, eq, gte } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { rowsByKeys } from '../../../db/keys.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import { chainEntry, GENESIS_HASH, isHeadOf, LedgerMismatchError } from '../ledgers/chain.ts'
import { type AccountSet, basisOf, getAccountSet, pastWindowAt, windowFromAt } from './account-set.ts'
import { type ToldTier, tellTier } from './spine.ts'
import { judgeTier, type PastTotal } from './tiers.ts'
import { readPastTotals, readTotals, sumEntries } from './totals.ts'

export type AccountEntryRow = Tables['accountEntries']['$inferSelect']
type FanAccount = Tables['fanAccounts']['$inferSelect']

export interface AccountKey {
  userId: string
  accountId: string
}

interface AccountBooking extends AccountKey {
  /** Not zero. */
  delta: number
  reason: string
  /** At most one entry per (user, reason, ref), in all accounts. */
  ref: string
  /** Decides the season. */
  countedAt: Date
}

interface AccountLedger {
  row: FanAccount
  isSound: boolean
  booked: AccountEntryRow[]
  /** The change of the tier that reading the row for the current window has brought: told when the row is written. */
  change: ToldTier | null
  /** After entries that were taken back, or that count there. */
  past: PastTotal | null
}

const nameOf = ({ userId, accountId }: AccountKey) => `${userId} ${accountId}`
const causeOf = (entry: { userId: string; reason: string; ref: string }) =>
  JSON.stringify([entry.userId, entry.reason, entry.ref])

export interface AccountBook {
  /** Reads the ledgers of these fans. Their accounts of points are locked. */
  load(keys: AccountKey[]): Promise<void>
  /** Reads the entries of these causes, with their ledgers. */
  loadCauses(causes: { userId: string; reason: string; ref: string }[]): Promise<AccountEntryRow[]>
  find(cause: { userId: string; reason: string; ref: string }): AccountEntryRow | undefined
  balanceOf(key: AccountKey): number
  /** The ledger is loaded, and the balance suffices. @throws LedgerMismatchError */
  append(booking: AccountBooking): AccountEntryRow
  write(): Promise<void>
}

export function openAccountBook(tx: Transaction): AccountBook {
  const ledgers = new Map<string, AccountLedger>()
  const known = new Map<string, AccountEntryRow>()
  const now = tx.now()

  async function load(keys: AccountKey[]) {
    const missing = keys.filter(key => !ledgers.has(nameOf(key)))
    if (missing.length === 0) return
    const set = await getAccountSet(tx)
    const wanted = new Set(missing.map(nameOf))
    const rows = await selectTails(tx, toList([...new Set(missing.map(({ userId }) => userId))]))
    for (const [name, [first, ...others]] of Map.groupBy(rows, ({ row }) => nameOf(row))) {
      if (!first || !wanted.has(name)) continue
      const tail = [first, ...others].flatMap(({ entry }) => entry ?? [])
      ledgers.set(name, {
        row: first.row,
        isSound: isHeadOf({ ...first.row }, tail),
        booked: [],
        change: null,
        past: null,
      })
    }
    for (const key of missing)
      if (!ledgers.has(nameOf(key)))
        ledgers.set(nameOf(key), {
          row: newRow(key, set, now),
          isSound: true,
          booked: [],
          change: null,
          past: null,
        })
    await refresh(
      missing.flatMap(key => ledgers.get(nameOf(key)) ?? []),
      set,
    )
  }

  /** Brings rows up to date that were written for another window, or for other tiers. */
  async function refresh(loaded: AccountLedger[], set: AccountSet) {
    for (const ledger of loaded) {
      const account = set.accounts.get(ledger.row.accountId)
      if (!account || ledger.row.basis === basisOf(account, windowFromAt(account, set, now))) continue
      const [fresh] = await refreshRows(tx, set, [ledger.row])
      if (fresh) Object.assign(ledger, fresh)
    }
  }

  function ledgerOf(key: AccountKey): AccountLedger {
    const ledger = ledgers.get(nameOf(key))
    if (!ledger) throw new Error('a ledger of an account is not loaded')
    return ledger
  }

  return {
    load,
    async loadCauses(causes) {
      const found = causes.length === 0 ? [] : await selectCauses(tx, causes)
      for (const entry of found) known.set(causeOf(entry), entry)
      await load(found)
      return found
    },
    find: cause => known.get(causeOf(cause)),
    balanceOf: key => ledgerOf(key).row.balance,
    append({ userId, accountId, delta, reason, ref, countedAt }) {
      const ledger = ledgerOf({ userId, accountId })
      if (!ledger.isSound) throw new LedgerMismatchError(userId)
      const change = { userId, accountId, delta, reason, ref, countedAt }
      const { entry, head } = chainEntry(ledger.row, change, { id: tx.newId(), at: now })
      ledger.row = { ...ledger.row, ...head }
      ledger.booked.push(entry)
      known.set(causeOf(entry), entry)
      return entry
    },
    async write() {
      const changed = [...ledgers.values()].filter(({ booked }) => booked.length > 0)
      if (changed.length === 0) return
      const { accountEntries, fanAccounts } = tx.tables
      await insertRows(
        tx,
        accountEntries,
        changed.flatMap(({ booked }) => booked),
      )
      const set = await getAccountSet(tx)
      await recount(changed, set)
      const rows = changed.map(ledger => {
        if (ledger.change) tellTier(tx, ledger.change)
        return judgeRow(tx, set, isTakenFrom(ledger) ? ledger.row : raisedRow(ledger), ledger)
      })
      await insertRows(tx, fanAccounts, rows, { set: [...FOLLOWING] })
      for (const ledger of changed) ledger.booked = []
    },
  }

  /** Where entries were taken back, the total and its time follow from all entries; a tier that is kept, from those of the last season. */
  async function recount(changed: AccountLedger[], set: AccountSet) {
    const groups = Map.groupBy(changed, ({ row }) => `${row.accountId} ${row.windowFrom?.getTime()}`)
    for (const group of groups.values()) {
      const [first] = group
      const account = first && set.accounts.get(first.row.accountId)
      if (!first || !account) continue
      const { accountId, windowFrom: from } = first.row
      const taken = group.filter(isTakenFrom)
      const totals = await readTotals(tx, { accountId, from }, taken.map(userOf))
      for (const ledger of taken) {
        const { total = 0, reachedAt } = totals.get(userOf(ledger)) ?? {}
        ledger.row = { ...ledger.row, minusTotal: 0 - total, reachedAt: reachedAt ?? ledger.row.reachedAt }
      }
      const window = pastWindowAt(account, set, now)
      if (!window) continue
      const past = group.filter(
        ledger =>
          isTakenFrom(ledger) ||
          endsBy(ledger.row, now) ||
          ledger.booked.some(({ countedAt }) => countedAt < window.before),
      )
      const pastTotals = await sumEntries(tx, { accountId, ...window }, past.map(userOf))
      for (const ledger of past) ledger.past = pastTotalOf(ledger, window, pastTotals)
    }
  }
}

/** Whether a tier that was kept for days of grace has ended. */
export const endsBy = ({ tierUntil }: Pick<FanAccount, 'tierUntil'>, now: Date) =>
  tierUntil !== null && tierUntil <= now

const userOf = ({ row }: AccountLedger) => row.userId

function pastTotalOf(
  { row, booked }: AccountLedger,
  { from, before: endedAt }: { from: Date | null; before: Date },
  totals: Map<string, number>,
): PastTotal {
  const total = totals.get(row.userId) ?? 0
  const isCounted = ({ countedAt }: AccountEntryRow) =>
    countedAt < endedAt && (from === null || countedAt >= from)
  const changed = booked.filter(isCounted).reduce((sum, { delta }) => sum + delta, 0)
  return { endedAt, total, before: total - changed }
}

/** What follows from the entries, and the head of the chain. */
const FOLLOWING = [
  ...['balance', 'seq', 'headHash', 'minusTotal', 'reachedAt', 'windowFrom', 'tierId', 'tierSince'],
  ...['tierUntil', 'basis', 'riskToldFor', 'updatedAt'],
]

const isTakenFrom = ({ booked }: Pick<AccountLedger, 'booked'>) => booked.some(({ delta }) => delta < 0)

/** The row after entries that earned. */
function raisedRow({ row, booked }: AccountLedger): FanAccount {
  const counted = booked.filter(({ countedAt }) => row.windowFrom === null || countedAt >= row.windowFrom)
  const gained = counted.reduce((sum, { delta }) => sum + delta, 0)
  const last = counted.at(-1)
  return { ...row, minusTotal: row.minusTotal - gained, reachedAt: last?.createdAt ?? row.reachedAt }
}

/** The row with its tier by its total. Changes are told at the end of the unit of work. */
function judgeRow(
  tx: Transaction,
  set: AccountSet,
  row: FanAccount,
  { booked, past }: Pick<AccountLedger, 'booked' | 'past'>,
) {
  const account = set.accounts.get(row.accountId)
  if (!account) return row
  const now = tx.now()
  const isCorrected = isTakenFrom({ booked })
  const { held, change } = judgeTier(account, row, -row.minusTotal, { now, isCorrected, past })
  if (change) tellTier(tx, { ...change, userId: row.userId, accountId: row.accountId, seq: row.seq })
  return { ...row, ...held }
}

const newRow = ({ userId, accountId }: AccountKey, set: AccountSet, now: Date): FanAccount => {
  const account = set.accounts.get(accountId)
  if (!account) throw new Error(`there is no account ${accountId}`)
  const windowFrom = windowFromAt(account, set, now)
  return {
    userId,
    accountId,
    balance: 0,
    seq: 0,
    headHash: GENESIS_HASH,
    minusTotal: 0,
    reachedAt: now,
    windowFrom,
    tierId: null,
    tierSince: null,
    tierUntil: null,
    basis: basisOf(account, windowFrom),
    riskToldFor: null,
    updatedAt: now,
  }
}

/**
 * The rows of one account for the current window and tiers, recounted. A tier that the total no longer reaches is kept for its days of
 * grace after the season. The accounts of points of the fans are locked. The caller writes the rows, and tells the changes of those.
 */
export async function refreshRows(
  tx: Transaction,
  set: AccountSet,
  rows: FanAccount[],
): Promise<{ row: FanAccount; change: ToldTier | null }[]> {
  const accountId = rows[0]?.accountId ?? ''
  const account = set.accounts.get(accountId)
  if (!account) return rows.map(row => ({ row, change: null }))
  const now = tx.now()
  const from = windowFromAt(account, set, now)
  const userIds = rows.map(({ userId }) => userId)
  const totals = await readTotals(tx, { accountId, from }, userIds)
  const pastOf = await readPastTotals(tx, set, account, userIds)
  return rows.map(row => {
    const { total = 0, reachedAt } = totals.get(row.userId) ?? {}
    const hasMoved = from?.getTime() !== row.windowFrom?.getTime()
    const { held, change } = judgeTier(account, row, total, { now, hasMoved, past: pastOf(row.userId) })
    return {
      row: {
        ...row,
        ...held,
        minusTotal: 0 - total,
        reachedAt: reachedAt ?? row.reachedAt,
        windowFrom: from,
        basis: basisOf(account, from),
        updatedAt: now,
      },
      // A row can change several times without an entry.
      change: change && { ...change, userId: row.userId, accountId, seq: now.getTime() },
    }
  })
}

export const writeFanAccounts = (tx: Transaction, rows: FanAccount[]) =>
  insertRows(tx, tx.tables.fanAccounts, rows, { set: [...FOLLOWING] })

const selectCauses = rowsByKeys('accountEntries', ['userId', 'reason', 'ref'])

/** The ledgers of these fans, each with its entries from `seq` on. */
const selectTails = prepared((reader: Reader, userIds: string) => {
  const { fanAccounts: row, accountEntries: entry } = reader.tables
  return reader
    .select({ row, entry })
    .from(row)
    .leftJoin(
      entry,
      and(eq(entry.userId, row.userId), eq(entry.accountId, row.accountId), gte(entry.seq, row.seq)),
    )
    .where(isListed(reader, row.userId, userIds))
})
