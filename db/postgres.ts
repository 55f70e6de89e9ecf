/** PostgreSQL: a pool, READ COMMITTED, and a bounded retry where the server asks for one. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { SQL } from 'bun'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sql'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { postgres } from './columns.ts'
import { DatabaseError, isRetryable, translateDatabaseError } from './errors.ts'
import type { Database, DatabaseOptions, Reader, Sources, Transaction } from './index.ts'
import { requireCurrent } from './known-migrations.ts'
import { defineTables } from './tables.ts'
import { createTurnstile } from './turnstile.ts'

const POOL_SIZE = 10
/** Connections that writes leave to reads: whatever writes wait for, reads stay quick. */
const READERS = 2
const ATTEMPTS = 5
const tables = defineTables(postgres)

type Drizzle = PgDatabase<PgQueryResultHKT>

export function connectPostgres(url: string, max = POOL_SIZE, { bulk }: DatabaseOptions = {}): SQL {
  return new SQL(url, {
    max,
    idleTimeout: 60,
    connectionTimeout: 5,
    // Milliseconds. A statement or an abandoned transaction may not hold its locks for ever.
    connection: {
      statement_timeout: bulk ? 600_000 : 10_000,
      idle_in_transaction_session_timeout: 10_000,
      ...(bulk ? { synchronous_commit: 'off' } : {}),
    },
  })
}

export function openPostgres(url: string, sources: Sources, options: DatabaseOptions = {}): Database {
  const client = connectPostgres(url, POOL_SIZE, options)
  const queries = drizzle({ client, casing: 'snake_case' })
  return databaseOn(queries, sources, () => client.close({ timeout: 5 }), options)
}

/** The engine over any of Drizzle's PostgreSQL drivers: the tests run it on PGlite as well. */
export function databaseOn(
  queries: Drizzle,
  sources: Sources,
  closeClient: () => Promise<void>,
  { maxQueuedWrites }: DatabaseOptions = {},
): Database {
  const writers = createTurnstile(POOL_SIZE - READERS, maxQueuedWrites)
  const read = extend<Reader>(queries, { tables, ...sources })
  const insideWork = new AsyncLocalStorage<true>()
  const listeners: ((topic: string) => void)[] = []
  const touched = (topic: string) => {
    for (const listener of listeners) listener(topic)
  }
  let closing: Promise<void> | undefined

  async function attempt<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const effects: (() => void)[] = []
    const at = sources.now()
    const value = await queries.transaction(transaction => {
      const tx = extend<Transaction>(transaction, {
        tables,
        ...sources,
        now: () => at,
        clock: sources.now,
        afterCommit: (effect: () => void) => effects.push(effect),
        touch: (topic: string) => effects.push(() => touched(topic)),
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
        if (!isRetryable(error)) throw translateDatabaseError(error)
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
      await writers.enter()
      try {
        return await persist(work)
      } finally {
        writers.leave()
      }
    },
    onTouch(listener) {
      listeners.push(listener)
    },
    async ping() {
      try {
        const [row] = await read.select({ applied: sql`count(*)` }).from(sql`"__drizzle_migrations"`)
        requireCurrent('postgres', Number(row?.applied))
      } catch (error) {
        throw translateDatabaseError(error)
      }
    },
    // A server watches its own files (data checksums, amcheck), and nothing switches its foreign keys off by the way.
    findDamage: async () => [],
    close: () => (closing ??= writers.close().then(closeClient)),
  }
}

/** Drizzle's object with our members on top; its methods stay on the prototype. */
function extend<T>(queries: object, members: object): T {
  return Object.assign(Object.create(queries), members) as T
}
