/** The migrations that this version brings. */
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { DatabaseError } from './errors.ts'
import type { Database } from './types.ts'

type Engine = 'sqlite' | 'postgres'

const read = new Map<Engine, MigrationMeta[]>()

export function knownMigrations(engine: Engine): MigrationMeta[] {
  const known =
    read.get(engine) ?? readMigrationFiles({ migrationsFolder: join(import.meta.dir, 'migrations', engine) })
  read.set(engine, known)
  return known
}

/** A newer version may have migrated further while this one runs; less is not enough. @throws DatabaseError `outdated` */
export function requireCurrent(engine: Engine, applied: number): void {
  if (applied < knownMigrations(engine).length) throw new DatabaseError('outdated')
}

/** How many migrations the database has that this version does not know. */
export async function countUnknownMigrations({ engine, read }: Database): Promise<number> {
  const [row] = await read.select({ applied: sql`count(*)` }).from(sql`"__drizzle_migrations"`)
  return Math.max(0, Number(row?.applied) - knownMigrations(engine).length)
}
