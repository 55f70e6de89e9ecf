/** Brings a database to the schema of an older or a newer version. */
import { expectedMigrations, type Migration } from '../../db/expected-schema.ts'
import { applyMigrations } from '../../db/migrate.ts'
import type { Run } from './probe.ts'

/** The time of the first migration that this version does not know. */
export const NEXT = 99_999_999_999_990

/** Migrates as the version does that has these migrations. */
const migrateTo = (run: Run, engine: 'sqlite' | 'postgres', migrations: Migration[]) =>
  applyMigrations(
    engine,
    (statement, values) => {
      const left = [...(values ?? [])]
      // The probe has no parameters.
      return run(left.length === 0 ? statement : statement.replace(/\?|\$\d/g, () => `'${left.shift()}'`))
    },
    { known: migrations },
  )

/** As if this version had one more migration, which is the newest. */
export async function withNextMigration<T>(
  engine: 'sqlite' | 'postgres',
  sql: string[],
  work: () => Promise<T>,
): Promise<T> {
  // Guarantee: the list that the migrator itself reads.
  const known = expectedMigrations(engine)
  known.push({ name: 'next', sql, bps: false, hash: 'next', folderMillis: NEXT, runsFrom: 0 })
  try {
    return await work()
  } finally {
    known.pop()
  }
}

/** Migrates as a newer version does, with an additional migration for each of these `runsFrom`. */
export const migrateToNext = (run: Run, engine: 'sqlite' | 'postgres', ...runsFrom: number[]) =>
  migrateTo(run, engine, [
    ...expectedMigrations(engine),
    ...runsFrom.map((from, at) => ({
      ...{ name: `next_${at}`, sql: [], bps: false, hash: `next ${at}` },
      ...{ folderMillis: NEXT + at, runsFrom: from },
    })),
  ])
