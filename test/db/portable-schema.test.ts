/** The schema and the statements avoid what YugabyteDB lacks or does in another way: see docs/scaling.md. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { PGlite } from '@electric-sql/pglite'
import { Glob } from 'bun'
import { sql } from 'drizzle-orm'
import { expectedMigrations } from '../../db/expected-schema.ts'
import type { Transaction } from '../../db/index.ts'
import type { Run } from '../../db/migration-journal.ts'
import { findUnportableSql, isPortableDdl, UNPORTABLE } from '../../db/postgres/portable.ts'
import { createClock } from '../support/clock.ts'
import { postgresEngine } from '../support/engines.ts'
import { openPglite } from '../support/pglite.ts'
import { findRefusedByCitus, REFUSED_BY_CITUS } from '../support/portable-statements.ts'
import { APPEND_ONLY } from './append-only.ts'
import { type Schema, schemaOf } from './postgres-catalogue.ts'
import type { Row } from './probe.ts'

/** They refuse TRUNCATE of append-only tables. The migrator leaves them out on servers without transactional DDL. */
const LEFT_OUT = APPEND_ONLY.map(table => ({ table, trigger: `${table}_refuse_truncate` }))

function findUnportable(schema: Schema): string[] {
  const found: Row[] = [
    ...schema.triggers.filter(({ definition }) => !/ FOR EACH ROW /.test(String(definition))),
    ...schema.constraints.filter(({ contype, condeferrable }) => contype === 'x' || condeferrable === true),
    ...schema.indexes.filter(({ method }) => method !== 'btree'),
    ...schema.relations.filter(({ kind, persistence }) => kind !== 'r' || persistence !== 'p'),
    ...schema.columns
      .filter(({ column_default }) => /nextval/.test(String(column_default)))
      .map(({ column_name }) => ({ name: column_name })),
    ...schema.parents,
  ]
  return found.map(({ name, conname }) => String(name ?? conname))
}

let client: PGlite
const run: Run = async (statement, parameters) =>
  (await client.query<Record<string, unknown>>(statement, parameters)).rows
beforeAll(async () => {
  // `migrate-by-statement.test.ts` shows that the migrator makes the same by single statements, without the triggers.
  client = await openPglite('migrated')
  for (const { table, trigger } of LEFT_OUT) await run(`DROP TRIGGER ${trigger} ON ${table}`)
})
afterAll(() => client.close())

describe('The portable schema', () => {
  test('is that of the connection: no migration contains its name', () => {
    const named = expectedMigrations('postgres').flatMap(({ sql }) =>
      sql.filter(statement => /\bpublic"?\./.test(statement)),
    )
    expect(named).toEqual([])
  })

  const statements = expectedMigrations('postgres').flatMap(({ sql }) => sql)

  test('is created by statements that can each be repeated', () => {
    const others = statements.filter(statement => !isPortableDdl(statement))
    expect(others).toHaveLength(LEFT_OUT.length)
    for (const { trigger } of LEFT_OUT)
      expect(others.filter(statement => statement.includes(` ${trigger} `))).toHaveLength(1)
  })

  test.each([
    'CREATE INDEX CONCURRENTLY "i" ON "t" USING btree ("a")',
    'CREATE INDEX "i" ON "t" USING gin ("a")',
    'CREATE TRIGGER t BEFORE TRUNCATE ON users FOR EACH STATEMENT EXECUTE FUNCTION f()',
    'CREATE UNLOGGED TABLE "t" (id int)',
    'CREATE TABLE "t" (id int UNIQUE DEFERRABLE)',
    'ALTER TABLE "t" ADD CONSTRAINT "x" EXCLUDE USING gist (a WITH =)',
    'ALTER TABLE "t" ALTER COLUMN "a" TYPE bigint',
    'ALTER TABLE "t" RENAME TO "u"',
    'TRUNCATE "t"',
    'LOCK TABLE "t"',
    'DO $$ BEGIN END $$',
  ])('does not take the statement %s', statement => {
    expect(isPortableDdl(statement)).toBe(false)
  })

  test('has none of the objects that YugabyteDB lacks', async () => {
    expect(findUnportable(await schemaOf(run))).toEqual([])
  })

  test.each([
    ['CREATE TABLE added (id serial PRIMARY KEY)', ['id', 'added_id_seq']],
    ['CREATE UNLOGGED TABLE added (id int)', ['added']],
    ['CREATE INDEX added ON users USING hash (id)', ['added']],
    ['ALTER TABLE users ADD CONSTRAINT added UNIQUE (bio) DEFERRABLE', ['added']],
    ['ALTER TABLE users ADD CONSTRAINT added EXCLUDE USING btree (bio WITH =)', ['added']],
    [
      'CREATE TRIGGER added BEFORE TRUNCATE ON users FOR EACH STATEMENT EXECUTE FUNCTION points_entries_refuse_change()',
      ['added'],
    ],
  ])('is checked: %s is found', async (statement, found) => {
    await run('BEGIN')
    await run(statement)
    expect(findUnportable(await schemaOf(run)).toSorted()).toEqual(found.toSorted())
    await run('ROLLBACK')
  })
})

describe('The statements of the source', () => {
  test('use nothing that YugabyteDB lacks', async () => {
    const found: string[] = []
    for await (const file of new Glob('{db,src,scripts}/**/*.ts').scan('.')) {
      // The list itself, and the triggers of a live move, which YugabyteDB refuses: `move` without --live works there.
      if (['db/postgres/portable.ts', 'scripts/move/changes.ts'].includes(file)) continue
      if (/^scripts\/bench\/|node_modules\//.test(file)) continue
      const code = (await Bun.file(file).text()).replace(/^\s*(\*|\/\/|\/\*).*$/gm, '')
      found.push(...findUnportableSql(code).map(what => `${file}: ${what}`))
      // Engines disagree about the division of integers.
      if (/\bsql(<[^>]*>)?`[^`]*\} \/ /.test(code)) found.push(`${file}: division`)
    }
    expect(found).toEqual([])
  })

  test.each(UNPORTABLE)('are checked for: $what', ({ what, example }) => {
    expect(findUnportableSql(example)).toContain(what)
  })
})

describe('The statements that tests run', () => {
  test.each(REFUSED_BY_CITUS)('are checked for: $what', ({ what, example }) => {
    expect(findRefusedByCitus(example)).toContain(what)
  })

  test(`are refused if Citus refuses them, also within a unit of work (${postgresEngine.name})`, async () => {
    const { db, remove } = await postgresEngine.open(createClock())
    const { teams } = db.tables
    const newest = sql<string>`(select max(id) from ${teams})`
    const insert = (tx: Transaction) =>
      tx.insert(teams).values({
        ...{ id: newest, name: 'T', shortName: 'T', active: true },
        ...{ createdAt: tx.now(), updatedAt: tx.now() },
      })
    const thrown = await db.write(insert).catch(error => error)
    expect(Bun.inspect(thrown)).toContain('Citus refuses this')
    const read = db.read.select({ id: teams.id }).from(teams).where(sql`${teams.id} = ${newest}`)
    expect(await read).toEqual([])
    await remove()
  })
})
