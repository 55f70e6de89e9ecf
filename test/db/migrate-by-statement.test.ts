/** Migrations where each DDL statement commits by itself, as on YugabyteDB: a process may end after any call of the database. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { PGlite } from '@electric-sql/pglite'
import { expectedMigrations, type Migration } from '../../db/expected-schema.ts'
import { applyMigrations } from '../../db/migrate.ts'
import type { Run } from '../../db/migration-journal.ts'
import { applyByStatement } from '../../db/postgres/migrate-by-statement.ts'
import { hasTransactionalDdl } from '../../db/postgres/portable.ts'
import { openPglite } from '../support/pglite.ts'
import { APPEND_ONLY } from './append-only.ts'
import { schemaOf } from './postgres-catalogue.ts'
import { NEXT } from './versions.ts'

/** The last one changes data. */
const migrations: Migration[] = [
  ...expectedMigrations('postgres'),
  {
    ...{ name: 'next', bps: true, hash: 'next', folderMillis: NEXT, runsFrom: 0 },
    sql: [
      'DELETE FROM "leaderboard_counts"',
      `INSERT INTO "leaderboard_counts" SELECT "board", 0, -"minus_points", 0, count(*) FROM "leaderboard_scores"
        GROUP BY 1, 2, 3, 4`,
      'UPDATE "leaderboard_counts" SET "fans" = "fans" + 1',
      'ALTER TABLE "users" ADD COLUMN "next_level" bigint DEFAULT 1 NOT NULL',
    ],
  },
]
const NEXT_AT = migrations.length - 1

class Died extends Error {}

let client: PGlite
beforeAll(async () => {
  client = await openPglite('empty')
})
afterAll(() => client.close())
beforeEach(async () => {
  await client.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
})

const run: Run = async (statement, parameters) =>
  (await client.query<Record<string, unknown>>(statement, parameters)).rows

async function insertScores() {
  for (const [fan, points] of [
    ['u', 70_000],
    ['v', 300],
    ['w', 0],
  ] as const) {
    await run(`INSERT INTO users (id, provider, subject, created_at, updated_at)
      VALUES ('${fan}', 'p', '${fan}', now(), now())`)
    await run(`INSERT INTO leaderboard_scores VALUES ('all', '${fan}', -${points}, 5000)`)
  }
  await run("INSERT INTO leaderboard_counts VALUES ('all', 0, 1, 0, 99)")
}

const rankIndex = () => run('SELECT * FROM leaderboard_counts ORDER BY 1, 2, 3, 4')

async function migrateAtOnce() {
  for (const { sql } of migrations.slice(0, NEXT_AT)) for (const statement of sql) await run(statement)
  await insertScores()
  for (const { sql } of migrations.slice(NEXT_AT)) for (const statement of sql) await run(statement)
  for (const table of APPEND_ONLY) await run(`DROP TRIGGER ${table}_refuse_truncate ON ${table}`)
  return { schema: await schemaOf(run), rankIndex: await rankIndex() }
}

/** Hashes and times of the recorded migrations; none in a new database. */
async function readJournal() {
  const rows = await run('SELECT hash, created_at FROM __drizzle_migrations ORDER BY id').catch(() => [])
  return rows.map(({ hash, created_at }) => [hash, Number(created_at)])
}

/** Dies once after each call, until none is left: each attempt continues where the previous one was killed. */
async function applyDyingEverywhere(part: Migration[]): Promise<number> {
  const died = new Set<string>()
  let place = ''
  const dying: Run = async (statement, parameters) => {
    // PostgreSQL rolls back when the connection of a dead process ends.
    if (statement === 'ROLLBACK') return run(statement)
    const rows = await run(statement, parameters)
    if (!/^(BEGIN|COMMIT|SELECT|UPDATE "__)/.test(statement)) place = statement
    const call = `${place}: ${statement} ${parameters?.join()}`
    if (died.has(call)) return rows
    died.add(call)
    throw new Died()
  }
  for (;;) {
    try {
      const applied = new Set((await readJournal()).map(([, at]) => at))
      await applyByStatement(
        part.filter(({ folderMillis }) => !applied.has(folderMillis)),
        dying,
      )
      return died.size
    } catch (error) {
      if (!(error instanceof Died)) throw error
    }
  }
}

const migrationOf = (...sql: string[]): Migration => ({
  ...{ name: 'one', sql, bps: true, hash: 'h' },
  ...{ folderMillis: 1, runsFrom: 0 },
})

describe('Migrations by statement', () => {
  test('are completed by the next process, whenever one is killed', async () => {
    const expected = await migrateAtOnce()
    await client.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    const deaths = await applyDyingEverywhere(migrations.slice(0, NEXT_AT))
    await insertScores()
    const more = await applyDyingEverywhere(migrations.slice(NEXT_AT))
    expect(deaths + more).toBeGreaterThan(3 * migrations.flatMap(({ sql }) => sql).length)

    expect(await readJournal()).toEqual(migrations.map(({ hash, folderMillis }) => [hash, folderMillis]))
    expect(await run('SELECT * FROM "__matchday_migration_progress"')).toEqual([])
    expect({ schema: await schemaOf(run), rankIndex: await rankIndex() }).toEqual(expected)
    // A version that migrates in one transaction finds nothing to do.
    expect((await applyMigrations('postgres', run)).applied).toBe(0)
    // Hundreds of attempts, on a database that is compiled to WebAssembly.
  })

  test('do not treat a table of another application as their own', async () => {
    const migration = migrationOf('CREATE TABLE "first" (id int)', 'CREATE TABLE "second" (id int)')
    await run('CREATE TABLE "second" (other text)')
    for (let attempt = 0; attempt < 3; attempt++)
      expect(await applyByStatement([migration], run).catch(String)).toContain('"second" already exists')
    await run('DROP TABLE "second"')
    await applyByStatement([migration], run)
    expect(await run('SELECT id FROM "second"')).toEqual([])
    expect(await readJournal()).toEqual([['h', 1]])
  })

  test('create an index again whose creation was interrupted', async () => {
    await run('CREATE TABLE t (a int, b int)')
    const create = 'CREATE UNIQUE INDEX "t_unique" ON t USING btree (a)'
    const dies: Run = async (statement, parameters) => {
      if (statement === create) throw new Died()
      return run(statement, parameters)
    }
    const migration = migrationOf(create)
    await expect(applyByStatement([migration], dies)).rejects.toThrow(Died)
    // YugabyteDB leaves it behind as invalid; another column stands for that here.
    await run('CREATE UNIQUE INDEX "t_unique" ON t USING btree (b)')
    await applyByStatement([migration], run)
    const [index] = (await schemaOf(run)).indexes
    expect(index?.definition).toBe('CREATE UNIQUE INDEX t_unique ON public.t USING btree (a)')
  })

  test('continue after a statement that conflicted with other DDL', async () => {
    let isFirst = true
    const conflicting: Run = async (statement, parameters) => {
      const rows = await run(statement, parameters)
      if (!statement.startsWith('CREATE TABLE "second"') || !isFirst) return rows
      isFirst = false
      // As far as it is known, without effect.
      throw Object.assign(new Error('Catalog Version Mismatch'), { code: '40001' })
    }
    const migration = migrationOf('CREATE TABLE "first" (id int)', 'CREATE TABLE "second" (id int)')
    await expect(applyByStatement([migration], conflicting)).rejects.toThrow('Catalog Version Mismatch')
    await applyByStatement([migration], conflicting)
    expect(await readJournal()).toEqual([['h', 1]])
  })

  test('stop when another process continues, as after a lost lock', async () => {
    const overtaken: Run = async (statement, parameters) => {
      if (statement === 'DELETE FROM t') await run('UPDATE "__matchday_migration_progress" SET done = 2')
      return run(statement, parameters)
    }
    await run('CREATE TABLE t (id int)')
    await run('INSERT INTO t VALUES (1)')
    const migration = migrationOf('CREATE TABLE "first" (id int)', 'DELETE FROM t')
    await expect(applyByStatement([migration], overtaken)).rejects.toThrow(
      'another process is migrating this database',
    )
    expect(await run('SELECT id FROM t')).toEqual([{ id: 1 }])
    expect(await readJournal()).toEqual([])
  })
})

test('YugabyteDB is recognized by its version', () => {
  expect(hasTransactionalDdl('PostgreSQL 15.12-YB-2025.1.4.0-b0 on x86_64-pc-linux-gnu, 64-bit')).toBe(false)
  expect(hasTransactionalDdl('PostgreSQL 11.2-YB-2024.2.11.0-b0 on aarch64-unknown-linux-gnu')).toBe(false)
  expect(hasTransactionalDdl('PostgreSQL 15.20 (Debian 15.20-0+deb12u1) on x86_64-pc-linux-gnu')).toBe(true)
})
