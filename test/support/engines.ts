/** The databases that tests run on: SQLite, and PostgreSQL as a server (`TEST_POSTGRES_URL`) or as PGlite. */
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { SQL } from 'bun'
import { drizzle } from 'drizzle-orm/bun-sql'
import { drizzle as drizzleOnPglite } from 'drizzle-orm/pglite'
import type { Database, DatabaseObserver, Sources } from '../../db/index.ts'
import { migrate } from '../../db/migrate.ts'
import { databaseOn } from '../../db/postgres/database.ts'
import { createSpine } from '../../src/app/spine.ts'
import { clusterDatabasesOf, clusterSchemasOf } from './cluster-databases.ts'
import { newDatabaseFolder } from './database-folder.ts'
import { openPatiently, POOL_SIZE, patientPostgres, testSchema } from './patience.ts'
import { openPglite } from './pglite.ts'
import { requirePortable } from './portable-statements.ts'
import { databasesOf } from './server-databases.ts'

/** A database of its own, migrated and empty. */
export interface TemporaryDatabase {
  db: Database
  /** For other processes; null where none can connect (PGlite). */
  url: string | null
  remove(): Promise<void>
}

export interface Engine {
  name: string
  open(sources: Sources, observer?: DatabaseObserver): Promise<TemporaryDatabase>
}

/** A migrated and empty database, of which each world gets a copy: migrating takes several times as long. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

const sqliteTemplate = once(async () => {
  const folder = newDatabaseFolder()
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'template.db')
  await migrate(`sqlite:${path}`)
  return path
})

export const sqliteEngine: Engine = {
  name: 'SQLite',
  async open(sources, observer) {
    const folder = newDatabaseFolder()
    const path = join(folder, 'test.db')
    copyFileSync(await sqliteTemplate(), path)
    const url = `sqlite:${path}`
    // As in the one process that serves.
    const db = openPatiently(url, sources, { offloadDisk: true, observer })
    return {
      db,
      url,
      async remove() {
        await db.close()
        rmSync(folder, { recursive: true })
      },
    }
  },
}

const serverUrl = process.env.TEST_POSTGRES_URL
/** See `serialization-failures.ts`, and `test/distributed/main.ts`. */
const {
  TEST_ISOLATION: isolation,
  TEST_CLUSTER_DATABASES: clusterPrefix,
  TEST_CLUSTER_SCHEMAS: schemaPrefix,
} = process.env

function takerOf(server: string) {
  if (schemaPrefix !== undefined) return clusterSchemasOf(server, schemaPrefix)
  if (clusterPrefix !== undefined)
    return clusterDatabasesOf(server, clusterPrefix, isolation ?? 'serializable')
  return databasesOf(server)
}

function serverEngine(server: string): Engine {
  const takeDatabase = takerOf(server)
  return {
    name: 'PostgreSQL',
    async open(sources, observer) {
      const { url, client, release } = await takeDatabase()
      // Guarantee of the cast: Drizzle's driver calls only `unsafe` and `begin`.
      const queries = drizzle({ client: client as unknown as SQL, casing: 'snake_case' })
      const postgres = { ...patientPostgres, poolSize: POOL_SIZE }
      const db = databaseOn(queries, sources, client, { spine: createSpine(), observer, postgres })
      return {
        db,
        url,
        async remove() {
          await db.close()
          await release()
        },
      }
    },
  }
}

const logger = { logQuery: requirePortable }

const pgliteEngine: Engine = {
  name: 'PGlite',
  async open(sources, observer) {
    const client = await openPglite('migrated')
    const pool = { statements: 0, close: () => client.close() }
    const db = databaseOn(drizzleOnPglite({ client, casing: 'snake_case', logger }), sources, pool, {
      spine: createSpine(),
      observer,
    })
    return { db, url: null, remove: () => db.close() }
  },
}

/** A server where there is one. PGlite has one connection, which no other process shares, and opens slowly. */
export const postgresEngine: Engine = serverUrl ? serverEngine(serverUrl) : pgliteEngine

/** Those of domain tests. Several processes can share each. */
export const engines: Engine[] = [
  ...(isolation === undefined ? [sqliteEngine] : []),
  ...(serverUrl ? [postgresEngine] : []),
]

/** For what SQLite cannot find and a newcomer without a server should: migrations, and what statements say. */
export const everyEngine: Engine[] =
  isolation === undefined ? [sqliteEngine, postgresEngine] : [postgresEngine]

/** Why tests that need a server are skipped: for their titles. Empty where there is one. */
export const noServer = serverUrl ? '' : ' (skipped: TEST_POSTGRES_URL is not set)'
/** As `noServer`, for tests whose temporary table takes the place of one of the application. */
export const noShadow =
  noServer ||
  (testSchema !== null ? ' (skipped: statements name TEST_DATABASE_SCHEMA)' : '') ||
  (schemaPrefix !== undefined ? ' (skipped: Citus reads all of a temporary table)' : '')

if (isolation !== undefined && !serverUrl) throw new Error('TEST_ISOLATION needs TEST_POSTGRES_URL')

process.stderr.write(
  isolation !== undefined
    ? `Domain tests run on the PostgreSQL server of TEST_POSTGRES_URL, at ${isolation}.\n`
    : serverUrl
      ? 'Domain tests run on SQLite and on the PostgreSQL server of TEST_POSTGRES_URL.\n'
      : 'Domain tests run on SQLite. Set TEST_POSTGRES_URL to run them on a PostgreSQL server as well.\n',
)
