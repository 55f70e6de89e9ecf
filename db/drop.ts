/** Deletes a database of Matchday: the files of SQLite, or on PostgreSQL only the objects that migrations create. */
import { DatabaseError } from './errors.ts'
import { expectedMigrations } from './expected-schema.ts'
import { connectPostgres, type PostgresOptions } from './postgres/connect.ts'
import { findNode, PROPAGATE_SETTINGS } from './postgres/schema-node.ts'
import { explainUnreachable } from './postgres/unreachable.ts'
import { nameIn } from './schema/shape.ts'
import { dropSqlite } from './sqlite/copy.ts'

const BOOKKEEPING = [
  '__drizzle_migrations',
  '__matchday_migration_lock',
  '__matchday_move',
  '__matchday_seed',
]
const LOCK_TIMEOUT_MS = 2_000

/** A closed connection disappears from the server a moment later. */
const PATIENCE_MS = 3_000
const PAUSE_MS = 100

/** Repeatable. @throws DatabaseError `busy` while another process uses it, with nothing changed */
export async function dropDatabase(url: string, settings?: PostgresOptions): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      if (url.startsWith('sqlite:')) return dropSqlite(url.slice('sqlite:'.length))
      return await dropPostgres(url, settings)
    } catch (error) {
      const fault = url.startsWith('sqlite:') ? error : await explainUnreachable(error, url)
      const isBusy = fault instanceof DatabaseError && fault.fault === 'busy'
      if (!isBusy || performance.now() > deadline) throw fault
      await Bun.sleep(PAUSE_MS)
    }
  }
}

/**
 * Another session than that of `run`. A database may have the schemas of other clubs, whose sessions have other names.
 * PostgreSQL hides the type of sessions of other roles. Its own workers have no role.
 */
async function requireUnused(
  run: (statement: string) => Promise<Record<string, unknown>[]>,
  schema: string | null,
) {
  const ofClub = schema === null ? 'true' : "application_name = current_setting('application_name')"
  const [others] = await run(
    `SELECT count(*) AS count FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND usesysid IS NOT NULL AND ${ofClub}
     AND coalesce(backend_type, 'client backend') = 'client backend'`,
  )
  if (Number(others?.count) > 0) throw new DatabaseError('busy')
}

async function dropPostgres(url: string, settings?: PostgresOptions): Promise<void> {
  const { schema = null } = settings ?? {}
  const node = await findNode(url, settings)
  if (node !== url) {
    await using client = connectPostgres(node, { ...settings, poolSize: 1 })
    await requireUnused(statement => client.unsafe(statement), schema)
  }
  await using client = connectPostgres(url, { ...settings, poolSize: 1 })
  await client.begin(async transaction => {
    const run = (statement: string) => transaction.unsafe(statement)
    await requireUnused(run, schema)
    await run(PROPAGATE_SETTINGS)
    await run(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
    const own = (name: string) => nameIn(schema, name)
    const tables = [...namesOf('TABLE'), ...BOOKKEEPING].map(own)
    await run(`DROP TABLE IF EXISTS ${tables.join(', ')} CASCADE`)
    for (const name of namesOf('FUNCTION')) await run(`DROP FUNCTION IF EXISTS ${own(name)}`)
  })
}

/** What the migrations create. Types, sequences and triggers go with their tables. */
const namesOf = (kind: 'TABLE' | 'FUNCTION'): string[] =>
  expectedMigrations('postgres')
    .flatMap(({ sql }) => sql)
    .flatMap(statement => [...statement.matchAll(new RegExp(`CREATE ${kind} "?(\\w+)"?`, 'g'))])
    .map(([, name = '']) => name)
