/** Deletes a database of Matchday: the files of SQLite, or on PostgreSQL only the objects that migrations create. */
import { DatabaseError } from './errors.ts'
import { expectedMigrations } from './expected-schema.ts'
import { connectPostgres, type PostgresOptions } from './postgres/client.ts'
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

async function dropPostgres(url: string, settings?: PostgresOptions): Promise<void> {
  await using client = connectPostgres(url, { ...settings, poolSize: 1 })
  const { schema = null } = settings ?? {}
  // A database may have the schemas of other clubs, whose sessions have other names.
  const ofClub = schema === null ? 'true' : "application_name = current_setting('application_name')"
  await client.begin(async transaction => {
    const run = (statement: string) => transaction.unsafe(statement)
    // PostgreSQL hides the type of sessions of other roles. Its own workers have no role.
    const [others] = await run(
      `SELECT count(*) AS count FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND usesysid IS NOT NULL AND ${ofClub}
       AND coalesce(backend_type, 'client backend') = 'client backend'`,
    )
    if (Number(others?.count) > 0) throw new DatabaseError('busy')
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
