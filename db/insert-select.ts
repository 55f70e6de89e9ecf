/** INSERT of one row that depends on others. */
import { type Column, getTableColumns, is, SQL, sql } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { AnyTable } from './schema/shape.ts'

type Values<T extends AnyTable> = {
  [Name in keyof T['$inferInsert']]-?: T['$inferInsert'][Name] | SQL
}

/**
 * What `insert(table).select(…)` gets for a row. `row` gets the value of each query, which has one column and at most one row. SQLite would
 * copy what a SELECT reads of the table itself (an event: 30 instead of 26 µs), and Citus refuses a subselect in VALUES.
 */
export function rowFrom<T extends AnyTable, Name extends string>(
  table: T,
  queries: Record<Name, SQL>,
  row: (found: Record<Name, SQL>) => Values<T>,
): SQL {
  // Guarantee of the casts: the names are those of the queries.
  const names = Object.keys(queries) as Name[]
  const mapped = (place: (name: Name) => SQL) =>
    Object.fromEntries(names.map(name => [name, place(name)])) as Record<Name, SQL>
  if (is(table, SQLiteTable))
    return sql`values (${listOf(table, row(mapped(name => sql`(${queries[name]})`)))})`
  const values = listOf(table, row(mapped(name => sql`${sql.identifier(name)}.value`)))
  const joins = names.map(
    name => sql`left join (${queries[name]}) as ${sql.identifier(name)} (value) on true`,
  )
  return sql`select ${values} from (select 1 as one) as given ${sql.join(joins, sql` `)}`
}

/** The values of all columns, in the order in which `insert(table).select(…)` names them. */
function listOf<T extends AnyTable>(table: T, row: Values<T>): SQL {
  // Guarantee: the type requires a value for each column.
  const values = row as Record<string, unknown>
  const encode = ([name, column]: [string, Column]) => {
    const value = values[name]
    // A parameter is bound for each row, a literal is not.
    if (value === null) return sql`null`
    return is(value, SQL) ? value : sql`${sql.param(value, column)}`
  }
  return sql.join(Object.entries(getTableColumns(table)).map(encode), sql`, `)
}
