/** Reads whole tables in bounded memory, in the same order on both engines. */
import { count, type SQL, sql } from 'drizzle-orm'
import { eachPage } from './keyset.ts'
import { type AnyTable, columnOf, shapeOf } from './schema/shape.ts'
import type { Reader } from './types.ts'

export type Row = Record<string, unknown>

/** How many rows of a table meet a condition, or how many it has. */
export async function countRows(reader: Reader, table: AnyTable, condition?: SQL): Promise<number> {
  const [row] = await reader.select({ rows: count() }).from(table).where(condition)
  return Number(row?.rows)
}

/**
 * The rows of a table in the order of the primary key, in pages, starting after `last`. Keys are ids and integers
 * (`db/schema/columns.ts`), which both engines order alike. @throws Error for an integer that JavaScript would round
 */
export async function* readPages(
  reader: Reader,
  table: AnyTable,
  size: number,
  last?: Row,
): AsyncGenerator<Row[]> {
  const { name, columns, key } = shapeOf(table)
  const keyColumns = Object.fromEntries(key.map(property => [property, columnOf(table, property)]))
  const pages = eachPage<Row, string>(keyColumns, after => reader.select().from(table).where(after), {
    size,
    after: last,
  })
  for await (const rows of pages) {
    for (const row of rows) {
      for (const { property } of columns) {
        const value = row[property]
        if (typeof value === 'number' && !Number.isSafeInteger(value))
          throw new Error(
            `${name}.${property} holds an integer beyond 2^53 - 1, which cannot be copied exactly`,
          )
      }
    }
    yield rows
  }
}

/** The row with the greatest primary key. */
export async function readLast(reader: Reader, table: AnyTable): Promise<Row | undefined> {
  const { key } = shapeOf(table)
  const order = key.map(property => sql`${columnOf(table, property)} desc`)
  const [row] = await reader
    .select()
    .from(table)
    .orderBy(...order)
    .limit(1)
  return row
}
