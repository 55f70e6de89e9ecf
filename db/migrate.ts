/** Migrates a database to the expected schema: all pending migrations in one transaction, under a lock. */
import { Database as Connection } from 'bun:sqlite'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MigrationMeta } from 'drizzle-orm/migrator'
import { DatabaseError, translateDatabaseError } from './errors.ts'
import { expectedMigrations } from './expected-schema.ts'
import { connectPostgres, type PostgresSettings } from './postgres/client.ts'
import { connectSqlite, createWriteLock } from './sqlite/connection.ts'

/** How long to wait for another instance that migrates a large file. On PostgreSQL the wait has no limit. */
const MIGRATION_LOCK_TIMEOUT_MS = 30 * 60_000

type Run = (statement: string, parameters?: (string | number)[]) => Promise<Record<string, unknown>[]>

/** The database has migrations that this version does not know: an older version must not use it. */
export class NewerSchemaError extends Error {
  constructor(unknown: number) {
    super(
      `the database is ${unknown} migration${unknown === 1 ? '' : 's'} ahead of this version of Matchday; ` +
        'run the newer version, or restore a backup from before its migration',
    )
    this.name = 'NewerSchemaError'
  }
}

/** The database lacks migrations of this version, and this process may not apply them. */
export class OlderSchemaError extends Error {
  constructor(missing: number) {
    super(
      `the database lacks ${missing} migration${missing === 1 ? '' : 's'} of this version of Matchday, and MIGRATE is off; ` +
        'run the command `migrate` first',
    )
    this.name = 'OlderSchemaError'
  }
}

export interface MigrationReport {
  /** Migrations applied by this call. */
  applied: number
  /** Migrations in the database now. */
  total: number
}

/**
 * Applies pending migrations. Safe to call from several processes at the same time.
 * @throws NewerSchemaError when the database is ahead of this version; `DatabaseError` when the engine is at fault
 */
export const migrate = (url: string, settings?: Partial<PostgresSettings>): Promise<MigrationReport> =>
  onEngine(url, migrateSqlite, () => migratePostgres(url, settings))

export interface PendingMigrations {
  /** Names, in the order of application. */
  pending: string[]
  /** Migrations in the database once they are applied. */
  total: number
}

/** Lists what `migrate` would apply. Changes nothing and creates no file. @throws as `migrate` */
export const listPendingMigrations = (
  url: string,
  settings?: Partial<PostgresSettings>,
): Promise<PendingMigrations> => onEngine(url, listPendingSqlite, () => listPendingPostgres(url, settings))

/** For a process that must not change the schema. @throws OlderSchemaError, and as `migrate` */
export async function requireMigrated(url: string, settings?: Partial<PostgresSettings>): Promise<void> {
  const { pending } = await listPendingMigrations(url, settings)
  if (pending.length > 0) throw new OlderSchemaError(pending.length)
}

async function onEngine<Result>(
  url: string,
  onSqlite: (path: string) => Promise<Result>,
  onPostgres: () => Promise<Result>,
): Promise<Result> {
  try {
    return await (url.startsWith('sqlite:') ? onSqlite(url.slice('sqlite:'.length)) : onPostgres())
  } catch (error) {
    throw translateDatabaseError(error)
  }
}

async function listPendingSqlite(path: string): Promise<PendingMigrations> {
  if (!existsSync(path)) return namePending('sqlite', [])
  // Without the pragmas of `connectSqlite`: reading must not change the file.
  const connection = new Connection(path, { readwrite: true, strict: true })
  try {
    connection.run('PRAGMA busy_timeout = 5000')
    const run: Run = async statement => connection.query(statement).all() as Record<string, unknown>[]
    return namePending('sqlite', await readApplied('sqlite', run))
  } finally {
    connection.close()
  }
}

const TABLE_OF_APPLIED = {
  sqlite: "SELECT 1 FROM sqlite_schema WHERE name = '__drizzle_migrations'",
  postgres: `SELECT 1 WHERE to_regclass('"__drizzle_migrations"') IS NOT NULL`,
}

/** None when Drizzle's table is missing. Reading needs no privilege to create it. */
async function readApplied(engine: 'sqlite' | 'postgres', run: Run): Promise<AppliedRow[]> {
  const tables = await run(TABLE_OF_APPLIED[engine])
  return tables.length > 0 ? run(APPLIED) : []
}

async function listPendingPostgres(
  url: string,
  settings?: Partial<PostgresSettings>,
): Promise<PendingMigrations> {
  const client = connectPostgres(url, { ...settings, poolSize: 1 })
  try {
    return namePending('postgres', await readApplied('postgres', statement => client.unsafe(statement)))
  } finally {
    await client.close()
  }
}

function namePending(engine: 'sqlite' | 'postgres', rows: AppliedRow[]): PendingMigrations {
  // Guarantee: drizzle-kit writes the journal, and `readMigrationFiles` reads it in this form.
  const { entries } = JSON.parse(
    readFileSync(join(import.meta.dir, 'migrations', engine, 'meta/_journal.json'), 'utf8'),
  ) as { entries: { when: number; tag: string }[] }
  const names = new Map(entries.map(({ when, tag }) => [when, tag]))
  const missing = findMissing(engine, rows)
  return {
    pending: missing.map(({ folderMillis }) => names.get(folderMillis) ?? String(folderMillis)),
    total: expectedMigrations(engine).length,
  }
}

type AppliedRow = Record<string, unknown>

const APPLIED = 'SELECT created_at FROM "__drizzle_migrations"'

/** Migrations that the database lacks. @throws NewerSchemaError when it has some that this version does not know */
function findMissing(engine: 'sqlite' | 'postgres', rows: AppliedRow[]): MigrationMeta[] {
  const known = expectedMigrations(engine)
  const present = new Set(rows.map(row => Number(row.created_at)))
  const missing = known.filter(migration => !present.has(migration.folderMillis))
  const unknown = present.size + missing.length - known.length
  if (unknown > 0) throw new NewerSchemaError(unknown)
  return missing
}

async function migrateSqlite(path: string): Promise<MigrationReport> {
  const connection = connectSqlite(path)
  try {
    const run: Run = async (statement, parameters = []) =>
      connection.query(statement).all(...parameters) as Record<string, unknown>[]
    const total = expectedMigrations('sqlite').length
    // Without pending migrations there is no lock to wait for.
    if (findMissing('sqlite', await readApplied('sqlite', run)).length === 0) return { applied: 0, total }
    // A migration that rebuilds a table must copy all its rows, including orphans (see `orphans.ts`).
    await run('PRAGMA foreign_keys = OFF')
    const deadline = performance.now() + MIGRATION_LOCK_TIMEOUT_MS
    const locked = await createWriteLock(connection)(() => performance.now() < deadline)
    if (!locked) throw new DatabaseError('busy')
    try {
      const report = await applyMigrations('sqlite', run)
      await run('COMMIT')
      return report
    } catch (error) {
      if (connection.inTransaction) await run('ROLLBACK')
      throw error
    }
  } finally {
    connection.close()
  }
}

async function migratePostgres(url: string, settings?: Partial<PostgresSettings>): Promise<MigrationReport> {
  const client = connectPostgres(url, { ...settings, poolSize: 1 })
  try {
    const applied = await readApplied('postgres', statement => client.unsafe(statement))
    // Without pending migrations there is no lock to wait for, and no privilege to change the schema is needed.
    if (findMissing('postgres', applied).length === 0)
      return { applied: 0, total: expectedMigrations('postgres').length }
    return await client.begin(async transaction => {
      const run: Run = (statement, parameters) => transaction.unsafe(statement, parameters)
      await run('SET LOCAL statement_timeout = 0')
      // One migrator at a time: the key is 'match' in ASCII.
      await run('SELECT pg_advisory_xact_lock(469786981224)')
      return applyMigrations('postgres', run)
    })
  } finally {
    await client.close()
  }
}

/** Applies pending migrations within an open transaction, and records them in Drizzle's own table. */
export async function applyMigrations(engine: 'sqlite' | 'postgres', run: Run): Promise<MigrationReport> {
  const missing = findMissing(engine, await readApplied(engine, run))
  const total = expectedMigrations(engine).length
  if (missing.length === 0) return { applied: 0, total }
  await run(
    `CREATE TABLE IF NOT EXISTS "__drizzle_migrations" (
      id ${engine === 'sqlite' ? 'integer' : 'serial'} PRIMARY KEY, hash text NOT NULL, created_at bigint NOT NULL)`,
  )
  for (const migration of missing) {
    for (const statement of migration.sql) await run(statement)
    const [hash, at] = engine === 'sqlite' ? ['?', '?'] : ['$1', '$2']
    await run(`INSERT INTO "__drizzle_migrations" (hash, created_at) VALUES (${hash}, ${at})`, [
      migration.hash,
      migration.folderMillis,
    ])
  }
  return { applied: missing.length, total }
}
