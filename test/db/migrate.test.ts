/** Migrations: applied once by concurrent processes, and never by an older version. */
import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { expectedMigrations } from '../../db/expected-schema.ts'
import { DatabaseError } from '../../db/index.ts'
import {
  applyMigrations,
  DevelopmentSchemaError,
  ForeignTablesError,
  listPendingMigrations,
  migrate,
  NewerSchemaError,
} from '../../db/migrate.ts'
import { createMigrationLock, LOCK_MIGRATIONS } from '../../db/postgres/migration-lock.ts'
import { WITHOUT_ROWID } from '../../scripts/generate-migrations/table-options.ts'
import { createClock } from '../support/clock.ts'
import {
  engines,
  everyEngine,
  noServer,
  postgresEngine,
  sqliteEngine,
  type TemporaryDatabase,
} from '../support/engines.ts'
import { commandOf } from '../support/executable.ts'
import { testSchema } from '../support/patience.ts'
import { turns, waitUntil } from '../support/wait-until.ts'
import { schemaOf } from './postgres-catalogue.ts'
import { type Row, type Run, withRawConnection } from './probe.ts'
import { migrateToNext, NEXT, withNextMigration } from './versions.ts'

const ownSchema = { schema: testSchema }
const schema = testSchema ?? 'public'

const migrationsOf = (engine: string) =>
  readdirSync(join(import.meta.dir, '../../db/migrations', engine)).filter(name => name.endsWith('.sql'))

let temporary: TemporaryDatabase
afterEach(() => temporary.remove())

/** The table of the migrator itself, on PostgreSQL. */
const LOCK_TABLE = '__matchday_migration_lock'

const tableNames = async (run: Run, engine: 'sqlite' | 'postgres') =>
  (
    await run(
      engine === 'sqlite'
        ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
    )
  ).map(({ name }) => String(name))

/** Resets a database to the state before all migrations. */
async function empty(run: Run, engine: 'sqlite' | 'postgres') {
  if (engine === 'postgres') {
    await run(`DROP SCHEMA ${schema} CASCADE`)
    await run(`CREATE SCHEMA ${schema}`)
  } else {
    await run('PRAGMA foreign_keys = OFF')
    for (const table of await tableNames(run, engine)) await run(`DROP TABLE "${table}"`)
  }
  expect(await tableNames(run, engine)).toEqual([])
}

for (const engine of everyEngine) {
  describe(`migrations (${engine.name})`, () => {
    test('are all applied to a new database, each recorded once', async () => {
      temporary = await engine.open(createClock())
      const { db } = temporary
      await withRawConnection(temporary, async run => {
        expect(await run('SELECT * FROM __drizzle_migrations')).toHaveLength(migrationsOf(db.engine).length)
        const names = (await tableNames(run, db.engine)).filter(name => name !== LOCK_TABLE)
        expect(names).toContainAllValues([...Object.values(db.tables).map(tableName), '__drizzle_migrations'])
      })
    })

    test('change nothing when applied again', async () => {
      temporary = await engine.open(createClock())
      const { db } = temporary
      await withRawConnection(temporary, async run => {
        const before = await run('SELECT * FROM __drizzle_migrations ORDER BY id')
        const report = await applyMigrations(db.engine, run)
        expect(report).toEqual({ applied: 0, total: migrationsOf(db.engine).length, ahead: 0 })
        expect(await run('SELECT * FROM __drizzle_migrations ORDER BY id')).toEqual(before)
      })
    })

    test('of a newer version stop an older version that does not run on them, and changes nothing', async () => {
      temporary = await engine.open(createClock())
      const { db, url } = temporary
      await withRawConnection(temporary, async run => {
        const older = () => (url === null ? applyMigrations(db.engine, run) : migrate(url, ownSchema))
        await migrateToNext(run, db.engine, NEXT)
        const refusal = await older().catch((error: unknown) => error)
        expect(refusal).toBeInstanceOf(NewerSchemaError)
        expect(String(refusal)).toContain('1 migration ahead of this version')
        await migrateToNext(run, db.engine, NEXT, 0)
        expect(String(await older().catch((error: unknown) => error))).toContain('2 migrations ahead')
        const rows = await run('SELECT * FROM __drizzle_migrations')
        expect(rows).toHaveLength(migrationsOf(db.engine).length + 2)
      })
    })

    test('of a newer version that did not record what runs on them stop an older version', async () => {
      temporary = await engine.open(createClock())
      const { db } = temporary
      await withRawConnection(temporary, async run => {
        await run(`INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('', ${NEXT})`)
        await expect(applyMigrations(db.engine, run)).rejects.toBeInstanceOf(NewerSchemaError)
      })
    })

    test('of a newer version that only add do not stop an older version', async () => {
      temporary = await engine.open(createClock())
      const { db, url } = temporary
      await withRawConnection(temporary, async run => {
        const older = () => (url === null ? applyMigrations(db.engine, run) : migrate(url, ownSchema))
        const newest = expectedMigrations(db.engine).at(-1)?.folderMillis ?? 0
        await migrateToNext(run, db.engine, 0, newest)
        const total = migrationsOf(db.engine).length
        expect(await older()).toEqual({ applied: 0, total, ahead: 2 })
        // Lacking a migration of its own, its schema is another one.
        await run(`DELETE FROM __drizzle_migrations WHERE created_at = ${newest}`)
        expect(await older().catch((error: unknown) => error)).toBeInstanceOf(NewerSchemaError)
      })
    })
  })
}

const migrateProcess = (url: string | null) =>
  Bun.spawn([...commandOf('test/db/migrate-process.ts'), url ?? ''], {
    stdout: 'pipe',
    stderr: 'pipe',
  })

/** Four processes at once, which apply each migration once. */
async function migrateByFour({ db, url }: TemporaryDatabase) {
  const processes = Array.from({ length: 4 }, () => migrateProcess(url))
  const reports = await Promise.all(
    processes.map(async child => {
      const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
      expect([await child.exited, err]).toEqual([0, ''])
      return JSON.parse(out) as { applied: number; total: number }
    }),
  )
  const total = migrationsOf(db.engine).length
  expect(reports.reduce((sum, { applied }) => sum + applied, 0)).toBe(total)
  expect(reports.map(report => report.total)).toEqual([total, total, total, total])
  await withRawConnection(temporary, async run => {
    expect(await run('SELECT * FROM __drizzle_migrations')).toHaveLength(total)
  })
}

for (const engine of engines) {
  test(`migrations are each applied once by four concurrent processes (${engine.name})`, async () => {
    temporary = await engine.open(createClock())
    await withRawConnection(temporary, run => empty(run, temporary.db.engine))
    await migrateByFour(temporary)
  })

  test(`migrations are listed by name while pending, without being applied (${engine.name})`, async () => {
    temporary = await engine.open(createClock())
    const { db, url } = temporary
    const names = migrationsOf(db.engine).map(name => name.slice(0, -'.sql'.length))
    const total = names.length
    await withRawConnection(temporary, async run => {
      expect(await listPendingMigrations(url ?? '', ownSchema)).toEqual({ pending: [], total, ahead: 0 })
      const newest = '(SELECT max(created_at) FROM __drizzle_migrations)'
      await run(`DELETE FROM __drizzle_migrations WHERE created_at = ${newest}`)
      expect(await listPendingMigrations(url ?? '', ownSchema)).toEqual({
        pending: names.toSorted().slice(-1),
        total,
        ahead: 0,
      })
      await empty(run, db.engine)
      expect(await listPendingMigrations(url ?? '', ownSchema)).toEqual({
        pending: names.toSorted(),
        total,
        ahead: 0,
      })
      expect(await tableNames(run, db.engine)).toEqual([])
      await run('CREATE TABLE __drizzle_migrations (created_at bigint)')
      await run('INSERT INTO __drizzle_migrations VALUES (99999999999990)')
      expect(
        await listPendingMigrations(url ?? '', ownSchema).catch((error: unknown) => error),
      ).toBeInstanceOf(NewerSchemaError)
    })
  })

  test(`migrations that fail half-way leave the database unchanged (${engine.name})`, async () => {
    temporary = await engine.open(createClock())
    const { db, url } = temporary
    await withRawConnection(temporary, async run => {
      await empty(run, db.engine)
      // Conflicts with a table that the first migration creates late.
      await run('CREATE TABLE event_sinks (id text)')
      expect(
        await migrate(url ?? '', ownSchema).then(
          () => 'migrated',
          () => 'failed',
        ),
      ).toBe('failed')
      const left = (await tableNames(run, db.engine)).filter(name => name !== LOCK_TABLE)
      expect(left).toEqual(['event_sinks'])
      await run('DROP TABLE event_sinks')
      expect((await migrate(url ?? '', ownSchema)).applied).toBe(migrationsOf(db.engine).length)
    })
  })
}

for (const engine of engines) {
  test(`a migration that fails leaves those before it, and the rest follows later (${engine.name})`, async () => {
    temporary = await engine.open(createClock())
    const { db, url } = temporary
    await withRawConnection(temporary, async run => {
      await empty(run, db.engine)
      await withNextMigration(db.engine, ['ALTER TABLE no_table ADD COLUMN next text'], async () => {
        await expect(migrate(url ?? '', ownSchema)).rejects.toThrow('no_table')
        expect((await listPendingMigrations(url ?? '', ownSchema)).pending).toEqual(['next'])
        await run('CREATE TABLE no_table (id text)')
        expect((await migrate(url ?? '', ownSchema)).applied).toBe(1)
      })
    })
  })

  test(`tables of another program stop the first migration, and nothing is changed (${engine.name})`, async () => {
    temporary = await engine.open(createClock())
    const { db, url } = temporary
    await withRawConnection(temporary, async run => {
      await empty(run, db.engine)
      await run('CREATE TABLE users (id text)')
      const before = await tableNames(run, db.engine)
      await expect(applyMigrations(db.engine, run)).rejects.toBeInstanceOf(ForeignTablesError)
      await expect(migrate(url ?? '', ownSchema)).rejects.toThrow('has tables of another program')
      expect(await tableNames(run, db.engine)).toEqual(expect.arrayContaining(before))
      expect(await run('SELECT * FROM users')).toEqual([])
    })
  })

  test(`migrations of a development version stop this one, and the message names the way out (${engine.name})`, async () => {
    temporary = await engine.open(createClock())
    const { db, url } = temporary
    await withRawConnection(temporary, async run => {
      const [initial] = expectedMigrations(db.engine)
      const applied = await run('SELECT * FROM __drizzle_migrations')
      await run(`UPDATE __drizzle_migrations SET created_at = ${(initial?.folderMillis ?? 0) - 1}`)
      const refusal = await migrate(url ?? '', ownSchema).catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(DevelopmentSchemaError)
      expect(String(refusal)).toContain('made by a development version from before 1.0.0')
      expect(String(refusal)).toContain('`import-fans`')
      expect(await run('SELECT * FROM __drizzle_migrations')).toHaveLength(applied.length)
    })
  })
}

/** Until another process waits for the open transaction, within which `pg_stat_activity` does not change. */
const untilWaiting = (run: Run) =>
  waitUntil('the process waits', async () => {
    const own = 'pg_current_xact_id()::xid::text'
    return (await run(`SELECT 1 FROM pg_locks WHERE NOT granted AND transactionid::text = ${own}`)).length > 0
  })

describe.skipIf(noServer !== '')(`migrations (PostgreSQL)${noServer}`, () => {
  test('of a new database that another process applies meanwhile are not applied again', async () => {
    temporary = await postgresEngine.open(createClock())
    const { url } = temporary
    await withRawConnection(temporary, async run => {
      const applied = await run('SELECT * FROM __drizzle_migrations')
      await empty(run, 'postgres')
      await createMigrationLock(run, null)
      await run('BEGIN')
      await run(LOCK_MIGRATIONS)
      const migrating = migrate(url ?? '', ownSchema)
      await untilWaiting(run)
      // Few changes of the catalogue: of many the server tells the waiting process while it waits.
      await run('CREATE TABLE __drizzle_migrations (created_at bigint, runs_from bigint)')
      for (const { created_at: at } of applied)
        await run(`INSERT INTO __drizzle_migrations (created_at) VALUES (${at})`)
      await run('COMMIT')
      expect((await migrating).applied).toBe(0)
    })
  })

  /** A search path of the migration hides the imitation. */
  const noImitation = testSchema === null ? '' : ' (skipped: TEST_DATABASE_SCHEMA is set)'
  /** The database answers as YugabyteDB does when it is asked for its version. */
  async function imitateYugabyte(run: Run) {
    await run('CREATE SCHEMA imitation')
    await run(`CREATE FUNCTION imitation.version() RETURNS text LANGUAGE sql
      AS $$ SELECT 'PostgreSQL 15.12-YB-2025.1.4.0-b0 on x86_64-pc-linux-gnu' $$`)
    await configure(run, `search_path = ${schema}, imitation, pg_catalog`)
  }
  const configure = async (run: Run, setting: string) => {
    const [row] = await run('SELECT current_database() AS name')
    await run(`ALTER DATABASE ${row?.name} SET ${setting}`)
  }

  test('are each applied once by four processes where every transaction is SERIALIZABLE', async () => {
    temporary = await postgresEngine.open(createClock())
    await withRawConnection(temporary, async run => {
      await empty(run, 'postgres')
      await configure(run, "default_transaction_isolation = 'serializable'")
    })
    await migrateByFour(temporary)
  })

  test('insert the row of their lock again after a conflict where every transaction is SERIALIZABLE', async () => {
    temporary = await postgresEngine.open(createClock())
    await withRawConnection(temporary, async run => {
      await empty(run, 'postgres')
      await run(`CREATE TABLE "${LOCK_TABLE}" (id integer PRIMARY KEY)`)
      await configure(run, "default_transaction_isolation = 'serializable'")
      await run('BEGIN')
      await run(`INSERT INTO "${LOCK_TABLE}" VALUES (1)`)
      const migrating = migrate(temporary.url ?? '', ownSchema)
      await untilWaiting(run)
      await run('COMMIT')
      expect((await migrating).applied).toBe(migrationsOf('postgres').length)
    })
  })

  test.skipIf(noImitation !== '')(
    `are each applied once by four processes where each DDL statement commits by itself${noImitation}`,
    async () => {
      temporary = await postgresEngine.open(createClock())
      const before = await withRawConnection(temporary, async run => {
        const schema = await schemaOf(run)
        await empty(run, 'postgres')
        await imitateYugabyte(run)
        return schema
      })
      await migrateByFour(temporary)
      await withRawConnection(temporary, async run => {
        const isRow = ({ definition }: Row) => !String(definition).includes('FOR EACH STATEMENT')
        expect(await schemaOf(run)).toEqual({ ...before, triggers: before.triggers.filter(isRow) })
        expect(await run('SELECT * FROM "__matchday_migration_progress"')).toEqual([])
      })
    },
  )

  test.each([
    ['one transaction', async () => {}] as const,
    ...(noImitation === '' ? [['one statement after another', imitateYugabyte] as const] : []),
  ])('in %s wait for the process that migrates, until it is killed', async (_, prepare) => {
    temporary = await postgresEngine.open(createClock())
    const total = migrationsOf('postgres').length
    await withRawConnection(temporary, async run => {
      await empty(run, 'postgres')
      await prepare(run)
      await createMigrationLock(run, null)
    })
    const holder = Bun.spawn(
      [process.execPath, join(import.meta.dir, 'migration-lock-holder.ts'), temporary.url ?? ''],
      { stdout: 'pipe' },
    )
    const { value } = await holder.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toBe('locked')
    let ended = false
    const migrating = migrate(temporary.url ?? '', ownSchema).finally(() => {
      ended = true
    })
    await withRawConnection(temporary, async run => {
      const waiting = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE%'`
      await waitUntil('the process waits', async () => (await run(waiting)).length > 0)
    })
    expect(ended).toBe(false)
    holder.kill('SIGKILL')
    expect((await migrating).applied).toBe(total)
    await holder.exited
  })

  test('that wait for a table give way to requests', async () => {
    temporary = await postgresEngine.open(createClock())
    const url = temporary.url ?? ''
    await withRawConnection(temporary, async run => {
      const [read, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const backup = new SQL(url, { max: 1 })
      const copying = backup.begin(async transaction => {
        await transaction.unsafe(`SELECT * FROM ${schema}.user_items`)
        read.resolve()
        await end.promise
      })
      await read.promise
      const next = ['ALTER TABLE user_items ADD COLUMN next text']
      const migrating = withNextMigration('postgres', next, () => migrate(url, ownSchema))
      const waiting = `SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
        WHERE datname = current_database() AND relation = 'user_items'::regclass AND NOT granted`
      await waitUntil('the migration waits', async () => (await run(waiting)).length > 0)
      // Would otherwise wait for the end of the copy.
      expect(await run('SELECT * FROM user_items')).toEqual([])
      end.resolve()
      await copying
      await backup.close()
      expect((await migrating).applied).toBe(1)
    })
  })
})

describe('migrations (SQLite)', () => {
  test('make every table STRICT, so that it refuses values of another type', async () => {
    temporary = await sqliteEngine.open(createClock())
    await withRawConnection(temporary, async run => {
      const tables = await run('PRAGMA table_list')
      const ours = tables.filter(({ name }) => !/^(sqlite_|__drizzle)/.test(String(name)))
      expect(ours.length).toBe(Object.keys(temporary.db.tables).length)
      expect(ours.filter(({ strict }) => strict !== 1)).toEqual([])
      await expect(
        run(
          "INSERT INTO teams (id, name, short_name, active, created_at, updated_at) VALUES ('t', 't', 't', 'yes', 0, 0)",
        ),
      ).rejects.toThrow('cannot store TEXT value in INTEGER column')
    })
  })

  test('store the tables of which a request reads few rows WITHOUT ROWID', async () => {
    temporary = await sqliteEngine.open(createClock())
    await withRawConnection(temporary, async run => {
      const tables = await run('PRAGMA table_list')
      const kept = tables.filter(({ name, wr }) => wr === 1 && !String(name).startsWith('sqlite_'))
      expect(kept.map(({ name }) => String(name)).toSorted()).toEqual([...WITHOUT_ROWID].toSorted())
    })
  })

  test('wait for another process that holds the lock', async () => {
    temporary = await sqliteEngine.open(createClock())
    await withRawConnection(temporary, async run => {
      await empty(run, 'sqlite')
      await run('BEGIN IMMEDIATE')
      let ended = false
      const migrating = migrate(temporary.url ?? '', ownSchema).finally(() => {
        ended = true
      })
      await turns(50)
      expect(ended).toBe(false)
      await run('COMMIT')
      expect((await migrating).applied).toBe(migrationsOf('sqlite').length)
      // Without pending migrations there is no lock to wait for.
      await run('BEGIN IMMEDIATE')
      expect((await migrate(temporary.url ?? '', ownSchema)).applied).toBe(0)
      await run('ROLLBACK')
    })
  })

  test('leave the writer durable: WAL, synchronous FULL and foreign keys on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
    temporary = await sqliteEngine.open(createClock())
    const { connectSqlite } = await import('../../db/sqlite/connection.ts')
    const connection = connectSqlite(join(folder, 'deep', 'er', 'file.db'))
    const pragma = (name: string) => Object.values(connection.query(`PRAGMA ${name}`).get() as object)[0]
    expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual(['wal', 2, 1])
    connection.close()
    rmSync(folder, { recursive: true })
  })

  test('report a file that is not a database or cannot be opened', async () => {
    temporary = await sqliteEngine.open(createClock())
    const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
    await Bun.write(join(folder, 'not.db'), 'This is not a database. '.repeat(100))
    const fault = async (url: string) => {
      const error = await migrate(url, ownSchema).catch((thrown: unknown) => thrown)
      return error instanceof DatabaseError ? error.fault : `no DatabaseError: ${error}`
    }
    expect(await fault(`sqlite:${join(folder, 'not.db')}`)).toBe('corrupt')
    expect(await fault(`sqlite:${folder}`)).toBe('unreachable')
    expect(await fault('postgres://nobody@127.0.0.1:1/nothing')).toBe('unreachable')
    rmSync(folder, { recursive: true })
  })
})

function tableName(table: object): string {
  const key = Object.getOwnPropertySymbols(table).find(({ description }) => description === 'drizzle:Name')
  return String((table as Record<symbol, unknown>)[key ?? Symbol('none')])
}
