/** The databases that every domain test runs on: SQLite always, and PostgreSQL as a server or as PGlite. */
import { hash } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { SQL } from 'bun'
import { drizzle as drizzleOnPglite } from 'drizzle-orm/pglite'
import { expectedMigrations } from '../../db/expected-schema.ts'
import type { Database, DatabaseObserver, Sources } from '../../db/index.ts'
import { applyMigrations, migrate } from '../../db/migrate.ts'
import { databaseOn } from '../../db/postgres/database.ts'
import '../../src/event-readers.ts'
import { openPatiently } from './patience.ts'
import { waitUntil } from './wait-until.ts'

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
  const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'template.db')
  await migrate(`sqlite:${path}`)
  return path
})

export const sqliteEngine: Engine = {
  name: 'SQLite',
  async open(sources, observer) {
    const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
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
const TOO_MANY_CONNECTIONS = '53300'
/** Such as `serializable`, for all connections to the databases of tests: see `serialization-failures.ts`. */
const isolation = process.env.TEST_ISOLATION
let databases = 0

/** Runs one statement beside the test's own connections, as soon as the server has one free for it. */
async function administrate(url: string, statement: string) {
  await waitUntil(`a connection for ${statement}`, async () => {
    const client = new SQL(url, { max: 1 })
    try {
      await client.unsafe(statement)
      return true
    } catch (error) {
      if ((error as { errno?: unknown }).errno !== TOO_MANY_CONNECTIONS) throw error
      return false
    } finally {
      await client.close()
    }
  })
}

function databaseUrl(server: string, name: string): string {
  const address = new URL(server)
  address.pathname = `/${name}`
  return address.href
}

const TEMPLATE = 'matchday_template_'

/** For branches whose tests run side by side on one server. */
const MAX_TEMPLATES = 6

/** Stays on the server for the next run, under a name that tells its migrations; the oldest of that kind go. */
const serverTemplate = once(async () => {
  const server = serverUrl ?? ''
  // The times too: a migration that was generated again has the same hash and another time.
  const migrations = expectedMigrations('postgres').map(migration => [migration.hash, migration.folderMillis])
  const name = TEMPLATE + hash('sha256', JSON.stringify(migrations), 'hex').slice(0, 16)
  const client = new SQL(server, { max: 1 })
  try {
    const found: { datname: string }[] = await client.unsafe(
      `SELECT datname FROM pg_database WHERE datname LIKE '${TEMPLATE}%' ORDER BY oid DESC`,
    )
    if (found.some(({ datname }) => datname === name)) return name
    // Made under a name of its own: another run never copies one that is half migrated.
    const draft = `matchday_test_${process.pid}_template`
    await client.unsafe(`CREATE DATABASE ${draft}`)
    await migrate(databaseUrl(server, draft))
    const renamed = await client.unsafe(`ALTER DATABASE ${draft} RENAME TO ${name}`).then(
      () => true,
      () => false,
    )
    if (!renamed) await client.unsafe(`DROP DATABASE ${draft} WITH (FORCE)`)
    for (const { datname } of found.slice(MAX_TEMPLATES - 1))
      await client.unsafe(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`)
    return name
  } finally {
    await client.close()
  }
})

const serverEngine = (server: string): Engine => ({
  name: 'PostgreSQL',
  async open(sources, observer) {
    const name = `matchday_test_${process.pid}_${++databases}`
    await administrate(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await administrate(server, `CREATE DATABASE ${name} TEMPLATE ${await serverTemplate()}`)
    if (isolation !== undefined)
      await administrate(server, `ALTER DATABASE ${name} SET default_transaction_isolation = '${isolation}'`)
    const url = databaseUrl(server, name)
    const db = openPatiently(url, sources, { observer })
    return {
      db,
      url,
      async remove() {
        await db.close()
        await administrate(server, `DROP DATABASE ${name} WITH (FORCE)`)
      },
    }
  },
})

const pgliteTemplate = once(async () => {
  const client = await PGlite.create()
  await client.transaction(async transaction => {
    await applyMigrations(
      'postgres',
      async (statement, parameters) =>
        (await transaction.query<Record<string, unknown>>(statement, parameters)).rows,
    )
  })
  const dump = await client.dumpDataDir('none')
  await client.close()
  return dump
})

const pgliteEngine: Engine = {
  name: 'PGlite',
  async open(sources, observer) {
    const client = await PGlite.create({ loadDataDir: await pgliteTemplate() })
    const pool = { statements: 0, close: () => client.close() }
    const db = databaseOn(drizzleOnPglite({ client, casing: 'snake_case' }), sources, pool, { observer })
    return { db, url: null, remove: () => db.close() }
  },
}

export const postgresEngine: Engine = serverUrl ? serverEngine(serverUrl) : pgliteEngine
export const engines: Engine[] = isolation === undefined ? [sqliteEngine, postgresEngine] : [postgresEngine]

/** Engines that several processes can share. */
export const sharedEngines: Engine[] = serverUrl ? engines : [sqliteEngine]

if (isolation !== undefined && !serverUrl) throw new Error('TEST_ISOLATION needs TEST_POSTGRES_URL')

process.stderr.write(
  isolation !== undefined
    ? `Domain tests run on the PostgreSQL server of TEST_POSTGRES_URL, at ${isolation}.\n`
    : serverUrl
      ? 'Domain tests run on SQLite and on the PostgreSQL server of TEST_POSTGRES_URL.\n'
      : 'Domain tests run on SQLite and on PGlite. Set TEST_POSTGRES_URL for a real server and its races.\n',
)
