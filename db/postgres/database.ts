/** PostgreSQL: a pool, READ COMMITTED, and a bounded retry where the server asks for one. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { SQL } from 'bun'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sql'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { DatabaseError, isRetryable, translateDatabaseError } from '../errors.ts'
import { requireExpectedSchema } from '../expected-schema.ts'
import { postgres } from '../schema/columns.ts'
import { defineTables } from '../schema/tables.ts'
import { createSemaphore } from '../semaphore.ts'
import type { Database, DatabaseOptions, Reader, Sources, Transaction } from '../types.ts'
import { createWriteHealth } from '../write-health.ts'
import { createWriteMeter } from '../write-meter.ts'
import { createPostgresClient, postgresDefaults } from './client.ts'
import { shareCheck } from './shared-check.ts'

/** Connections that writes leave to reads: whatever writes wait for, reads stay quick. */
const READERS = 2
const ATTEMPTS = 5
const tables = defineTables(postgres)

type Drizzle = PgDatabase<PgQueryResultHKT>

export function openPostgres(url: string, sources: Sources, options: DatabaseOptions = {}): Database {
  const client = createPostgresClient(url, options.postgres, options.bulk)
  // Guarantee of the cast: Drizzle's driver calls nothing but `unsafe` and `begin`.
  const queries = drizzle({ client: client as unknown as SQL, casing: 'snake_case' })
  return databaseOn(queries, sources, client.close, options)
}

/** The engine over any of Drizzle's PostgreSQL drivers: the tests run it on PGlite as well. */
export function databaseOn(
  queries: Drizzle,
  sources: Sources,
  closeClient: () => Promise<void>,
  { postgres: { poolSize = postgresDefaults.poolSize } = {} }: DatabaseOptions = {},
): Database {
  const writers = createSemaphore(poolSize - READERS)
  const meter = createWriteMeter(1)
  const read = extend<Reader>(queries, { tables, statements: new Map(), ...sources })
  const written = new Map<string, object>()
  const insideWork = new AsyncLocalStorage<true>()
  const listeners: ((tag: string) => void)[] = []
  const notify = (tag: string) => {
    for (const listener of listeners) listener(tag)
  }
  let closing: Promise<void> | undefined
  // Damage is the server's own to judge: it serves others from what is whole.
  const writeHealth = createWriteHealth(['full', 'read_only', 'unreachable'], () =>
    queries.transaction(async tx => {
      // A file of its own: free space inside the pages of a table proves no free space on the disk.
      await tx.execute(sql`SET LOCAL temp_tablespaces = ''`)
      await tx.execute(
        sql`CREATE TEMP TABLE "__room" ON COMMIT DROP AS SELECT generate_series(1, 30000) AS room`,
      )
    }),
  )

  const checkSchema = shareCheck(async () => {
    const [row] = await read.select({ applied: sql`count(*)` }).from(sql`"__drizzle_migrations"`)
    requireExpectedSchema('postgres', Number(row?.applied))
  })

  async function attempt<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const effects: (() => void)[] = []
    const at = sources.now()
    const value = await queries.transaction(transaction => {
      const tx = extend<Transaction>(transaction, {
        tables,
        statements: shareStatements(written, transaction),
        ...sources,
        now: () => at,
        clock: sources.now,
        afterCommit: (effect: () => void) => effects.push(effect),
        invalidate: (tag: string) => effects.push(() => notify(tag)),
      })
      return insideWork.run(true, () => work(tx))
    })
    for (const effect of effects) effect()
    return value
  }

  async function persist<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(work)
      } catch (error) {
        if (!isRetryable(error)) {
          const translated = translateDatabaseError(error)
          writeHealth.record(translated)
          throw translated
        }
        if (tries === ATTEMPTS) throw new DatabaseError('busy', error)
        await Bun.sleep(2 ** tries * (1 + Math.random()))
      }
    }
  }

  return {
    engine: 'postgres',
    tables,
    read,
    async write(work) {
      if (insideWork.getStore()) throw new Error('write() inside write(): pass the transaction on instead')
      return meter.measure(async () => {
        await writers.acquire()
        try {
          return await persist(work)
        } finally {
          writers.release()
        }
      })
    },
    writeLoad: meter.load,
    onInvalidate(listener) {
      listeners.push(listener)
    },
    foreignCommits: () => null,
    async ping() {
      try {
        await checkSchema()
        await writeHealth.check()
      } catch (error) {
        throw translateDatabaseError(error)
      }
    },
    truncateLog: async () => null,
    // A server watches its own files (data checksums, amcheck), and nothing switches its foreign keys off by the way.
    findDamage: async () => [],
    close: () => (closing ??= writers.close().then(closeClient)),
  }
}

/** Drizzle's object with our members on top; its methods stay on the prototype. */
function extend<T>(queries: object, members: object): T {
  return Object.assign(Object.create(queries), members) as T
}

/**
 * What `prepared` builds within a transaction, for all that follow: to build the SQL costs more than to run it. Drizzle binds a
 * prepared query to the connection of its transaction, which each gets anew, so that another takes its place here.
 */
function shareStatements(built: Map<string, object>, transaction: object): Transaction['statements'] {
  // Guarantee of the cast: Drizzle's drivers keep the connection of a session, and of a prepared query, under this name.
  const { client } = (transaction as { session: { client: object } }).session
  return {
    get(name) {
      const statement = built.get(name)
      return statement && Object.create(statement, { client: { value: client } })
    },
    set(name, statement) {
      // Guarantee of the cast: `prepared` sets what it built.
      built.set(name, statement as object)
      return this as Map<string, unknown>
    },
  }
}
