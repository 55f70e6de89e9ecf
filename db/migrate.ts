/** Brings a database to the schema of this version: generated migrations, applied in one transaction under a lock. */
import { translateDatabaseError } from './errors.ts'
import { knownMigrations } from './known-migrations.ts'
import { connectPostgres } from './postgres.ts'
import { beginImmediate, connectSqlite } from './sqlite.ts'

type Run = (statement: string, parameters?: (string | number)[]) => Promise<Record<string, unknown>[]>

/** The database has migrations that this version does not know: an older binary must not touch it. */
export class NewerSchemaError extends Error {
  constructor(unknown: number) {
    super(
      `the database is ${unknown} migration${unknown === 1 ? '' : 's'} ahead of this version of Matchday; ` +
        'run the newer version, or restore a backup from before its migration',
    )
    this.name = 'NewerSchemaError'
  }
}

export interface MigrationReport {
  /** Migrations applied by this call. */
  applied: number
  /** Migrations in the database now. */
  total: number
}

/**
 * Applies what is missing; safe to call from many processes at once.
 * @throws NewerSchemaError when the database is ahead of this version; `DatabaseError` when the engine is at fault
 */
export async function migrate(url: string): Promise<MigrationReport> {
  try {
    return await (url.startsWith('sqlite:')
      ? migrateSqlite(url.slice('sqlite:'.length))
      : migratePostgres(url))
  } catch (error) {
    throw translateDatabaseError(error)
  }
}

async function migrateSqlite(path: string): Promise<MigrationReport> {
  const connection = connectSqlite(path)
  try {
    const run: Run = async (statement, parameters = []) =>
      connection.query(statement).all(...parameters) as Record<string, unknown>[]
    await beginImmediate(connection)
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

async function migratePostgres(url: string): Promise<MigrationReport> {
  const client = connectPostgres(url, 1)
  try {
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

/** The work itself, on an open transaction of either engine; the table of what was applied is Drizzle's own. */
export async function applyMigrations(engine: 'sqlite' | 'postgres', run: Run): Promise<MigrationReport> {
  const known = knownMigrations(engine)
  await run(
    `CREATE TABLE IF NOT EXISTS "__drizzle_migrations" (
      id ${engine === 'sqlite' ? 'integer' : 'serial'} PRIMARY KEY, hash text NOT NULL, created_at bigint NOT NULL)`,
  )
  const rows = await run('SELECT created_at FROM "__drizzle_migrations"')
  const present = new Set(rows.map(row => Number(row.created_at)))
  const missing = known.filter(migration => !present.has(migration.folderMillis))
  const unknown = present.size + missing.length - known.length
  if (unknown > 0) throw new NewerSchemaError(unknown)
  for (const migration of missing) {
    for (const statement of migration.sql) await run(statement)
    const [hash, at] = engine === 'sqlite' ? ['?', '?'] : ['$1', '$2']
    await run(`INSERT INTO "__drizzle_migrations" (hash, created_at) VALUES (${hash}, ${at})`, [
      migration.hash,
      migration.folderMillis,
    ])
  }
  return { applied: missing.length, total: known.length }
}
