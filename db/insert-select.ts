/** INSERT … SELECT of one row: a row that depends on others, without a subselect in VALUES, which Citus refuses. */
import { type Column, getTableColumns, is, SQL, sql } from 'drizzle-orm'
import type { AnyTable } from './schema/shape.ts'

type Values<T extends AnyTable> = {
  [Name in keyof T['$inferInsert']]-?: T['$inferInsert'][Name] | SQL
}

/** The values of all columns, in the order in which `insert(table).select(…)` names them. */
export function valuesOf<T extends AnyTable>(table: T, row: Values<T>): SQL {
  // Guarantee: the type requires a value for each column.
  const values = row as Record<string, unknown>
  const encode = ([name, column]: [string, Column]) => {
    const value = values[name]
    return is(value, SQL) ? value : sql`${sql.param(value, column)}`
  }
  return sql.join(Object.entries(getTableColumns(table)).map(encode), sql`, `)
}
