/** The migrations that this version brings. */
import { join } from 'node:path'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { DatabaseError } from './errors.ts'

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
