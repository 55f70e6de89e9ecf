/**
 * The ledger of a fan in one currency: append-only and hash-chained as that of points. There is no account
 * for the club, which every purchase would have to write: its revenue is the sum of the payments of fans.
 */
import { and, eq, gte, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { chainEntry, GENESIS_HASH, isHeadOf, LedgerMismatchError } from '../ledgers/chain.ts'
import { noteAppended } from '../points/appended-entries.ts'
import type { CashReason } from './reasons.ts'

export type CashEntry = Tables['cashEntries']['$inferSelect']
type CashAccount = Tables['cashAccounts']['$inferSelect']

export interface CashKey {
  userId: string
  /** ISO 4217. */
  currency: string
}

interface CashChange {
  /** Minor units. Not zero. */
  delta: number
  reason: CashReason
  /** At most one entry per (user, reason, ref). */
  ref: string
  /** The change of the held amount. */
  held?: number
}

/** A locked account. Its changes are written at once. */
export interface CashLedger extends CashKey {
  /** The balance without what is held. */
  available(): number
  balance(): number
  /** The account refuses more than is available. */
  append(change: CashChange): Promise<CashEntry>
  hold(by: number): Promise<void>
}

/**
 * Locks the account, whose fan exists, until the unit of work ends; before the account of points of the fan.
 * @throws LedgerMismatchError
 */
export const lockCash = async (tx: Transaction, key: CashKey): Promise<CashLedger> =>
  (await lockCashAnd(tx, key, async () => {})).ledger

/** As `lockCash`, with statements that are sent after the lock, without a round trip of their own. */
export async function lockCashAnd<Read>(
  tx: Transaction,
  key: CashKey,
  read: () => Promise<Read>,
): Promise<{ ledger: CashLedger; read: Read }> {
  const { userId, currency } = key
  const locked = (await lockAccount(tx, userId, currency)) ?? (await insertOrLock(tx, userId, currency))
  if (!locked) throw new Error('a locked account of cash does not exist')
  let account = locked
  // A statement after the lock: on PostgreSQL the one that waited for it reads an older snapshot.
  const [tail, found] = await Promise.all([selectTail(tx, key, account.seq), read()])
  if (!isHeadOf(account, tail)) throw new LedgerMismatchError(userId, 'cash')

  async function write(changed: CashAccount) {
    account = changed
    await updateAccount(tx, account)
  }

  const ledger: CashLedger = {
    userId,
    currency,
    available: () => account.balance - account.held,
    balance: () => account.balance,
    async append({ held = 0, ...change }) {
      const { entry, head } = chainEntry(
        account,
        { userId, currency, ...change },
        { id: tx.newId(), at: tx.now() },
      )
      await Promise.all([insertEntry(tx, entry), write({ ...account, ...head, held: account.held + held })])
      noteAppended(tx, entry)
      return entry
    },
    hold: by => write({ ...account, held: account.held + by }),
  }
  return { ledger, read: found }
}

const lockAccount = preparedRow((tx: Transaction, userId: string, currency: string) => {
  const { cashAccounts: accounts } = tx.tables
  const isOwn = and(eq(accounts.userId, userId), eq(accounts.currency, currency))
  return locksForUpdate(tx, tx.select().from(accounts).where(isOwn))
})

/** The first unit of work with this account. */
const insertOrLock = preparedRow((tx: Transaction, userId: string, currency: string) => {
  const { cashAccounts } = tx.tables
  const account = { balance: 0, held: 0, seq: 0, headHash: GENESIS_HASH, updatedAt: new Date(0) }
  return tx
    .insert(cashAccounts)
    .values({ userId, currency, ...account })
    .onConflictDoUpdate({
      target: [cashAccounts.userId, cashAccounts.currency],
      set: { balance: sql`${cashAccounts.balance}` },
    })
    .returning()
})

const selectTail = prepared((reader: Reader, { userId, currency }: CashKey, seq: number) => {
  const { cashEntries: entries } = reader.tables
  return reader
    .select()
    .from(entries)
    .where(and(eq(entries.userId, userId), eq(entries.currency, currency), gte(entries.seq, seq)))
})

const insertEntry = prepared((tx: Transaction, entry: CashEntry) =>
  tx.insert(tx.tables.cashEntries).values(entry),
)

const updateAccount = prepared((tx: Transaction, { userId, currency, ...changed }: CashAccount) => {
  const { cashAccounts } = tx.tables
  return tx
    .update(cashAccounts)
    .set(changed)
    .where(and(eq(cashAccounts.userId, userId), eq(cashAccounts.currency, currency)))
})
