/**
 * All that this code uses of Drizzle beyond its interface. `drizzle-orm` is pinned: an upgrade that changes these parts fails
 * with an error that names them, and `test/db/drizzle-internals.test.ts`. Drizzle could replace this file by finding the
 * decoders of a prepared statement once, and by running it on another connection than that which built it.
 */
import { is, SQL, Subquery } from 'drizzle-orm'

/** A prepared statement. Its rows are arrays until they are mapped. */
export interface RowParts {
  /** In the order of the columns. `path`: one name, or the name of an object and that of its member. Undefined without rows. */
  fields: { path: string[]; field: unknown }[] | undefined
  /** By table: false if a left join may have no row of it. Undefined without joins. */
  joinsNotNullableMap: Record<string, boolean> | undefined
  /** Used instead of Drizzle's own mapping. */
  customResultMapper: ((rows: unknown[][]) => unknown[]) | undefined
}

/** @throws Error if Drizzle's prepared statements have other parts */
export function rowPartsOf(statement: object): RowParts {
  requireMembers(statement, 'a prepared statement', ['fields', 'joinsNotNullableMap', 'customResultMapper'])
  // Guarantee of the cast: the members are there, and `test/db/row-mapper.test.ts` compares results on each driver.
  return statement as RowParts
}

/** The connection of a transaction on PostgreSQL. `Client`: the type that the caller needs. */
export function clientOf<Client>(transaction: object): Client {
  const { session } = transaction as { session?: object }
  requireMembers(session ?? {}, 'a session', ['client'])
  // Guarantee of the cast: Drizzle's drivers store the connection that they were given.
  return (session as { client: Client }).client
}

/** The class of the sessions of a driver. The statements of one cannot run on another. */
export function driverOf(queries: object): unknown {
  const { session } = queries as { session?: object }
  requireMembers(session ?? {}, 'a session', ['client'])
  return session?.constructor
}

/** The statement without its connection, so that it does not keep a closed one: for `onClient` and `onSqlite`. */
export const detached = (statement: object) =>
  copyWith(statement, 'stmt' in statement ? { stmt: undefined } : { client: undefined })

/** The same statement on another connection to PostgreSQL. */
export function onClient(statement: object, client: unknown): object {
  requireMembers(statement, 'a prepared statement', ['client'])
  return Object.create(statement, { client: { value: client } })
}

/** The same statement on another connection of bun:sqlite. */
export function onSqlite(statement: object, connection: { prepare(text: string): unknown }): object {
  requireMembers(statement, 'a prepared statement', ['stmt', 'query'])
  // Guarantee of the cast: the query of a statement has its SQL, without which nothing runs.
  const { query } = statement as { query: { sql: string } }
  return copyWith(statement, { stmt: connection.prepare(query.sql) })
}

const copyWith = (statement: object, members: object): object =>
  Object.assign(Object.create(Object.getPrototypeOf(statement)), statement, members)

/** The SQL of a selected field that is no column: SQL, SQL with an alias, or a subquery. */
export function sqlOf(field: unknown): { decoder: { mapFromDriverValue(value: unknown): unknown } } {
  const sql = is(field, SQL) ? field : is(field, Subquery) ? field._.sql : (field as { sql?: unknown }).sql
  requireMembers(sql ?? {}, 'SQL', ['decoder'])
  // Guarantee of the cast: `decoder` is there.
  return sql as unknown as ReturnType<typeof sqlOf>
}

function requireMembers(part: unknown, what: string, names: string[]): void {
  const missing = names.filter(name => !(name in (part as object)))
  if (missing.length > 0)
    throw new Error(
      `drizzle-orm: ${what} has no ${missing.join(', ')}; adapt db/drizzle-internals.ts to this version`,
    )
}
