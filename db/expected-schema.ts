/** The schema that this version expects: its migrations. */
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { DatabaseError } from './errors.ts'
import type { Database } from './types.ts'

type Engine = 'sqlite' | 'postgres'

const loaded = new Map<Engine, MigrationMeta[]>()

export function expectedMigrations(engine: Engine): MigrationMeta[] {
  const migrations =
    loaded.get(engine) ??
    readMigrationFiles({ migrationsFolder: join(import.meta.dir, 'migrations', engine) })
  loaded.set(engine, migrations)
  return migrations
}

/**
 * A newer version may apply further migrations while this one runs, so more than expected is accepted.
 * @throws DatabaseError `outdated` when migrations are missing
 */
export function requireExpectedSchema(engine: Engine, applied: number): void {
  if (applied < expectedMigrations(engine).length) throw new DatabaseError('outdated')
}

/** How many migrations the database has that this version does not know. */
export async function countUnknownMigrations({ engine, read }: Database): Promise<number> {
  const [row] = await read.select({ applied: sql`count(*)` }).from(sql`"__drizzle_migrations"`)
  return Math.max(0, Number(row?.applied) - expectedMigrations(engine).length)
}
