/** Drizzle's own table of the migrations that a database has, with the versions that run on each. */
import type { Engine, Migration } from './expected-schema.ts'

export type Run = (
  statement: string,
  parameters?: (string | number | boolean)[],
) => Promise<Record<string, unknown>[]>

export const openJournal = (engine: Engine, run: Run) =>
  run(
    `CREATE TABLE IF NOT EXISTS "__drizzle_migrations" (
      id ${engine === 'sqlite' ? 'integer' : 'serial'} PRIMARY KEY, hash text NOT NULL, created_at bigint NOT NULL,
      runs_from bigint)`,
  )

export async function recordMigration(engine: Engine, migration: Migration, run: Run): Promise<void> {
  const values = engine === 'sqlite' ? '?, ?, ?' : '$1, $2, $3'
  await run(`INSERT INTO "__drizzle_migrations" (hash, created_at, runs_from) VALUES (${values})`, [
    migration.hash,
    migration.folderMillis,
    migration.runsFrom,
  ])
}
