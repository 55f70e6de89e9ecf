/**
 * Databases on the PostgreSQL server of `TEST_POSTGRES_URL`. The server needs longer to drop one, and to create one, than
 * most tests take: each is emptied for the next test and stays for the next run. A process has its databases for itself, by
 * an advisory lock in the database of the URL. Such a lock is local to that database, so their names begin with its own.
 * So do the connections to the latest one: half of what a small test costs the server is connecting.
 */
import { hash } from 'node:crypto'
import type { SQL } from 'bun'
import { expectedMigrations } from '../../db/expected-schema.ts'
import { migrate } from '../../db/migrate.ts'
import type { PostgresClient } from '../../db/postgres/client.ts'
import { connect, KEPT_CONNECTIONS, type KeptPool, keepPool, type Row } from './kept-pool.ts'
import { patientPostgres, testSchema } from './patience.ts'
import { waitUntil } from './wait-until.ts'

/** For branches whose tests run side by side on one server. */
const MAX_TEMPLATES = 6
const MAX_BYTES = 20_000_000
/** Such as `serializable`, for all connections to the databases of tests: see `serialization-failures.ts`. */
const isolation = process.env.TEST_ISOLATION

export interface ServerDatabase {
  url: string
  client: PostgresClient
  /** For the next test. */
  release(): Promise<void>
}

/** Gives databases that are migrated and empty. */
export function databasesOf(server: string): () => Promise<ServerDatabase> {
  let opened: Promise<Session> | undefined
  const free: string[] = []
  let kept: { name: string; pool: KeptPool } | undefined

  function takeKept(name: string): KeptPool | undefined {
    if (kept?.name !== name) return undefined
    const { pool } = kept
    kept = undefined
    return pool
  }

  return async () => {
    opened ??= openSession(server)
    const { take, prepare } = await opened
    const name = free.pop() ?? (await take())
    const url = databaseUrl(server, name)
    const pool = await prepare(name, url, takeKept(name))
    const client = pool.lend()
    return {
      url,
      client,
      async release() {
        await client.close()
        const former = kept?.pool
        kept = { name, pool }
        free.push(name)
        await former?.close()
      },
    }
  }
}

interface Session {
  /** The name of a database that no other process has. It ends with the connection, that is with the process. */
  take(): Promise<string>
  /** Makes it empty. Answers `pool`, or a new one if the database or a connection had to be replaced. */
  prepare(name: string, url: string, pool: KeptPool | undefined): Promise<KeptPool>
}

async function openSession(server: string): Promise<Session> {
  const run = runOn(await connect(server))
  const names = namesOf(server)
  const template = await requireTemplate(server, run, names)
  const prefix = `${names.copiesOf(template)}_${isolation?.replaceAll(' ', '_') ?? ''}`
  let last = 0

  /** @throws PostgresError also if its user is no superuser: then each test has a new database. */
  async function empty(name: string, pool: KeptPool, connections?: number): Promise<boolean> {
    const [found] = await run(
      `SELECT shobj_description(oid, 'pg_database') AS state FROM pg_database WHERE datname = '${name}'`,
    )
    if (typeof found?.state !== 'string') return false
    const isOwn = `application_name = '${pool.label}'`
    const disconnectOthers = `SELECT ${isOwn} AS own, CASE WHEN NOT ${isOwn} THEN pg_terminate_backend(pid) END
      FROM pg_stat_activity WHERE datname = '${name}'`
    // The server notices after a moment that a client has left.
    const left = await waitUntil(`no connection to ${name}`, async () => {
      const rows = await run(disconnectOthers)
      return rows.every(({ own }) => own) && rows
    })
    // A test may have ended a connection: its next statement would fail.
    if (connections !== undefined && left.length !== connections) return false
    const [row] = await pool.run(EMPTY).then(() => pool.run(STATE))
    return row?.state === found.state
  }

  return {
    async take() {
      for (;;) {
        const name = prefix + ++last
        const [row] = await run(`SELECT pg_try_advisory_lock(hashtext('${name}')) AS taken`)
        if (row?.taken === true) return name
      }
    },
    async prepare(name, url, kept) {
      if (kept && (await empty(name, kept, KEPT_CONNECTIONS).catch(() => false))) return kept
      await kept?.close()
      const pool = keepPool(url)
      if (await empty(name, pool).catch(() => false)) return pool
      await run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await run(`CREATE DATABASE ${name} TEMPLATE ${template}`)
      // Tests of crashes start servers of their own, so commits here need not survive a crash of the server.
      await run(`ALTER DATABASE ${name} SET synchronous_commit = off`)
      if (isolation !== undefined)
        await run(`ALTER DATABASE ${name} SET default_transaction_isolation = '${isolation}'`)
      const created = keepPool(url)
      const [row] = await created.run(STATE)
      await run(`COMMENT ON DATABASE ${name} IS '${row?.state}'`)
      await pool.close()
      return created
    },
  }
}

/** Past the trigger that keeps the ledger, and the foreign keys. The tables whose name begins with `__` are migrations'. */
export const deleteRowsOf = (condition: string) => `
  SET session_replication_role = replica;
  DO $$ DECLARE name regclass; BEGIN
    FOR name IN SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
      AND relname NOT LIKE '\\_\\_%' AND ${condition}
    LOOP EXECUTE format('DELETE FROM %s', name); END LOOP;
  END $$`

const EMPTY = deleteRowsOf('pg_relation_size(oid) > 0')

const FIRST_OID = 16_384
const rowsOf = (table: string, oid?: string) =>
  `(SELECT concat(count(*), '/', sum(xmin::text::bigint)) FROM ${table} ${oid ? `WHERE ${oid} >= ${FIRST_OID}` : ''})`

/** State that emptying does not restore, as one text: the schema, statistics, settings, applied migrations, and bloat. */
const STATE = `SELECT concat_ws(' ',
  ${rowsOf('pg_class', 'oid')}, ${rowsOf('pg_attribute', 'attrelid')}, ${rowsOf('pg_constraint', 'oid')},
  ${rowsOf('pg_trigger', 'oid')}, ${rowsOf('pg_proc', 'oid')}, ${rowsOf('pg_statistic', 'starelid')},
  ${rowsOf('pg_extension')}, ${rowsOf('pg_default_acl')}, ${rowsOf('__drizzle_migrations')},
  ${rowsOf('__matchday_migration_lock')},
  (SELECT count(*) FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%'),
  (SELECT md5(concat(datacl, datconnlimit)) FROM pg_database WHERE datname = current_database()),
  (SELECT md5(string_agg(concat(setrole, setconfig), ' ')) FROM pg_db_role_setting JOIN pg_database ON setdatabase = pg_database.oid
    WHERE datname = current_database()),
  pg_database_size(current_database()) > ${MAX_BYTES}) AS state`

type Run = (statement: string) => Promise<Row[]>

const runOn =
  (client: SQL): Run =>
  async statement => [...(await client.unsafe(statement))]

export function databaseUrl(server: string, name: string): string {
  const address = new URL(server)
  address.pathname = `/${name}`
  return address.href
}

const digestOf = (text: string) => hash('sha256', text, 'hex').slice(0, 12)

/** Of the databases of runs that share the advisory locks of the URL's database. */
function namesOf(server: string) {
  const family = digestOf(new URL(server).pathname)
  const [templates, databases] = [`matchday_template_${family}_`, `matchday_test_${family}_`]
  return { templates, databases, copiesOf: (template: string) => template.replace(templates, databases) }
}

/** Stays on the server for the next run, under a name that tells its migrations; the oldest that no run uses go. */
async function requireTemplate(server: string, run: Run, names: ReturnType<typeof namesOf>): Promise<string> {
  // The times too: a migration that was generated again has the same hash and another time.
  const migrations = expectedMigrations('postgres').map(migration => [migration.hash, migration.folderMillis])
  const name = names.templates + digestOf(JSON.stringify([migrations, testSchema]))
  const namesLike = async (prefix: string) =>
    (
      await run(`SELECT datname FROM pg_database WHERE starts_with(datname, '${prefix}') ORDER BY oid DESC`)
    ).map(({ datname }) => String(datname))
  // Until this process ends, no other drops the template or its copies.
  await run(`SELECT pg_advisory_lock_shared(hashtext('${name}'))`)
  const templates = await namesLike(names.templates)
  if (templates.includes(name)) return name
  // Made under a name of its own: another run never copies one that is half migrated.
  const draft = `${names.databases}draft_${process.pid}`
  await run(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`)
  await run(`CREATE DATABASE ${draft}`)
  await migrate(databaseUrl(server, draft), patientPostgres)
  const renamed = await run(`ALTER DATABASE ${draft} RENAME TO ${name}`).then(
    () => true,
    () => false,
  )
  if (!renamed) await run(`DROP DATABASE ${draft} WITH (FORCE)`)
  for (const old of templates.slice(MAX_TEMPLATES - 1)) {
    const [row] = await run(`SELECT pg_try_advisory_lock(hashtext('${old}')) AS unused`)
    if (row?.unused !== true) continue
    const copies = await namesLike(names.copiesOf(old))
    for (const outdated of [old, ...copies]) await run(`DROP DATABASE IF EXISTS ${outdated} WITH (FORCE)`)
    await run(`SELECT pg_advisory_unlock(hashtext('${old}'))`)
  }
  return name
}
