/** The connections to a database on the tests' server. Worlds use them one after the other. */
import { SQL } from 'bun'
import { DatabaseError } from '../../db/errors.ts'
import { createPostgresClient, type PostgresClient } from '../../db/postgres/client.ts'
import { POOL_SIZE, patientPostgres, USE_TEST_SCHEMA } from './patience.ts'
import { requirePortable } from './portable-statements.ts'
import { waitUntil } from './wait-until.ts'

export type Row = Record<string, unknown>

/** The connections of the pool, and the connection of `run`. */
export const KEPT_CONNECTIONS = POOL_SIZE + 1

const TOO_MANY_CONNECTIONS = '53300'

export interface KeptPool {
  /** The `application_name` of its connections, and of no others. */
  label: string
  /** For one world: after its `close` nothing more is sent, and all that was sent has ended. */
  lend(): PostgresClient
  /** Runs a statement on a connection of its own, which is opened at the first. */
  run(statement: string): Promise<Row[]>
  close(): Promise<void>
}

let opened = 0

export function keepPool(url: string): KeptPool {
  const label = `matchday-test-${process.pid}-${++opened}`
  const labelled = new URL(url)
  labelled.searchParams.set('application_name', label)
  const client = createPostgresClient(labelled.href, { ...patientPostgres, poolSize: POOL_SIZE })
  let connection: SQL | undefined
  return {
    label,
    lend: () => lend(client),
    async run(statement) {
      if (!connection) {
        connection = await connect(labelled.href)
        if (USE_TEST_SCHEMA !== null) await connection.unsafe(USE_TEST_SCHEMA)
      }
      return [...(await connection.unsafe(statement))]
    },
    async close() {
      await Promise.all([client.close(), connection?.close()])
    },
  }
}

function lend(client: PostgresClient): PostgresClient {
  let transactions = 0
  let closed = false
  function requireOpen() {
    if (closed) throw new DatabaseError('unreachable', new Error('the database of the test is closed'))
  }
  return {
    get statements() {
      return client.statements
    },
    unsafe(text, parameters) {
      requirePortable(text)
      const statement = client.unsafe(text, parameters)
      return {
        // biome-ignore lint/suspicious/noThenProperty: Drizzle awaits the query itself.
        then: (resolve, reject) =>
          Promise.try(requireOpen)
            .then(() => statement)
            .then(resolve, reject),
        async values() {
          requireOpen()
          return statement.values()
        },
      }
    },
    async begin(work) {
      requireOpen()
      transactions++
      try {
        return await client.begin(transaction =>
          work({
            unsafe(text, parameters) {
              requirePortable(text)
              return transaction.unsafe(text, parameters)
            },
            atCommit(queries) {
              for (const { sql } of queries) requirePortable(sql)
              transaction.atCommit(queries)
            },
          }),
        )
      } finally {
        transactions--
      }
    },
    async close() {
      closed = true
      await waitUntil('the end of statements', () => transactions + client.statements === 0)
    },
  }
}

/** One connection, as soon as the server has one free. */
export function connect(url: string): Promise<SQL> {
  return waitUntil('a free connection', async () => {
    const client = new SQL(url, { max: 1 })
    try {
      return await client.connect()
    } catch (error) {
      await client.close()
      if ((error as { errno?: unknown }).errno !== TOO_MANY_CONNECTIONS) throw error
      return null
    }
  })
}
