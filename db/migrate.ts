/**
 * Migrates a database to the expected schema, under a lock: each pending migration in a transaction of its own, or statement
 * by statement on YugabyteDB. Each is recorded with the versions that run on its schema, so that an older version knows
 * whether it may use the database.
 */
import { Database as Connection } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import type { SQL } from 'bun'
import { DatabaseError, isLockConflict, SchemaError, translateDatabaseError } from './errors.ts'
import { type Engine, expectedMigrations, type Migration } from './expected-schema.ts'
import { openJournal, type Run, recordMigration } from './migration-journal.ts'
import { connectPostgres, type PostgresOptions } from './postgres/connect.ts'
import { applyByStatement } from './postgres/migrate-by-statement.ts'
import { createMigrationLock, LOCK_MIGRATIONS, requireUsableSchema } from './postgres/migration-lock.ts'
import { hasTransactionalDdl } from './postgres/portable.ts'
import { PROPAGATE_SETTINGS } from './postgres/schema-node.ts'
import { explainUnreachable } from './postgres/unreachable.ts'
import { connectSqlite, createWriteLock } from './sqlite/connection.ts'

/**
 * SQLite: how long to wait for another instance that migrates a large file. PostgreSQL: how long to wait for the tables; the
 * wait for another instance has no limit there.
 */
const MIGRATION_LOCK_TIMEOUT_MS = 30 * 60_000
/** Requests queue behind a migration that waits for a table, for example for a backup: it gives up, and tries again later. */
const TABLE_LOCK_TIMEOUT_MS = 1_000
const TABLE_LOCK_PAUSE_MS = 2_000

/** The database has migrations that this version does not know, and on which it does not run. */
export class NewerSchemaError extends SchemaError {
  constructor(unknown: number) {
    super(
      `the database is ${unknown} migration${unknown === 1 ? '' : 's'} ahead of this version of Matchday; ` +
        'run the newer version, or restore a backup from before its migration',
    )
    this.name = 'NewerSchemaError'
  }
}

/** The database lacks migrations of this version, and this process may not apply them. */
class OlderSchemaError extends SchemaError {
  constructor(missing: number) {
    super(
      `the database lacks ${missing} migration${missing === 1 ? '' : 's'} of this version of Matchday, and MIGRATE is off; ` +
        'run the command `migrate` first',
    )
    this.name = 'OlderSchemaError'
  }
}

/** A development version created the database: its migrations are not in any release. */
export class DevelopmentSchemaError extends SchemaError {
  constructor() {
    super(
      'the database was made by a development version from before 1.0.0, and cannot be migrated; set DATABASE_URL to a new ' +
        'database, and bring the fans over with the command `import-fans`',
    )
    this.name = 'DevelopmentSchemaError'
  }
}

/** The tables of another program are in the way. */
export class ForeignTablesError extends SchemaError {
  constructor() {
    super(
      'the database has tables of another program, and nothing was changed; set DATABASE_URL to a new database, or on PostgreSQL ' +
        'DATABASE_SCHEMA to a new schema',
    )
    this.name = 'ForeignTablesError'
  }
}

interface Migrations {
  /** Migrations of this version. */
  total: number
  /** Migrations of a newer version, on which this one runs. */
  ahead: number
}

export interface MigrationReport extends Migrations {
  /** Migrations applied by this call. */
  applied: number
}

/**
 * Applies pending migrations. Safe to call from several processes at the same time.
 * @throws NewerSchemaError when the database is too far ahead of this version; DevelopmentSchemaError; `DatabaseError` when the engine is at fault
 */
export const migrate = (url: string, settings?: PostgresOptions): Promise<MigrationReport> =>
  onEngine(url, migrateSqlite, () => migratePostgres(url, settings))

export interface PendingMigrations extends Migrations {
  /** Names, in the order of application. */
  pending: string[]
}

/** Lists what `migrate` would apply. Changes nothing and creates no file. @throws as `migrate` */
export const listPendingMigrations = (url: string, settings?: PostgresOptions): Promise<PendingMigrations> =>
  onEngine(url, listPendingSqlite, () => listPendingPostgres(url, settings))

/** For a process that must not change the schema. @throws OlderSchemaError, and as `migrate` */
export async function requireMigrated(url: string, settings?: PostgresOptions): Promise<MigrationReport> {
  const { pending, ...rest } = await listPendingMigrations(url, settings)
  if (pending.length > 0) throw new OlderSchemaError(pending.length)
  return { applied: 0, ...rest }
}

async function onEngine<Result>(
  url: string,
  onSqlite: (path: string) => Promise<Result>,
  onPostgres: () => Promise<Result>,
): Promise<Result> {
  const isSqlite = url.startsWith('sqlite:')
  try {
    return await (isSqlite ? onSqlite(url.slice('sqlite:'.length)) : onPostgres())
  } catch (error) {
    throw isSqlite ? translateDatabaseError(error) : await explainUnreachable(error, url)
  }
}

async function listPendingSqlite(path: string): Promise<PendingMigrations> {
  if (!existsSync(path)) return namePending('sqlite', [])
  // Without the pragmas of `connectSqlite`: reading must not change the file.
  using connection = new Connection(path, { readwrite: true, strict: true })
  connection.run('PRAGMA busy_timeout = 5000')
  return namePending('sqlite', await readApplied('sqlite', runOn(connection)))
}

const runOn =
  (connection: Connection): Run =>
  async (statement, parameters = []) =>
    // Guarantee of the cast: `all` answers with objects.
    connection.query(statement).all(...parameters) as Record<string, unknown>[]

const TABLE_OF_APPLIED = {
  sqlite: "SELECT 1 FROM sqlite_schema WHERE name = '__drizzle_migrations'",
  // Selects a row: otherwise the server would answer from its state before it waited for another instance.
  postgres: `SELECT 1 FROM pg_class WHERE oid = to_regclass('"__drizzle_migrations"')`,
}

/** The first migration makes it; so do many programs. */
const TABLE_OF_USERS = {
  sqlite: "SELECT 1 FROM sqlite_schema WHERE name = 'users'",
  postgres: "SELECT 1 FROM pg_tables WHERE tablename = 'users' AND schemaname = current_schema()",
}

/** Returns no rows when Drizzle's table is missing. Reading needs no privilege to create it. */
async function readApplied(engine: Engine, run: Run): Promise<AppliedRow[]> {
  const tables = await run(TABLE_OF_APPLIED[engine])
  return tables.length > 0 ? run(APPLIED) : []
}

async function listPendingPostgres(url: string, settings?: PostgresOptions): Promise<PendingMigrations> {
  await using client = connectPostgres(url, { ...settings, poolSize: 1 })
  return namePending('postgres', await readAppliedIn(client, settings))
}

async function readAppliedIn(client: SQL, settings?: PostgresOptions): Promise<AppliedRow[]> {
  const run = runIn(client, settings)
  const applied = await readApplied('postgres', run)
  if (applied.length === 0 && settings?.schema) await requireUsableSchema(run, settings.schema)
  return applied
}

/** Within the schema of the settings. A pooler may give each transaction another connection: the search path is set in each. */
const runIn =
  (client: SQL, { schema = null }: PostgresOptions = {}): Run =>
  (statement, parameters) =>
    schema === null
      ? client.unsafe(statement, parameters)
      : client.begin(async transaction => {
          await transaction.unsafe(`SET LOCAL ${searchPath(schema)}`)
          return transaction.unsafe(statement, parameters)
        })

const searchPath = (schema: string) => `search_path = "${schema}"`

function namePending(engine: Engine, rows: AppliedRow[]): PendingMigrations {
  const known = expectedMigrations(engine)
  const { missing, ahead } = compareSchema(known, rows)
  return { pending: missing.map(({ name }) => name), total: known.length, ahead }
}

type AppliedRow = Record<string, unknown>

/** All columns: development versions recorded no `runs_from` at first. */
const APPLIED = 'SELECT * FROM "__drizzle_migrations"'

/**
 * The migrations that the database lacks, and how many it has from a newer version.
 * @throws NewerSchemaError when this version does not run on these; DevelopmentSchemaError when they are from before 1.0.0
 */
function compareSchema(known: Migration[], rows: AppliedRow[]): { missing: Migration[]; ahead: number } {
  const applied = new Map(rows.map(row => [Number(row.created_at), row]))
  const missing = known.filter(migration => !applied.has(migration.folderMillis))
  for (const { folderMillis } of known) applied.delete(folderMillis)
  const [oldest, newest] = [known[0]?.folderMillis ?? 0, known.at(-1)?.folderMillis ?? 0]
  if (applied.keys().some(at => at < oldest)) throw new DevelopmentSchemaError()
  const runs = [...applied.values()].every(
    ({ runs_from: runsFrom }) => runsFrom !== undefined && runsFrom !== null && Number(runsFrom) <= newest,
  )
  // Each has migrations that the other lacks, so the schema is not that of a newer version.
  const diverged = missing.length > 0 && applied.size > 0
  if (!runs || diverged) throw new NewerSchemaError(applied.size)
  return { missing, ahead: applied.size }
}

async function migrateSqlite(path: string): Promise<MigrationReport> {
  using connection = connectSqlite(path)
  const run = runOn(connection)
  // Without pending migrations there is no lock to wait for.
  const { pending, ...rest } = namePending('sqlite', await readApplied('sqlite', run))
  if (pending.length === 0) return { applied: 0, ...rest }
  // A migration that rebuilds a table must copy all its rows, including orphans (see `orphans.ts`).
  await run('PRAGMA foreign_keys = OFF')
  const deadline = performance.now() + MIGRATION_LOCK_TIMEOUT_MS
  const takeLock = createWriteLock(connection)
  return await applyOneByOne(async () => {
    if (!(await takeLock(() => performance.now() < deadline))) throw new DatabaseError('busy')
    try {
      const report = await applyMigrations('sqlite', run, { limit: 1 })
      await run('COMMIT')
      return report
    } catch (error) {
      if (connection.inTransaction) await run('ROLLBACK')
      throw error
    }
  })
}

/** @param applyNext applies the next pending migration, if there is one, and commits it */
async function applyOneByOne(applyNext: () => Promise<MigrationReport>): Promise<MigrationReport> {
  let applied = 0
  for (;;) {
    const report = await applyNext()
    applied += report.applied
    if (report.applied === 0) return { ...report, applied }
  }
}

async function migratePostgres(url: string, settings?: PostgresOptions): Promise<MigrationReport> {
  await using client = connectPostgres(url, { ...settings, poolSize: 1 })
  const { schema = null } = settings ?? {}
  const applied = await readAppliedIn(client, settings)
  // Without pending migrations there is no lock to wait for, and no privilege to change the schema is needed.
  const { pending, ...rest } = namePending('postgres', applied)
  if (pending.length === 0) return { applied: 0, ...rest }
  const deadline = performance.now() + MIGRATION_LOCK_TIMEOUT_MS
  await createMigrationLock(runIn(client, settings), schema)
  // READ COMMITTED: data that is read after the wait for the lock must be as new as the lock.
  const applyNext = () =>
    client.begin('isolation level read committed', async transaction => {
      const run: Run = (statement, parameters) => transaction.unsafe(statement, parameters)
      if (schema !== null) await run(`SET LOCAL ${searchPath(schema)}`)
      for (const name of UNLIMITED) await run(`SET LOCAL ${name} = 0`)
      await run(LOCK_MIGRATIONS)
      await run(PROPAGATE_SETTINGS)
      await run(`SET LOCAL lock_timeout = ${TABLE_LOCK_TIMEOUT_MS}`)
      const [row] = await run('SELECT version() AS version')
      return hasTransactionalDdl(String(row?.version))
        ? applyMigrations('postgres', run, { limit: 1 })
        : migrateByStatement(url, settings)
    })
  return await applyOneByOne(async () => {
    for (;;) {
      try {
        return await applyNext()
      } catch (error) {
        if (!isLockConflict(error) || performance.now() > deadline) throw error
        await Bun.sleep(TABLE_LOCK_PAUSE_MS)
      }
    }
  })
}

/** The transaction that holds the lock may be idle for as long as another connection migrates. */
const UNLIMITED = ['statement_timeout', 'idle_in_transaction_session_timeout']

async function migrateByStatement(url: string, settings?: PostgresOptions): Promise<MigrationReport> {
  await using client = connectPostgres(url, { ...settings, poolSize: 1 })
  const run: Run = (statement, parameters) => client.unsafe(statement, parameters)
  if (settings?.schema) await run(`SET ${searchPath(settings.schema)}`)
  for (const name of UNLIMITED) await run(`SET ${name} = 0`)
  await run(`SET lock_timeout = ${TABLE_LOCK_TIMEOUT_MS}`)
  const known = expectedMigrations('postgres')
  const { missing, ahead } = compareSchema(known, await readApplied('postgres', run))
  await applyByStatement(missing, run)
  return { applied: missing.length, total: known.length, ahead }
}

/**
 * Applies the pending ones of the `known` migrations, `limit` at most, within an open transaction, and records them in
 * Drizzle's own table.
 */
export async function applyMigrations(
  engine: Engine,
  run: Run,
  { known = expectedMigrations(engine), limit }: { known?: Migration[]; limit?: number } = {},
): Promise<MigrationReport> {
  const { missing: pending, ahead } = compareSchema(known, await readApplied(engine, run))
  const missing = pending.slice(0, limit)
  const total = known.length
  if (missing.length === 0) return { applied: 0, total, ahead }
  const isFirst = pending.length === total
  if (isFirst && (await run(TABLE_OF_USERS[engine])).length > 0) throw new ForeignTablesError()
  for (const { sql } of missing) for (const statement of sql) await run(statement)
  // Last, since it locks out the checks of running instances until the commit.
  await openJournal(engine, run)
  for (const migration of missing) await recordMigration(engine, migration, run)
  return { applied: missing.length, total, ahead }
}
