/** Queries whose SQL is built once a connection, rather than at each use: for what every request asks. */
import { type Column, type Placeholder, sql } from 'drizzle-orm'
import type { Reader, Transaction } from './types.ts'

interface Preparable<Rows> {
  prepare(name: string): { execute(values?: Record<string, unknown>): Promise<Rows> }
}

export type PreparedValue<Values> = <Name extends keyof Values & string>(name: Name) => Placeholder<Name>

/**
 * `build` says the query, with `value(name)` where a value goes in; the result runs it. Beside a column that is no text or
 * number, wrap the value for its dialect: `sql.param(value(name), column)`. In the `values` of
 * an insert and in `sql.param` no value may be null: the column's encoder throws at such a Date, and makes false of such a
 * boolean.
 */
export function prepared<Values extends Record<string, unknown>, Rows, Within extends Reader = Reader>(
  build: (within: Within, value: PreparedValue<Values>) => Preparable<Rows>,
): (within: Within, values: Values) => Promise<Rows> {
  const value: PreparedValue<Values> = name => sql.placeholder(name)
  const name = `matchday_${++count}`
  return (within, values) => {
    const { statements } = within
    // Guarantee of the cast: under this function there is only what it built.
    let statement = statements.get(build) as ReturnType<Preparable<Rows>['prepare']> | undefined
    if (!statement) {
      statement = build(within, value).prepare(name)
      statements.set(build, statement)
    }
    return statement.execute(values)
  }
}

/** A value beside a column of any type, which may be null. */
export const nullable = (value: Placeholder, column: Column) =>
  sql`${sql.param(value, {
    mapToDriverValue: (given: unknown) => (given === null ? null : column.mapToDriverValue(given)),
  })}`

/** The same for a statement that writes. */
export const preparedWrite = <Values extends Record<string, unknown>, Rows>(
  build: (tx: Transaction, value: PreparedValue<Values>) => Preparable<Rows>,
) => prepared<Values, Rows, Transaction>(build)

let count = 0
