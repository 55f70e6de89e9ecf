/** Raw statements of the database tests, on separate connections. */
import { Database as Connection } from 'bun:sqlite'
import { SQL } from 'bun'
import { eq, type SQL as Query, sql } from 'drizzle-orm'
import type { Database, Reader, Transaction } from '../../db/index.ts'
import type { TemporaryDatabase } from '../support/engines.ts'
import { USE_TEST_SCHEMA } from '../support/patience.ts'

export type Row = Record<string, unknown>

/** Runs a raw statement, and returns its rows. */
export type Run = (statement: string) => Promise<Row[]>

interface Executor {
  execute(query: Query): Promise<Row[] | { rows: Row[] }>
}

/** Drizzle's method for raw statements on PostgreSQL, which our types omit. */
export async function execute(queries: Reader | Transaction, statement: string): Promise<Row[]> {
  const executor = queries as unknown as Executor
  if (USE_TEST_SCHEMA !== null && 'afterCommit' in queries)
    await executor.execute(sql.raw(USE_TEST_SCHEMA.replace('SET', 'SET LOCAL')))
  return executeQuery(queries, sql.raw(statement))
}

/** As `execute`, for a statement with parameters. */
export async function executeQuery(queries: Reader | Transaction, query: Query): Promise<Row[]> {
  const executor = queries as unknown as Executor
  const result = await executor.execute(query)
  return Array.isArray(result) ? result : result.rows
}

/** On a separate connection, except on PGlite, which has only one. */
export async function withRawConnection<T>(
  { db, url }: Pick<TemporaryDatabase, 'db' | 'url'>,
  use: (run: Run) => Promise<T>,
): Promise<T> {
  if (url === null) return use(statement => execute(db.read, statement))
  if (url.startsWith('sqlite:')) {
    const connection = new Connection(url.slice('sqlite:'.length))
    // As every other process waits for a writer, such as one that starts.
    connection.run('PRAGMA busy_timeout = 5000')
    try {
      return await use(async statement => {
        const rows = connection.query(statement).all() as Row[]
        // Like another process: its commits are visible from the next turn of the event loop.
        await new Promise(resolve => setImmediate(resolve))
        return rows
      })
    } finally {
      connection.close()
    }
  }
  const client = new SQL(url, { max: 1 })
  try {
    if (USE_TEST_SCHEMA !== null) await client.unsafe(USE_TEST_SCHEMA)
    return await use(async statement => [...(await client.unsafe(statement))])
  } finally {
    await client.close()
  }
}

/** Without triggers, foreign keys and checks: with access to the file, or as superuser. */
export function withoutRules<T>(
  temporary: Pick<TemporaryDatabase, 'db' | 'url'>,
  use: (run: Run) => Promise<T>,
): Promise<T> {
  return withRawConnection(temporary, async run => {
    if (temporary.db.engine === 'postgres') {
      await run("SET session_replication_role = 'replica'")
      return use(run).finally(() => run("SET session_replication_role = 'origin'"))
    }
    await run('PRAGMA foreign_keys = OFF')
    await run('PRAGMA ignore_check_constraints = ON')
    const triggers = await run("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    for (const { name } of triggers) await run(`DROP TRIGGER ${name}`)
    const value = await use(run)
    for (const { sql } of triggers) await run(String(sql))
    return value
  })
}

/** A row without dependencies. */
export const insertTeam = (tx: Transaction, id: string) =>
  tx.insert(tx.tables.teams).values({
    id,
    name: id,
    shortName: 'TST',
    active: true,
    createdAt: tx.now(),
    updatedAt: tx.now(),
  })

/** Whether that row is committed. */
export async function teamExists(db: Database, id: string): Promise<boolean> {
  const { teams } = db.tables
  return (await db.read.select().from(teams).where(eq(teams.id, id))).length === 1
}

/** The outcome of a promise as a value. */
export const outcome = (work: Promise<unknown>) =>
  work.then(
    value => ({ value }),
    (error: unknown) => ({ error }),
  )
