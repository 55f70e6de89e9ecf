/** The schema that this version expects: its migrations. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { compatibility } from './compatibility.ts'
import { DatabaseError } from './errors.ts'
import { runStatement, tableBeside } from './schema/shape.ts'
import type { Database, Transaction } from './types.ts'

export type Engine = 'sqlite' | 'postgres'

/** Its `folderMillis`, the time of its generation, identifies it. */
export interface Migration extends MigrationMeta {
  name: string
  /** The newest migration that a version must know to run on this schema, by its time; 0 if every version does. */
  runsFrom: number
}

const loaded = new Map<Engine, Migration[]>()

/** In the order of application, which is that of their times. */
export const expectedMigrations = (engine: Engine): Migration[] =>
  loaded.getOrInsertComputed(engine, readMigrations)

function readMigrations(engine: Engine): Migration[] {
  const folder = join(import.meta.dir, 'migrations', engine)
  // Guarantee: drizzle-kit writes the journal, and `readMigrationFiles` reads it in this form.
  const { entries } = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as {
    entries: { when: number; tag: string }[]
  }
  const times = new Map(entries.map(({ when, tag }) => [tag, when]))
  const names = new Map(entries.map(({ when, tag }) => [when, tag]))
  return readMigrationFiles({ migrationsFolder: folder }).map(migration => {
    const name = names.get(migration.folderMillis) ?? ''
    const runsFrom = compatibility[engine][name]?.runsFrom
    return {
      ...migration,
      name,
      runsFrom: runsFrom === undefined ? 0 : (times.get(runsFrom) ?? migration.folderMillis),
    }
  })
}

/**
 * A newer version may apply further migrations while this one runs, so more than expected is accepted.
 * @throws DatabaseError `outdated` when migrations are missing
 */
export function requireExpectedSchema(engine: Engine, applied: number): void {
  if (applied < expectedMigrations(engine).length) throw new DatabaseError('outdated')
}

/** From now on, no version runs that does not know this migration: the database has rows that such a version misreads. */
export async function requireMigration(tx: Transaction, engine: Engine, name: string): Promise<void> {
  const migration = expectedMigrations(engine).find(expected => expected.name === name)
  if (!migration) throw new Error(`there is no migration ${name}`)
  const at = migration.folderMillis
  const journal = tableBeside(tx, '__drizzle_migrations')
  await runStatement(tx, sql`UPDATE ${journal} SET runs_from = ${at} WHERE created_at = ${at}`)
}

/** Migrations that the database has but this version does not know. */
export async function countUnknownMigrations({ engine, read, tables }: Database): Promise<number> {
  const rows = await read
    .select({ at: sql`created_at` })
    .from(tableBeside({ tables }, '__drizzle_migrations'))
  const known = new Set(expectedMigrations(engine).map(({ folderMillis }) => folderMillis))
  return rows.filter(({ at }) => !known.has(Number(at))).length
}
