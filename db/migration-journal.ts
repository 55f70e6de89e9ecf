/** Drizzle's own table of the migrations that a database has, with the versions that run on each. */
import type { Engine, Migration } from './expected-schema.ts'

export type Run = (
  statement: string,
  parameters?: (string | number | boolean)[],
) => Promise<Record<string, unknown>[]>

const RUNS_FROM = {
  sqlite: `SELECT 1 FROM pragma_table_info('__drizzle_migrations') WHERE name = 'runs_from'`,
  postgres: `SELECT 1 FROM pg_attribute WHERE attrelid = '"__drizzle_migrations"'::regclass AND attname = 'runs_from'`,
}

/** Creates the table, or completes that of an older version. */
export async function openJournal(engine: Engine, run: Run): Promise<void> {
  await run(
    `CREATE TABLE IF NOT EXISTS "__drizzle_migrations" (
      id ${engine === 'sqlite' ? 'integer' : 'serial'} PRIMARY KEY, hash text NOT NULL, created_at bigint NOT NULL)`,
  )
  if ((await run(RUNS_FROM[engine])).length === 0)
    await run('ALTER TABLE "__drizzle_migrations" ADD COLUMN runs_from bigint')
}

export async function recordMigration(engine: Engine, migration: Migration, run: Run): Promise<void> {
  const values = engine === 'sqlite' ? '?, ?, ?' : '$1, $2, $3'
  await run(`INSERT INTO "__drizzle_migrations" (hash, created_at, runs_from) VALUES (${values})`, [
    migration.hash,
    migration.folderMillis,
    migration.runsFrom,
  ])
}
