/** Reads rows by their keys: one statement for any number of keys, with the same text on each call. */
import { and, getTableColumns, is, sql } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { prepared } from './prepared.ts'
import { columnOf } from './schema/shape.ts'
import type { Tables } from './schema/tables.ts'
import type { Reader } from './types.ts'

/**
 * `rowsByKeys('ruleUses', ['userId', 'ruleId'])` reads the rows that have one of the given keys. The columns of a key must
 * be text and the first columns of an index. Each key is looked up separately; the order of the result is undefined. Give
 * each key once.
 */
export function rowsByKeys<
  Of extends keyof Tables,
  const Name extends string & keyof Tables[Of]['$inferSelect'],
>(
  of: Of,
  names: readonly Name[],
): (reader: Reader, keys: Record<Name, string>[]) => Promise<Tables[Of]['$inferSelect'][]> {
  const select = prepared((reader: Reader, list: string) => {
    // Guarantee of the cast: rows of any table are read and mapped by the columns of the table.
    const table = reader.tables[of] as Tables['users']
    const given = tuples(reader, list, names.length)
    const isRow = and(
      ...names.map((name, index) => sql`${columnOf(table, name)} = ${sql.raw(`wanted.c${index}`)}`),
    )
    const rows = is(table, SQLiteTable)
      ? sql`select ${table}.* from ${given} as wanted cross join ${table} on ${isRow}`
      : // A subselect with an OFFSET is not merged: merged, PostgreSQL may read the whole table.
        sql`select found.* from ${given} as wanted cross join lateral (select * from ${table} where ${isRow} offset 0) as found`
    const found = reader.$with('found', getTableColumns(table)).as(rows)
    return reader.with(found).select().from(found)
  })
  return async (reader, keys) => {
    if (keys.length === 0) return []
    const rows = await select(reader, JSON.stringify(keys.map(key => names.map(name => key[name]))))
    // Guarantee of the cast: all columns of the table, mapped by its own columns.
    return rows as unknown as Tables[Of]['$inferSelect'][]
  }
}

/** Like `rowsByKeys`, but returns the keys for which a row exists. */
export function keysWithRows<
  Of extends keyof Tables,
  const Name extends string & keyof Tables[Of]['$inferSelect'],
>(
  of: Of,
  names: readonly Name[],
): (reader: Reader, keys: Record<Name, string>[]) => Promise<Record<Name, string>[]> {
  const select = prepared((reader: Reader, list: string) => {
    const table = reader.tables[of]
    const isRow = and(
      ...names.map((name, index) => sql`${columnOf(table, name)} = ${sql.raw(`wanted.c${index}`)}`),
    )
    const found = names.map((name, index) => [name, sql<string>`${sql.raw(`wanted.c${index}`)}`] as const)
    return reader
      .select(Object.fromEntries(found))
      .from(sql`${tuples(reader, list, names.length)} as wanted`)
      .where(sql`exists (select 1 from ${table} where ${isRow})`)
  })
  return async (reader, keys) => {
    if (keys.length === 0) return []
    const rows = await select(reader, JSON.stringify(keys.map(key => names.map(name => key[name]))))
    // Guarantee of the cast: the selection is built from the names.
    return rows as Record<Name, string>[]
  }
}

/** A subselect of the texts of a JSON list of lists, in columns `c0`, `c1` …. */
function tuples({ tables }: Reader, list: string, size: number) {
  const isSqlite = is(tables.users, SQLiteTable)
  const columns = Array.from({ length: size }, (_, index) =>
    isSqlite ? `json_extract(value, '$[${index}]') as c${index}` : `value->>${index} as c${index}`,
  )
  const names = sql.raw(columns.join())
  return isSqlite
    ? sql`(select ${names} from json_each(${list}))`
    : // Declared as text: the driver would encode a parameter of the type jsonb a second time.
      sql`(select ${names} from jsonb_array_elements((${list}::text)::jsonb) as list(value))`
}
