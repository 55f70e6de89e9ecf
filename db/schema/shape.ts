/** Tables as they are, of either dialect: for what treats all of them alike. */
import { type Column, getTableColumns, is, type SQL, type Table } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { getTableConfig as getSqliteTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Tables } from './tables.ts'

export type AnyTable = Tables[keyof Tables]

export interface Shape {
  /** In SQL. */
  name: string
  columns: { property: string; name: string; column: Column }[]
  /** Properties of the primary key, in its order. */
  key: string[]
  /** Tables that its foreign keys refer to, in SQL. */
  parents: string[]
}

// Guarantee: the properties of a table's shape are columns of it.
export const columnOf = (table: AnyTable, property: string) =>
  (table as unknown as Record<string, Column>)[property] as Column

const known = new WeakMap<AnyTable, Shape>()

export function shapeOf(table: AnyTable): Shape {
  const shape = known.get(table) ?? readShape(table)
  known.set(table, shape)
  return shape
}

function readShape(table: AnyTable): Shape {
  const config = configOf(table)
  const columns = Object.entries(getTableColumns(table)).map(([property, column]) => ({
    property,
    name: toSnakeCase(property),
    column,
  }))
  const composite = config.primaryKeys[0]?.columns.map(({ name }) => name)
  const key = composite ?? columns.filter(({ column }) => column.primary).map(({ column }) => column.name)
  return {
    name: config.name,
    columns,
    key: key.map(name => columns.find(({ column }) => column.name === name)?.property ?? name),
    parents: config.foreignKeys.map(foreignKey => configOf(foreignKey.reference().foreignTable).name),
  }
}

function configOf(table: Table) {
  if (is(table, SQLiteTable)) return getSqliteTableConfig(table)
  if (is(table, PgTable)) return getTableConfig(table)
  throw new Error('a table of neither engine')
}

/** All tables, each after those that it refers to. */
export function tablesInOrder(tables: Tables): { property: keyof Tables; table: AnyTable; shape: Shape }[] {
  const waiting = Object.entries(tables).map(([property, table]) => ({
    // Guarantee: an entry of `tables` is named by a key of it.
    property: property as keyof Tables,
    table,
    shape: shapeOf(table),
  }))
  const ordered: typeof waiting = []
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ shape }) =>
      shape.parents.every(
        parent => parent === shape.name || ordered.some(earlier => earlier.shape.name === parent),
      ),
    )
    if (next < 0) throw new Error('tables refer to one another in a circle')
    ordered.push(...waiting.splice(next, 1))
  }
  return ordered
}

/** Runs a statement that no query builder says, and answers its rows. */
export async function runStatement(queries: object, statement: SQL): Promise<Record<string, unknown>[]> {
  // Guarantee: Drizzle's objects have `all` on SQLite and `execute` on PostgreSQL.
  const drizzle = queries as Partial<Record<'all' | 'execute', (statement: SQL) => unknown>>
  const answer = await (drizzle.all ? drizzle.all(statement) : drizzle.execute?.(statement))
  // Bun's client answers the rows, PGlite an object with them.
  return Array.isArray(answer) ? answer : (answer as { rows: Record<string, unknown>[] }).rows
}
