/** PostgreSQL: a pool, any isolation from READ COMMITTED on, and a bounded retry of serialization failures and deadlocks. */
import type { SQL } from 'bun'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sql'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { builtStatements, keptStatements } from '../built-statements.ts'
import { clientOf, onClient } from '../drizzle-internals.ts'
import { createEndOfWork } from '../end-of-work.ts'
import { translateDatabaseError } from '../errors.ts'
import { requireExpectedSchema } from '../expected-schema.ts'
import { noSpine } from '../no-spine.ts'
import { postgresIn } from '../schema/columns.ts'
import { tableBeside } from '../schema/shape.ts'
import { tablesOf } from '../schema/tables.ts'
import { createSemaphore } from '../semaphore.ts'
import type { Database, DatabaseOptions, Reader, Sources, Transaction } from '../types.ts'
import { createWorkScope, outsideWork } from '../work-scope.ts'
import { createWriteHealth } from '../write-health.ts'
import { createWriteMeter } from '../write-meter.ts'
import {
  createPostgresClient,
  type PostgresClient,
  statementTimeoutOf,
  type TransactionStatements,
} from './client.ts'
import { repeatOnConflict } from './conflicts.ts'
import { postgresDefaults } from './connect.ts'
import { shareCheck } from './shared-check.ts'
import { explainUnreachable } from './unreachable.ts'

/** Connections reserved for reads, so that reads stay fast while writes wait for locks. */
const READERS = 2
/** A commit proves for this long that the server works: under load, a check would wait behind other work. Milliseconds. */
const PROOF_MS = 50

type Drizzle = PgDatabase<PgQueryResultHKT>

export function openPostgres(url: string, sources: Sources, options: DatabaseOptions = {}): Database {
  const client = createPostgresClient(url, options.postgres, options.bulk)
  // Guarantee of the cast: Drizzle's driver calls only `unsafe` and `begin`.
  const queries = drizzle({ client: client as unknown as SQL, casing: 'snake_case' })
  const database = databaseOn(queries, sources, client, options)
  const ping = () =>
    database.ping().catch(async error => {
      throw await explainUnreachable(error, url)
    })
  return { ...database, ping }
}

/** Works with any of Drizzle's PostgreSQL drivers: tests also run it on PGlite. */
export function databaseOn(
  queries: Drizzle,
  sources: Sources,
  client: Pick<PostgresClient, 'statements' | 'close'>,
  { spine = noSpine, postgres: settings = {}, bulk = false, observer }: DatabaseOptions = {},
): Database {
  const { poolSize, schema } = { ...postgresDefaults, ...settings }
  const tables = tablesOf(postgresIn(schema))
  const conflictMs = statementTimeoutOf(settings, bulk)
  const writers = createSemaphore(poolSize - READERS)
  const repetitions = createSemaphore(1)
  const meter = createWriteMeter(1, { onEnd: observer?.writeEnded })
  const scope = createWorkScope()
  const read = outsideWork(
    extend<Reader>(queries, {
      tables,
      spine,
      statements: keptStatements(tables, queries, bindTo(queries)),
      ...sources,
    }),
    scope,
  )
  const listeners: ((tag: string) => void)[] = []
  const notify = (tag: string) => {
    for (const listener of listeners) listener(tag)
  }
  let closing: Promise<void> | undefined
  /** Time of the last commit, as `performance.now()`. */
  let committedAt = Number.NEGATIVE_INFINITY
  // Without `corrupt`: the server itself decides what it can still serve.
  const writeHealth = createWriteHealth(['full', 'read_only', 'unreachable'], () =>
    repeatOnConflict(conflictMs, () =>
      queries.transaction(async tx => {
        // A new file: free space within the pages of an existing table does not prove free disk space.
        await tx.execute(sql`SET LOCAL temp_tablespaces = ''`)
        await tx.execute(
          sql`CREATE TEMP TABLE "__write_probe" ON COMMIT DROP AS SELECT generate_series(1, 30000) AS value`,
        )
      }),
    ),
  )

  const checkSchema = shareCheck(async () => {
    const [row] = await read
      .select({ applied: sql`count(*)` })
      .from(tableBeside({ tables }, '__drizzle_migrations'))
    requireExpectedSchema('postgres', Number(row?.applied))
  })

  async function attempt<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const effects: (() => void)[] = []
    const at = sources.now()
    const { deferred, writeDeferred } = createEndOfWork()
    const value = await queries.transaction(transaction => {
      const tx = extend<Transaction>(transaction, {
        tables,
        spine,
        statements: builtStatements(tables, transaction, bindTo(transaction)),
        ...sources,
        now: () => at,
        clock: sources.now,
        afterCommit: (effect: () => void) => effects.push(effect),
        invalidate: (tag: string) => effects.push(() => notify(tag)),
        deferred,
      })
      return scope.run(async () => {
        const value = await work(tx)
        const last = await writeDeferred(tx)
        const client = clientOf<Partial<TransactionStatements>>(transaction)
        if (client.atCommit) client.atCommit(last.map(statement => statement.query()))
        else for (const statement of last) await statement.run()
        return value
      })
    })
    committedAt = performance.now()
    for (const effect of effects) effect()
    return value
  }

  async function persist<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await repeatOnConflict(conflictMs, () => attempt(work), repetitions)
    } catch (error) {
      const translated = translateDatabaseError(error)
      writeHealth.record(translated)
      throw translated
    }
  }

  return {
    engine: 'postgres',
    tables,
    read,
    async write(work) {
      scope.requireOutside('write()')
      return meter.measure(async () => {
        await writers.acquire()
        try {
          return await persist(work)
        } finally {
          writers.release()
        }
      })
    },
    async snapshot(work) {
      await writers.acquire()
      try {
        return await repeatOnConflict(conflictMs, () =>
          queries.transaction(
            transaction => {
              const statements = builtStatements(tables, transaction, bindTo(transaction))
              return work(extend<Reader>(transaction, { tables, spine, statements, ...sources }))
            },
            { isolationLevel: 'repeatable read', accessMode: 'read only' },
          ),
        )
      } finally {
        writers.release()
      }
    },
    writeLoad: meter.load,
    poolLoad: () => ({
      size: poolSize,
      transactions: writers.held,
      waiting: writers.waiting,
      statements: client.statements,
    }),
    onInvalidate(listener) {
      listeners.push(listener)
    },
    externalCommits: () => null,
    async clockSkewMs() {
      const before = sources.now().getTime()
      const [row] = await queries
        .select({ ms: sql<number>`extract(epoch from clock_timestamp()) * 1000`.mapWith(Number) })
        .from(sql`(select 1) as one`)
      // The server read its clock between the two local times.
      return row ? (before + sources.now().getTime()) / 2 - row.ms : 0
    },
    async ping() {
      try {
        if (performance.now() - committedAt > PROOF_MS) await checkSchema()
        await writeHealth.check()
      } catch (error) {
        throw translateDatabaseError(error)
      }
    },
    truncateLog: async () => null,
    // The server checks its own files (data checksums, amcheck), and foreign keys are always enforced.
    findDamage: async () => [],
    close: () => (closing ??= writers.close().then(client.close)),
  }
}

/** Adds members to Drizzle's object, whose methods stay on the prototype. Guarantee of the cast: the callers name the sum of both. */
function extend<T>(queries: object, members: object): T {
  return Object.assign(Object.create(queries), members) as T
}

/** Drizzle binds a prepared query to its connection: each use gets a copy that is bound to the current one. */
function bindTo(queries: object) {
  const client = clientOf(queries)
  return (statement: object) => onClient(statement, client)
}
