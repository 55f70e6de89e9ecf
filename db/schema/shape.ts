/** Metadata of the tables of either dialect, for code that handles all tables alike. */
import { type Column, getTableColumns, is, type SQL, sql, type Table } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { getTableConfig as getSqliteTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Tables } from './tables.ts'

export type AnyTable = Tables[keyof Tables]

export interface Shape {
  name: string
  /** Schema that its statements name; null: that of the connection. */
  schema: string | null
  /** Name in SQL, quoted, with that of its schema. */
  sql: string
  columns: { property: string; name: string; column: Column }[]
  /** Properties of the primary key, in order. */
  key: string[]
  /** Its foreign keys: properties, and the name in SQL of the table that they reference. */
  references: { from: string[]; parent: string }[]
}

// Guarantee: the properties of a table's shape are columns of it.
export const columnOf = (table: AnyTable, property: string) =>
  (table as unknown as Record<string, Column>)[property] as Column

/** A quoted name of SQL. */
export const nameIn = (schema: string | null, name: string) =>
  schema === null ? `"${name}"` : `"${schema}"."${name}"`

/** A table next to those of the schema, such as that of the applied migrations. */
export const tableBeside = ({ tables }: { tables: Tables }, name: string): SQL =>
  sql.raw(nameIn(shapeOf(tables.users).schema, name))

const shapes = new WeakMap<PgTable, Shape>()

export function shapeOf(table: PgTable): Shape {
  const shape = shapes.get(table) ?? readShape(table)
  shapes.set(table, shape)
  return shape
}

function readShape(table: PgTable): Shape {
  const config = configOf(table)
  const schema = ('schema' in config ? config.schema : null) ?? null
  const columns = Object.entries(getTableColumns(table)).map(([property, column]) => ({
    property,
    name: toSnakeCase(property),
    column,
  }))
  const propertyOf = (name: string) => columns.find(({ column }) => column.name === name)?.property ?? name
  const composite = config.primaryKeys[0]?.columns.map(({ name }) => name)
  const key = composite ?? columns.filter(({ column }) => column.primary).map(({ column }) => column.name)
  return {
    name: config.name,
    schema,
    sql: nameIn(schema, config.name),
    columns,
    key: key.map(propertyOf),
    references: config.foreignKeys.map(foreignKey => {
      const { columns: from, foreignTable } = foreignKey.reference()
      return { from: from.map(({ name }) => propertyOf(name)), parent: configOf(foreignTable).name }
    }),
  }
}

function configOf(table: Table) {
  if (is(table, SQLiteTable)) return getSqliteTableConfig(table)
  if (is(table, PgTable)) return getTableConfig(table)
  throw new Error('the table belongs to neither engine')
}

/** All tables, each after the tables that it references. */
export function tablesInOrder(tables: Tables): { property: keyof Tables; table: AnyTable; shape: Shape }[] {
  const waiting = Object.entries(tables).map(([property, table]) => ({
    // Guarantee: the names of the entries of `tables` are its keys.
    property: property as keyof Tables,
    table,
    shape: shapeOf(table),
  }))
  const ordered: typeof waiting = []
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ shape }) =>
      shape.references.every(
        ({ parent }) => parent === shape.name || ordered.some(earlier => earlier.shape.name === parent),
      ),
    )
    if (next < 0) throw new Error('tables reference one another in a circle')
    ordered.push(...waiting.splice(next, 1))
  }
  return ordered
}

/** Runs a statement that the query builder cannot express, and returns its rows. */
export async function runStatement(queries: object, statement: SQL): Promise<Record<string, unknown>[]> {
  // Guarantee: Drizzle's objects have `all` on SQLite and `execute` on PostgreSQL.
  const drizzle = queries as Partial<Record<'all' | 'execute', (statement: SQL) => unknown>>
  const result = await (drizzle.all ? drizzle.all(statement) : drizzle.execute?.(statement))
  // Bun's client returns the rows, PGlite an object that has them.
  return Array.isArray(result) ? result : (result as { rows: Record<string, unknown>[] }).rows
}
