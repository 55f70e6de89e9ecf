/** Row locks of queries. SQLite has a single writer, and needs none. */
import { is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Reader, Transaction } from './types.ts'

interface Lockable {
  for(strength: 'key share' | 'no key update' | 'update'): unknown
}

/**
 * Makes the query lock its rows until the unit of work ends: nobody else can delete them or change a column of a unique
 * index. Other units of work may lock them in the same way. PostgreSQL loses this lock if another unit of work meanwhile moves the
 * row to another page (`heap_update`): whatever updates such rows first locks them with `locksExclusively`.
 */
export const locksShared = <Query extends Lockable>(tx: Pick<Transaction, 'tables'>, query: Query) =>
  locks(tx, query, 'key share')

/**
 * Like `locksShared`, and nobody else can update the rows. A row that was changed while the query waited must still meet its
 * condition.
 */
export const locksForUpdate = <Query extends Lockable>(tx: Pick<Transaction, 'tables'>, query: Query) =>
  locks(tx, query, 'no key update')

/** In a unit of work as `locksForUpdate`; the query alone elsewhere. Not for `prepared`, which builds a query once for both. */
export const locksInUnitOfWork = <Query extends Lockable>(reader: Reader, query: Query) =>
  isUnitOfWork(reader) ? locksForUpdate(reader, query) : query

export const isUnitOfWork = (reader: Reader): reader is Transaction =>
  'clock' in reader && reader.clock !== undefined

/**
 * Reads what a unit of work sees, and locks nothing: for code that holds locks which come after those of the rows. What it finds can
 * change before the commit.
 */
export const withoutLocks = (tx: Transaction): Reader => Object.create(tx, { clock: { value: undefined } })

/** Like `locksForUpdate`, and also waits for units of work that have locked the rows with `locksShared`. */
export const locksExclusively = <Query extends Lockable>(tx: Pick<Transaction, 'tables'>, query: Query) =>
  locks(tx, query, 'update')

/** A statement that only locks: none on SQLite. */
export const lockOnly =
  <Values extends unknown[]>(lock: (tx: Transaction, ...values: Values) => Promise<unknown>) =>
  async (tx: Transaction, ...values: Values): Promise<void> => {
    if (!isOnSqlite(tx)) await lock(tx, ...values)
  }

function locks<Query extends Lockable>(
  tx: Pick<Transaction, 'tables'>,
  query: Query,
  strength: Parameters<Lockable['for']>[0],
) {
  // Guarantee of the cast: `for` returns the query itself, without the members that a query on SQLite lacks.
  return isOnSqlite(tx) ? query : (query.for(strength) as Query)
}

/** Whether units of work wait for each other whatever rows they write. */
export const hasOneWriter = (tx: Pick<Transaction, 'tables'>): boolean => isOnSqlite(tx)

export const isOnSqlite = ({ tables }: Pick<Transaction, 'tables'>) => is(tables.users, SQLiteTable)
