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
import { createWriteFault } from './write-fault.ts'

const POOL_SIZE = 10
/** Connections that writes leave to reads: whatever writes wait for, reads stay quick. */
const READERS = 2
const ATTEMPTS = 5
/** After which a server that says nothing at all is as good as none: a network that swallows packets closes nothing. */
const PING_PATIENCE_MS = 5_000
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

export interface PostgresOptions extends DatabaseOptions {
  /** How long `ping` waits for an answer. Milliseconds; default 5000. */
  pingPatienceMs?: number
}

export function openPostgres(url: string, sources: Sources, options: PostgresOptions = {}): Database {
  const client = connectPostgres(url, POOL_SIZE, options)
  const queries = drizzle({ client, casing: 'snake_case' })
  return databaseOn(queries, sources, () => client.close({ timeout: 5 }), options)
}

/** The engine over any of Drizzle's PostgreSQL drivers: the tests run it on PGlite as well. */
export function databaseOn(
  queries: Drizzle,
  sources: Sources,
  closeClient: () => Promise<void>,
  { maxQueuedWrites, pingPatienceMs = PING_PATIENCE_MS }: PostgresOptions = {},
): Database {
  const writers = createTurnstile(POOL_SIZE - READERS, maxQueuedWrites)
  const read = extend<Reader>(queries, { tables, statements: new Map(), ...sources })
  const insideWork = new AsyncLocalStorage<true>()
  const listeners: ((topic: string) => void)[] = []
  const touched = (topic: string) => {
    for (const listener of listeners) listener(topic)
  }
  let closing: Promise<void> | undefined
  // Damage is the server's own to judge: it serves others from what is whole.
  const writeFault = createWriteFault(['full', 'read_only'], async () => {
    await queries.execute(sql`UPDATE "__drizzle_migrations" SET hash = hash`)
  })

  async function attempt<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const effects: (() => void)[] = []
    const at = sources.now()
    const value = await queries.transaction(transaction => {
      const tx = extend<Transaction>(transaction, {
        tables,
        statements: new Map(),
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
        if (!isRetryable(error)) {
          const translated = translateDatabaseError(error)
          writeFault.note(translated)
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
    foreignCommits: () => null,
    async ping() {
      try {
        await within(pingPatienceMs, async () => {
          const [row] = await read.select({ applied: sql`count(*)` }).from(sql`"__drizzle_migrations"`)
          requireCurrent('postgres', Number(row?.applied))
          await writeFault.check()
        })
      } catch (error) {
        throw translateDatabaseError(error)
      }
    },
    // A server watches its own files (data checksums, amcheck), and nothing switches its foreign keys off by the way.
    findDamage: async () => [],
    close: () => (closing ??= writers.close().then(closeClient)),
  }
}

/** @throws DatabaseError `unreachable` when it takes longer, whatever becomes of it then */
async function within(ms: number, work: () => Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new DatabaseError('unreachable')), ms)
  try {
    await Promise.race([work(), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Drizzle's object with our members on top; its methods stay on the prototype. */
function extend<T>(queries: object, members: object): T {
  return Object.assign(Object.create(queries), members) as T
}
