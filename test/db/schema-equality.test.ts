/** The migrations make exactly the tables of `db/schema/tables.ts`: each engine's own catalogue, against Drizzle's tables. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Column, is, SQL, type Table } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { getTableConfig, PgDialect, PgTable } from 'drizzle-orm/pg-core'
import {
  getTableConfig as getSqliteTableConfig,
  SQLiteSyncDialect,
  SQLiteTable,
} from 'drizzle-orm/sqlite-core'
import { createClock } from '../support/clock.ts'
import { everyEngine, type TemporaryDatabase } from '../support/engines.ts'
import { APPEND_ONLY } from './append-only.ts'
import { type Run, withRawConnection } from './probe.ts'
import {
  byColumns,
  byName,
  normalizeCondition,
  readTable,
  readTableNames,
  type TableDescription,
} from './schema-catalogue.ts'

type Engine = 'sqlite' | 'postgres'

const dialects = {
  sqlite: new SQLiteSyncDialect({ casing: 'snake_case' }),
  postgres: new PgDialect({ casing: 'snake_case' }),
}

const nameOf = ({ name }: { name: string }) => toSnakeCase(name)

function configOf(table: Table) {
  if (is(table, SQLiteTable)) return getSqliteTableConfig(table)
  if (is(table, PgTable)) return getTableConfig(table)
  throw new Error('the table belongs to neither engine')
}

/** A table as Drizzle declares it. */
async function describeTable(table: Table, run: Run, engine: Engine): Promise<TableDescription> {
  const config = configOf(table)
  const columns: Column[] = config.columns
  const textOf = (expression: SQL) => dialects[engine].sqlToQuery(expression.inlineParams()).sql
  const conditionOf = (condition: SQL) => normalizeCondition(run, engine, config.name, textOf(condition))
  const [composite] = config.primaryKeys
  const primaryKey = (composite?.columns ?? columns.filter(({ primary }) => primary)).map(nameOf)
  const indexes: TableDescription['indexes'] = []
  for (const { name = '', unique = false, columns, where } of config.indexes.map(({ config }) => config))
    indexes.push({
      name,
      unique,
      // Guarantee: what is no expression is a column, with its name.
      columns: columns.map(part => (is(part, SQL) ? textOf(part) : nameOf(part as { name: string }))),
      where: where ? await conditionOf(where) : null,
    })
  const checks: TableDescription['checks'] = []
  for (const { name, value } of config.checks) checks.push({ name, expression: await conditionOf(value) })
  return {
    columns: columns
      .map(column => ({
        name: nameOf(column),
        type: column.getSQLType().replace(' (', '('),
        notNull: column.notNull || primaryKey.includes(nameOf(column)),
        default: column.default === undefined ? null : String(column.default),
      }))
      .toSorted(byName),
    primaryKey,
    foreignKeys: config.foreignKeys
      .map(({ reference, onDelete = 'no action', onUpdate = 'no action' }) => {
        const { columns, foreignTable, foreignColumns } = reference()
        const references = `${configOf(foreignTable).name}(${foreignColumns.map(nameOf)})`
        return { columns: columns.map(nameOf), references, onDelete, onUpdate }
      })
      .toSorted(byColumns),
    indexes: indexes.toSorted(byName),
    checks: checks.toSorted(byName),
  }
}

/** Objects that Drizzle cannot declare, written by hand in the migrations. */
const TRIGGERS = {
  sqlite: "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name",
  postgres: 'SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal ORDER BY tgname',
}

describe.each(everyEngine)('The migrated schema ($name)', engine => {
  let temporary: TemporaryDatabase
  beforeAll(async () => {
    temporary = await engine.open(createClock())
  })
  afterAll(() => temporary.remove())

  test('equals the tables: columns, keys, references, indexes, checks', async () => {
    const { db } = temporary
    await withRawConnection(temporary, async run => {
      const tables = Object.values<Table>(db.tables)
      const names = tables.map(table => configOf(table).name)
      expect(await readTableNames(run, db.engine)).toEqual(names.toSorted())
      for (const table of tables) {
        const { name } = configOf(table)
        const found = await readTable(run, db.engine, name)
        expect({ name, ...found }).toEqual({ name, ...(await describeTable(table, run, db.engine)) })
      }
    })
  })

  test.each([
    ['another column', 'ALTER TABLE teams ADD COLUMN extra integer'],
    ['a column less', 'ALTER TABLE teams DROP COLUMN short_name'],
    ['another default', 'ALTER TABLE teams ADD COLUMN extra integer NOT NULL DEFAULT 1'],
    ['another index', 'CREATE INDEX extra ON teams (name, id)'],
    ['another condition of an index', 'CREATE UNIQUE INDEX extra ON teams (name) WHERE name is not null'],
    ['another reference', 'ALTER TABLE teams ADD COLUMN extra text REFERENCES teams (id)'],
    ['another check', 'ALTER TABLE teams ADD COLUMN extra text CONSTRAINT extra CHECK (extra is not null)'],
  ])('is read from the catalogue: %s is found', async (_, statement) => {
    const { engine } = temporary.db
    await withRawConnection(temporary, async run => {
      const found = await readTable(run, engine, 'teams')
      await run('BEGIN')
      await run(statement)
      const changed = await readTable(run, engine, 'teams')
      await run('ROLLBACK')
      expect(changed).not.toEqual(found)
    })
  })

  test('has the triggers that are written by hand, and no others', async () => {
    const { engine } = temporary.db
    const rows = await withRawConnection(temporary, run => run(TRIGGERS[engine]))
    const changes = engine === 'sqlite' ? ['delete', 'replace', 'update'] : ['truncate', 'update_or_delete']
    const appendOnly = APPEND_ONLY.flatMap(table => changes.map(change => `${table}_refuse_${change}`))
    const expected = [...appendOnly, 'points_entries_refuse_sale'].toSorted()
    expect(rows.map(({ name }) => name)).toEqual(expected)
  })
})
