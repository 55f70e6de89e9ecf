/** Limits that no slow machine reaches, for the tests that are not about them. */
import { type Database, type DatabaseOptions, openDatabase, type Sources } from '../../db/index.ts'
import { openSqlite } from '../../db/sqlite/database.ts'
import { createSpine } from '../../src/app/spine.ts'

const PATIENCE_MS = 60_000

/** Settings of an application or of a process. */
export const patientSettings = {
  MAX_WRITE_WAIT_MS: String(PATIENCE_MS),
  DATABASE_STATEMENT_TIMEOUT_MS: String(PATIENCE_MS),
}

/** Bun opens all connections of a pool at its first statement. Three units of work run at once; the default has ten. */
export const POOL_SIZE = 5
export const smallPool = { DATABASE_POOL_SIZE: String(POOL_SIZE) }

/** Of the tables on PostgreSQL; null: that of new databases. With another one, what names no schema finds no table. */
export const testSchema = process.env.TEST_DATABASE_SCHEMA || null
export const schemaSettings: Record<string, string> =
  testSchema === null ? {} : { DATABASE_SCHEMA: testSchema }
/** For statements of tests, which name no schema. */
export const USE_TEST_SCHEMA = testSchema === null ? null : `SET search_path = ${testSchema}`

export const patientPostgres = {
  statementTimeoutMs: PATIENCE_MS,
  connectTimeoutMs: PATIENCE_MS,
  schema: testSchema,
}

/** `openDatabase`, with a spine, and patience for locks and statements. */
export function openPatiently(url: string, sources: Sources, given: DatabaseOptions = {}): Database {
  const options = { spine: createSpine(), ...given }
  return url.startsWith('sqlite:')
    ? openSqlite(url.slice('sqlite:'.length), sources, { ...options, lockTimeoutMs: PATIENCE_MS })
    : openDatabase(url, sources, {
        ...options,
        postgres: { ...patientPostgres, ...options.postgres },
      })
}
