/** Keyset iteration over lists too long for memory: each page starts after the last key of the page before. */
import { asc, type Column, type SQL, sql } from 'drizzle-orm'

interface Paging<Key> {
  /** Rows per page. */
  size?: number
  /** Starts after this key. */
  after?: Key | undefined
}

/** A query that is neither sorted nor limited. */
interface Query<Row> {
  orderBy(...columns: SQL[]): { limit(rows: number): PromiseLike<Row[]> }
}

const PAGE_ROWS = 500

/**
 * `key`: the columns of a unique key, none of them null, by their names in the rows. `select` returns the query of the rows that
 * meet a condition, which is undefined for the first page. Pages are never empty.
 */
export async function* eachPage<Row extends Record<Name, unknown>, Name extends string>(
  key: Record<Name, Column>,
  select: (after: SQL | undefined) => Query<Row>,
  { size = PAGE_ROWS, after }: Paging<Record<Name, unknown>> = {},
): AsyncGenerator<Row[]> {
  const columns = Object.entries<Column>(key)
  const order = columns.map(([, column]) => asc(column))
  const listOf = (values: unknown[]) =>
    sql.join(
      values.map(value => sql`${value}`),
      sql`, `,
    )
  let last = after
  for (;;) {
    // Guarantee of the cast: the names are those of `key`.
    const isAfter =
      last &&
      sql`(${listOf(Object.values(key))}) > (${listOf(columns.map(([name, column]) => sql.param(last?.[name as Name], column)))})`
    const rows = await select(isAfter)
      .orderBy(...order)
      .limit(size)
    const end = rows.at(-1)
    if (end !== undefined) yield rows
    if (end === undefined || rows.length < size) return
    last = end
  }
}

/** As `eachPage`, row by row. */
export async function* eachRow<Row extends Record<Name, unknown>, Name extends string>(
  key: Record<Name, Column>,
  select: (after: SQL | undefined) => Query<Row>,
  paging?: Paging<Record<Name, unknown>>,
): AsyncGenerator<Row> {
  for await (const rows of eachPage(key, select, paging)) yield* rows
}
