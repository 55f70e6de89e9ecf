/**
 * Bun's PostgreSQL client with a deadline on every response: an unresponsive server or network closes no connection. The
 * pool of an unresponsive connection is replaced, and closed after its other statements have had the same time to end.
 * Settings are set in each transaction, since PgBouncer refuses start-up parameters.
 */
import { SQL } from 'bun'
import { withDeadline } from '../deadline.ts'
import { DatabaseError } from '../errors.ts'
import { repeatOnConflict } from './conflicts.ts'

export interface PostgresSettings {
  /** Maximum number of connections. */
  poolSize: number
  /**
   * Maximum duration of a statement, including waits for locks. Units of work that conflict are repeated for as long.
   * Milliseconds.
   */
  statementTimeoutMs: number
  /** Maximum duration of connecting. Milliseconds. */
  connectTimeoutMs: number
  /** Named prepared statements. PgBouncer supports them in transaction pooling from 1.21 on, if configured. */
  preparedStatements: boolean
  /** CA certificates in PEM: with them every connection is TLS, and the server's certificate and host name are verified. */
  ca: string | null
}

export const postgresDefaults: Readonly<PostgresSettings> = Object.freeze({
  poolSize: 10,
  statementTimeoutMs: 5_000,
  connectTimeoutMs: 5_000,
  preparedStatements: true,
  ca: null,
})

/** Added to the statement timeout for the network and the server's own timer. */
const MARGIN_MS = 1_000
/** Ends a transaction whose client is gone, so that it releases its locks. */
const IDLE_IN_TRANSACTION_MS = 10_000
const BULK_STATEMENT_TIMEOUT_MS = 600_000

/** With the longer timeout of bulk work. */
export const statementTimeoutOf = (
  { statementTimeoutMs = postgresDefaults.statementTimeoutMs }: Partial<PostgresSettings>,
  bulk: boolean,
): number => (bulk ? BULK_STATEMENT_TIMEOUT_MS : statementTimeoutMs)

/**
 * A plan that is made while a table is small would scan it whole for as long as the statement stays prepared. Without scans,
 * plans use an index from the start. Where there is none, a scan looks so expensive that it would be compiled.
 */
const KEEP_PLANS_GOOD = ['SET LOCAL enable_seqscan = off', 'SET LOCAL jit = off']

interface Statement extends PromiseLike<unknown> {
  values(): Promise<unknown>
}

/** The part of Bun's client that Drizzle's driver calls. */
interface Statements {
  unsafe(text: string, parameters?: unknown[]): Statement
}

interface LastQuery {
  sql: string
  params: unknown[]
}

export interface TransactionStatements extends Statements {
  /**
   * Sends these together with COMMIT. If one fails, nothing is written, and its error is that of the transaction.
   * Parameters are text, integers, booleans and null.
   */
  atCommit(queries: LastQuery[]): void
}

export interface PostgresClient extends Statements {
  /** Number of statements outside of transactions that run. */
  readonly statements: number
  begin<T>(work: (transaction: TransactionStatements) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Bun reads `sslmode` from the URL itself, but then obeys NODE_TLS_REJECT_UNAUTHORIZED=0. */
const VERIFIES = /=verify-(ca|full)\b/i

/** A pool without deadlines, for migrations. */
export const connectPostgres = (url: string, settings: Partial<PostgresSettings> = {}): SQL => {
  const { poolSize, connectTimeoutMs, preparedStatements, ca } = { ...postgresDefaults, ...settings }
  return new SQL(url, {
    max: poolSize,
    idleTimeout: 60,
    connectionTimeout: connectTimeoutMs / 1_000,
    prepare: preparedStatements,
    ...(ca !== null || VERIFIES.test(url) ? { tls: { ca: ca ?? undefined, rejectUnauthorized: true } } : {}),
  })
}

export function createPostgresClient(
  url: string,
  settings: Partial<PostgresSettings> = {},
  bulk = false,
): PostgresClient {
  const timeoutMs = statementTimeoutOf(settings, bulk)
  const deadlineMs = timeoutMs + MARGIN_MS
  const begin = [
    'BEGIN',
    `SET LOCAL statement_timeout = ${timeoutMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
    ...(bulk ? ['SET LOCAL synchronous_commit = off'] : KEEP_PLANS_GOOD),
  ].join('; ')
  const connect = () => connectPostgres(url, settings)
  const replaced = new Set<SQL>()
  let current = connect()
  let statements = 0

  function replace(pool: SQL) {
    if (pool !== current) return
    current = connect()
    replaced.add(pool)
    void pool.close({ timeout: deadlineMs / 1_000 }).finally(() => replaced.delete(pool))
  }

  /** @throws DatabaseError `unreachable` when no response arrives in time; the outcome of the statement is unknown */
  async function inTime<T>(pool: SQL, response: PromiseLike<T>, onTimeout?: () => void): Promise<T> {
    return withDeadline(response, deadlineMs, () => {
      onTimeout?.()
      replace(pool)
      return new DatabaseError('unreachable')
    })
  }

  /** Outside a transaction the client enforces the timeout and asks the server to cancel the statement. */
  async function runAlone(pool: SQL, query: Query): Promise<unknown> {
    statements++
    const timer = setTimeout(() => query.cancel(), timeoutMs)
    try {
      return await inTime(pool, query)
    } catch (error) {
      // Bun abandons a query that shares its connection without cancelling it on the server: the connection may be unresponsive.
      if ((error as { code?: unknown }).code !== 'ERR_POSTGRES_QUERY_CANCELLED') throw error
      replace(pool)
      throw new DatabaseError('unreachable', error)
    } finally {
      clearTimeout(timer)
      statements--
    }
  }

  return {
    get statements() {
      return statements
    },

    unsafe: (text, parameters) =>
      lazy(asRequested =>
        repeatOnConflict(timeoutMs, () => {
          const pool = current
          return runAlone(pool, asRequested(pool.unsafe(text, parameters)))
        }),
      ),

    async begin(work) {
      const pool = current
      const waiting = new AbortController()
      const connection = await inTime(pool, pool.reserve({ signal: waiting.signal }), () => waiting.abort())
      let unresponsive = false
      let ended = false
      let usable = false
      const onConnection = <Value>(response: PromiseLike<Value>) =>
        inTime(pool, response, () => {
          unresponsive = true
        })
      const run = (statement: string) => onConnection(connection.unsafe(statement).simple())
      let last: LastQuery[] = []
      const commit = async () => {
        // `execute` keeps the order. COMMIT is of the protocol of prepared statements: Bun sends what is prepared on the
        // connection without waiting for responses, but a text of the other protocol after all of them.
        const queries = last.map(({ sql, params }) => connection.unsafe(sql, params).execute())
        const sent = queries.map(onConnection)
        const committed = sent.length > 0 ? onConnection(connection`COMMIT`.execute()) : run('COMMIT')
        const responses = await Promise.allSettled([...sent, committed])
        usable = responses.at(-1)?.status === 'fulfilled'
        for (const response of responses) if (response.status === 'rejected') throw response.reason
        return committed
      }
      const runInside = async (query: Query) => {
        // After COMMIT or ROLLBACK it would run outside the transaction.
        if (ended) throw new Error('the unit of work has ended: await each of its queries')
        return onConnection(query)
      }
      try {
        await run(begin)
        const value = await work({
          unsafe: (text, parameters) =>
            lazy(asRequested => runInside(asRequested(connection.unsafe(text, parameters)))),
          atCommit(queries) {
            for (const { params } of queries) for (const param of params) requireScalar(param)
            last = queries
          },
        })
        ended = true
        const { command } = await commit()
        // PostgreSQL's response to the COMMIT of a transaction in which a statement failed.
        if (command === 'ROLLBACK') throw new Error('a failed statement was caught: nothing is written')
        return value
      } catch (error) {
        ended = true
        if (!usable && !unresponsive) {
          usable = await run('ROLLBACK').then(
            () => true,
            () => false,
          )
        }
        throw error
      } finally {
        await (usable ? connection.release() : connection.close({ timeout: 0 }))
      }
    },

    async close() {
      await Promise.all([current, ...replaced].map(pool => pool.close({ timeout: 5 })))
    },
  }
}

type Query = SQL.Query<unknown>

/** COMMIT follows without a response: the client must not be the one who refuses a statement. */
function requireScalar(parameter: unknown): void {
  if (parameter === null || typeof parameter === 'string' || typeof parameter === 'boolean') return
  if (Number.isSafeInteger(parameter)) return
  throw new TypeError(
    'a statement that is sent together with COMMIT has text, integers, booleans and null only',
  )
}

/** Drizzle asks for arrays only after it has the query. Bun runs a query only when it is awaited. */
function lazy(run: (asRequested: (query: Query) => Query) => Promise<unknown>): Statement {
  return {
    // biome-ignore lint/suspicious/noThenProperty: Drizzle awaits the query itself.
    then: (resolve, reject) => run(query => query).then(resolve, reject),
    values: () => run(query => query.values()),
  }
}
