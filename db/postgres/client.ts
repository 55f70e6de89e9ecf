/**
 * Bun's PostgreSQL client with a deadline on every response: an unresponsive server or network closes no connection. The
 * pool of an unresponsive connection is replaced, and closed after its other statements have had the same time to end.
 * Settings are set in each transaction, since PgBouncer refuses start-up parameters.
 */
import type { ReservedSQL, SQL } from 'bun'
import { withDeadline } from '../deadline.ts'
import { DatabaseError, isAborted, translateDatabaseError } from '../errors.ts'
import { repeatOnConflict } from './conflicts.ts'
import { connectPostgres, type PostgresOptions, postgresDefaults } from './connect.ts'
import { followSchema } from './schema-node.ts'

/** Added to the statement timeout for the network and the server's own timer. */
const MARGIN_MS = 1_000
/** Ends a transaction whose client is gone, so that it releases its locks: after this many times the statement timeout. */
const IDLE_TIMEOUTS = 2
const BULK_STATEMENT_TIMEOUT_MS = 600_000

/** With the longer timeout of bulk work. */
export const statementTimeoutOf = (
  { statementTimeoutMs = postgresDefaults.statementTimeoutMs }: PostgresOptions,
  bulk: boolean,
): number => (bulk ? BULK_STATEMENT_TIMEOUT_MS : statementTimeoutMs)

/**
 * A plan for a small table would scan the whole table for as long as the statement stays prepared. Without scans, plans use
 * an index from the start. JIT is off because a scan without an index would look so expensive that PostgreSQL compiles it.
 */
const KEEP_PLANS_GOOD = { enable_seqscan: 'off', jit: 'off' }

/** A statement that certainly writes nothing. `with` may write. */
const READS = /^select\b/i

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

const unresponsive = (cause?: unknown) => new DatabaseError('unreachable', cause, 'no response in time')

export function createPostgresClient(
  url: string,
  settings: PostgresOptions = {},
  bulk = false,
): PostgresClient {
  const timeoutMs = statementTimeoutOf(settings, bulk)
  const deadlineMs = timeoutMs + MARGIN_MS
  const local = {
    statement_timeout: String(timeoutMs),
    idle_in_transaction_session_timeout: String(IDLE_TIMEOUTS * statementTimeoutOf(settings, false)),
    ...(bulk ? { synchronous_commit: 'off' } : KEEP_PLANS_GOOD),
  }
  const begin = [
    'BEGIN',
    ...Object.entries(local).map(([name, value]) => `SET LOCAL ${name} = ${value}`),
  ].join('; ')
  const setLocal = `SELECT ${Object.keys(local).map((_, n) => `set_config($${2 * n + 1}, $${2 * n + 2}, true)`)}`
  const settingsOfWork = Object.entries(local).flat()
  const { preparedStatements = postgresDefaults.preparedStatements } = settings
  let address = url
  const connect = () => connectPostgres(address, settings)
  const replaced = new Set<SQL>()
  let current = connect()
  let statements = 0
  /** The error with which the server answers; undefined when it answers. */
  let asking: Promise<unknown> | undefined

  function replace(pool: SQL) {
    if (pool !== current) return
    current = connect()
    replaced.add(pool)
    void pool.close({ timeout: deadlineMs / 1_000 }).finally(() => replaced.delete(pool))
  }

  const schema = followSchema(url, {
    settings,
    ask: text => current.unsafe(text).simple(),
    use(node) {
      address = node
      replace(current)
    },
  })

  /** @throws DatabaseError `unreachable` when no response arrives in time; the outcome of the statement is unknown */
  async function inTime<T>(pool: SQL, response: PromiseLike<T>): Promise<T> {
    return withDeadline(response, deadlineMs, () => {
      replace(pool)
      return unresponsive()
    })
  }

  /** Why a query got no response in time: if the server answers another query, this one waits for a lock. */
  async function explainSilence(cause: unknown): Promise<unknown> {
    const pool = current
    asking ??= withDeadline(pool.unsafe('SELECT 1'), MARGIN_MS, unresponsive)
      .then(
        () => undefined,
        error => translateDatabaseError(error),
      )
      .finally(() => {
        asking = undefined
      })
    return (await asking) ?? new DatabaseError('busy', cause)
  }

  /** Outside a transaction the client enforces the timeout and asks the server to cancel the statement. */
  async function runAlone(pool: SQL, query: Query): Promise<unknown> {
    statements++
    const timer = setTimeout(() => query.cancel(), timeoutMs)
    try {
      return await inTime(pool, query)
    } catch (error) {
      // Bun abandons a query that shares its connection without cancelling it on the server: the connection may be unresponsive.
      // Guarantee of the cast: the client rejects with errors.
      if ((error as { code?: unknown }).code !== 'ERR_POSTGRES_QUERY_CANCELLED') throw error
      replace(pool)
      throw await explainSilence(error)
    } finally {
      clearTimeout(timer)
      statements--
    }
  }

  /** `respond` awaits a response in time. */
  async function runTransaction<T>(
    connection: ReservedSQL,
    respond: Respond,
    work: (transaction: TransactionStatements) => Promise<T>,
  ): Promise<T> {
    const run = (statement: string) => respond(connection.unsafe(statement).simple())
    let begun: Promise<unknown> | undefined
    let last: LastQuery[] = []
    let ended = false
    let usable = false

    /** After COMMIT or ROLLBACK a statement would run outside the transaction. */
    function requireOpen() {
      if (ended) throw new Error('the unit of work has ended: await each of its queries')
    }

    function ensureBegun(): Promise<unknown> {
      begun ??= run(begin)
      return begun
    }

    async function runInside(text: string, query: Query): Promise<unknown> {
      requireOpen()
      if (!begun && preparedStatements && READS.test(text)) return beginWith(query)
      await ensureBegun()
      requireOpen()
      return respond(query)
    }

    /**
     * Sends BEGIN and a first statement together, which saves a round trip. Bun keeps the order of prepared statements and
     * does not wait for their responses. If BEGIN fails, the first statement runs without a transaction: it must not write.
     */
    async function beginWith(query: Query): Promise<unknown> {
      const sent = [connection`BEGIN`, connection.unsafe(setLocal, settingsOfWork)].map(statement =>
        respond(statement.execute()),
      )
      begun = Promise.all(sent)
      const [, response] = await Promise.allSettled([begun, respond(query.execute())])
      await begun
      if (response.status === 'rejected') throw response.reason
      return response.value
    }

    async function commit() {
      // `execute` keeps the order. COMMIT uses the protocol of prepared statements: Bun sends prepared statements without
      // waiting for responses, but waits for all of them before a statement of the simple protocol.
      if (last.length > 0) await ensureBegun()
      const sent = last.map(({ sql, params }) => respond(connection.unsafe(sql, params).execute()))
      const committed = sent.length > 0 ? respond(connection`COMMIT`.execute()) : run('COMMIT')
      const responses = await Promise.allSettled([...sent, committed])
      usable = responses.at(-1)?.status === 'fulfilled'
      for (const response of responses) if (response.status === 'rejected') throw response.reason
      // PostgreSQL's response to the COMMIT of a transaction in which a statement failed.
      const { command } = await committed
      if (command === 'ROLLBACK') throw new Error('a failed statement was caught: nothing is written')
    }

    try {
      const value = await work({
        unsafe: (text, parameters) =>
          lazy(asRequested => runInside(text, asRequested(connection.unsafe(text, parameters)))),
        atCommit(queries) {
          for (const { params } of queries) for (const param of params) requireScalar(param)
          last = queries
        },
      })
      ended = true
      if (begun || last.length > 0) await commit()
      else usable = true
      return value
    } catch (error) {
      ended = true
      if (!begun) usable = true
      else if (!usable) {
        usable = await run('ROLLBACK').then(
          () => true,
          () => false,
        )
      }
      throw error
    } finally {
      await (usable ? connection.release() : connection.close({ timeout: 0 }))
    }
  }

  return {
    get statements() {
      return statements
    },

    unsafe: (text, parameters) =>
      lazy(asRequested =>
        repeatOnConflict(timeoutMs, async () => {
          if (schema) await schema.found()
          const pool = current
          return runAlone(pool, asRequested(pool.unsafe(text, parameters)))
        }),
      ),

    async begin(work) {
      if (schema) await schema.found()
      const pool = current
      const waiting = new AbortController()
      let reserved: ReservedSQL | undefined
      let unanswered = 0
      let late = false
      /** That of the first statement: the others fail because it did, and their failures may be heard before. */
      let failure: unknown
      // One timer, which starts again at each statement. Closing the connection ends the statements that wait.
      const deadline = setTimeout(() => {
        if (unanswered === 0) return
        late = true
        replace(pool)
        waiting.abort()
        void reserved?.close({ timeout: 0 })
      }, deadlineMs)
      const respond: Respond = async response => {
        unanswered++
        deadline.refresh()
        try {
          return await response
        } catch (error) {
          failure ??= error
          throw error
        } finally {
          unanswered--
        }
      }
      try {
        reserved = await respond(pool.reserve({ signal: waiting.signal }))
        return await runTransaction(reserved, respond, work)
      } catch (error) {
        throw late ? unresponsive(error) : isAborted(error) ? failure : error
      } finally {
        clearTimeout(deadline)
      }
    },

    async close() {
      schema?.stop()
      await Promise.all([current, ...replaced].map(pool => pool.close({ timeout: 5 })))
    },
  }
}

type Query = SQL.Query<unknown>
type Respond = <Value>(response: PromiseLike<Value>) => Promise<Value>

/** COMMIT follows without waiting for a response, so the client itself must not refuse the statement. */
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
