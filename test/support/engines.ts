/** The databases that every domain test runs on: SQLite always, and PostgreSQL as a server or as PGlite. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { SQL } from 'bun'
import { drizzle as drizzleOnPglite } from 'drizzle-orm/pglite'
import { type Database, openDatabase, type Sources } from '../../db/index.ts'
import { applyMigrations, migrate } from '../../db/migrate.ts'
import { databaseOn } from '../../db/postgres.ts'

/** A database of its own, migrated and empty. */
export interface TemporaryDatabase {
  db: Database
  /** For other processes; null where none can connect (PGlite). */
  url: string | null
  remove(): Promise<void>
}

export interface Engine {
  name: string
  open(sources: Sources): Promise<TemporaryDatabase>
}

export const sqliteEngine: Engine = {
  name: 'SQLite',
  async open(sources) {
    const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
    const url = `sqlite:${join(folder, 'test.db')}`
    await migrate(url)
    // As in the one process that serves.
    const db = openDatabase(url, sources, { offloadDisk: true })
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
let databases = 0

/** Runs one statement beside the test's own connections. */
async function administrate(url: string, statement: string) {
  const client = new SQL(url, { max: 1 })
  try {
    await client.unsafe(statement)
  } finally {
    await client.close()
  }
}

const serverEngine = (server: string): Engine => ({
  name: 'PostgreSQL',
  async open(sources) {
    const name = `matchday_test_${process.pid}_${++databases}`
    await administrate(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await administrate(server, `CREATE DATABASE ${name}`)
    const address = new URL(server)
    address.pathname = `/${name}`
    const url = address.href
    await migrate(url)
    const db = openDatabase(url, sources)
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

const pgliteEngine: Engine = {
  name: 'PGlite',
  async open(sources) {
    const client = await PGlite.create()
    await client.transaction(async transaction => {
      await applyMigrations(
        'postgres',
        async (statement, parameters) =>
          (await transaction.query<Record<string, unknown>>(statement, parameters)).rows,
      )
    })
    const db = databaseOn(drizzleOnPglite({ client, casing: 'snake_case' }), sources, () => client.close())
    return { db, url: null, remove: () => db.close() }
  },
}

export const postgresEngine: Engine = serverUrl ? serverEngine(serverUrl) : pgliteEngine
export const engines: Engine[] = [sqliteEngine, postgresEngine]

/** Engines that several processes can share. */
export const sharedEngines: Engine[] = serverUrl ? engines : [sqliteEngine]

process.stderr.write(
  serverUrl
    ? 'Domain tests run on SQLite and on the PostgreSQL server of TEST_POSTGRES_URL.\n'
    : 'Domain tests run on SQLite and on PGlite. Set TEST_POSTGRES_URL for a real server and its races.\n',
)
