/** Row locks that units of work share. */
import { is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Transaction } from './types.ts'

interface Lockable {
  for(strength: 'key share'): unknown
}

/**
 * The query, which also locks the rows that it returns until the unit of work ends: nobody deletes them meanwhile, or changes
 * a column of a unique index; other units of work may lock and update them. SQLite has a single writer, and needs no lock.
 */
export function locksShared<Query extends Lockable>({ tables }: Pick<Transaction, 'tables'>, query: Query) {
  // Guarantee of the cast: `for` returns the query itself, without the members that SQLite's has not.
  return is(tables.users, SQLiteTable) ? query : (query.for('key share') as Query)
}
