/**
 * Bun's PostgreSQL client with a deadline on every wait for the server: a server or network that goes silent closes
 * nothing. The pool of a silent connection is replaced, and closed once its other work has had the same time to end.
 * No setting is a start-up parameter, since PgBouncer refuses those: each transaction sets its own.
 */
import { SQL } from 'bun'
import { withDeadline } from '../deadline.ts'
import { DatabaseError } from '../errors.ts'

export interface PostgresSettings {
  /** Connections. */
  poolSize: number
  /** How long a statement may take, waiting for locks included. Milliseconds. */
  statementTimeoutMs: number
  /** How long a connection may take to be made. Milliseconds. */
  connectTimeoutMs: number
  /** Named prepared statements: PgBouncer keeps them in transaction pooling from 1.21 on, if configured. */
  preparedStatements: boolean
}

export const postgresDefaults: Readonly<PostgresSettings> = Object.freeze({
  poolSize: 10,
  statementTimeoutMs: 5_000,
  connectTimeoutMs: 5_000,
  preparedStatements: true,
})

/** The network and the server's own timer may take this much longer than the statement timeout. */
const MARGIN_MS = 1_000
/** A transaction whose client has vanished may not hold its locks for ever. */
const IDLE_IN_TRANSACTION_MS = 10_000
const BULK_STATEMENT_TIMEOUT_MS = 600_000

interface Statement extends PromiseLike<unknown> {
  values(): Promise<unknown>
}

/** What Drizzle's driver calls of Bun's client. */
interface Statements {
  unsafe(text: string, parameters?: unknown[]): Statement
}

export interface PostgresClient extends Statements {
  begin<T>(work: (transaction: Statements) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** A pool without deadlines, for migrations. */
export const connectPostgres = (url: string, settings: Partial<PostgresSettings> = {}): SQL => {
  const { poolSize, connectTimeoutMs, preparedStatements } = { ...postgresDefaults, ...settings }
  return new SQL(url, {
    max: poolSize,
    idleTimeout: 60,
    connectionTimeout: connectTimeoutMs / 1_000,
    prepare: preparedStatements,
  })
}

export function createPostgresClient(
  url: string,
  settings: Partial<PostgresSettings> = {},
  bulk = false,
): PostgresClient {
  const { statementTimeoutMs = postgresDefaults.statementTimeoutMs } = settings
  const timeoutMs = bulk ? BULK_STATEMENT_TIMEOUT_MS : statementTimeoutMs
  const deadlineMs = timeoutMs + MARGIN_MS
  const begin = [
    'BEGIN',
    `SET LOCAL statement_timeout = ${timeoutMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
    ...(bulk ? ['SET LOCAL synchronous_commit = off'] : []),
  ].join('; ')
  const connect = () => connectPostgres(url, settings)
  const replaced = new Set<SQL>()
  let current = connect()

  function replace(pool: SQL) {
    if (pool !== current) return
    current = connect()
    replaced.add(pool)
    void pool.close({ timeout: deadlineMs / 1_000 }).finally(() => replaced.delete(pool))
  }

  /** @throws DatabaseError `unreachable` when no answer comes in time, whatever becomes of the statement */
  async function answered<T>(pool: SQL, answer: PromiseLike<T>, giveUp?: () => void): Promise<T> {
    return withDeadline(answer, deadlineMs, () => {
      giveUp?.()
      replace(pool)
      return new DatabaseError('unreachable')
    })
  }

  /** Outside a transaction the client times the statement, and asks the server to stop it. */
  async function runAlone(pool: SQL, query: SQL.Query<unknown>): Promise<unknown> {
    const timer = setTimeout(() => query.cancel(), timeoutMs)
    try {
      return await answered(pool, query)
    } catch (error) {
      // Bun gives up a query that shares its connection without asking the server: the connection may be silent.
      if ((error as { code?: unknown }).code !== 'ERR_POSTGRES_QUERY_CANCELLED') throw error
      replace(pool)
      throw new DatabaseError('unreachable', error)
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    unsafe: (text, parameters) => {
      const pool = current
      return lazy(pool.unsafe(text, parameters), query => runAlone(pool, query))
    },

    async begin(work) {
      const pool = current
      const waiting = new AbortController()
      const connection = await answered(pool, pool.reserve({ signal: waiting.signal }), () => waiting.abort())
      let silent = false
      let ended = false
      let usable = false
      const heard = <Answer>(answer: PromiseLike<Answer>) =>
        answered(pool, answer, () => {
          silent = true
        })
      const run = (statement: string) => heard(connection.unsafe(statement).simple())
      const runInside = async (query: SQL.Query<unknown>) => {
        // After COMMIT or ROLLBACK it would be a transaction of its own.
        if (ended) throw new Error('the unit of work is over: await every query inside it')
        return heard(query)
      }
      try {
        await run(begin)
        const value = await work({
          unsafe: (text, parameters) => lazy(connection.unsafe(text, parameters), runInside),
        })
        ended = true
        const { command } = await run('COMMIT')
        usable = true
        // PostgreSQL answers so to the COMMIT of a transaction in which a statement has failed.
        if (command === 'ROLLBACK') throw new Error('a failed statement was caught: nothing is written')
        return value
      } catch (error) {
        ended = true
        if (!usable && !silent) {
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

/** Drizzle says only after it has the query whether it wants arrays, and Bun runs none before it is awaited. */
function lazy(query: SQL.Query<unknown>, run: (query: SQL.Query<unknown>) => Promise<unknown>): Statement {
  return {
    // biome-ignore lint/suspicious/noThenProperty: Drizzle awaits the query itself.
    then: (resolve, reject) => run(query).then(resolve, reject),
    values: () => run(query.values()),
  }
}
