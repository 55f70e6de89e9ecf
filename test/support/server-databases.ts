/**
 * Databases on the PostgreSQL server of `TEST_POSTGRES_URL`. The server needs longer to drop one, and to create one, than
 * most tests take: each is emptied for the next test and stays for the next run. A process has its databases for itself.
 */
import { hash } from 'node:crypto'
import { SQL } from 'bun'
import { expectedMigrations } from '../../db/expected-schema.ts'
import { migrate } from '../../db/migrate.ts'
import { waitUntil } from './wait-until.ts'

const TEMPLATE = 'matchday_template_'
const DATABASE = 'matchday_test_'
/** For branches whose tests run side by side on one server. */
const MAX_TEMPLATES = 6
const MAX_BYTES = 20_000_000
const TOO_MANY_CONNECTIONS = '53300'
/** Such as `serializable`, for all connections to the databases of tests: see `serialization-failures.ts`. */
const isolation = process.env.TEST_ISOLATION

export interface ServerDatabase {
  url: string
  /** For the next test. */
  release(): void
}

/** Gives databases that are migrated and empty. */
export function databasesOf(server: string): () => Promise<ServerDatabase> {
  let opened: Promise<Session> | undefined
  const free: string[] = []
  return async () => {
    opened ??= openSession(server)
    const { take, prepare } = await opened
    const name = free.pop() ?? (await take())
    const url = databaseUrl(server, name)
    await prepare(name, url)
    return { url, release: () => void free.push(name) }
  }
}

interface Session {
  /** The name of a database that no other process has. It ends with the connection, that is with the process. */
  take(): Promise<string>
  prepare(name: string, url: string): Promise<void>
}

async function openSession(server: string): Promise<Session> {
  const run = runOn(await connect(server))
  const template = await requireTemplate(server, run)
  const prefix = `${DATABASE}${template.slice(TEMPLATE.length)}_${isolation?.replaceAll(' ', '_') ?? ''}`
  let last = 0

  /** @throws PostgresError also if its user is no superuser: then each test has a new database. */
  async function isReusable(name: string, url: string): Promise<boolean> {
    const [found] = await run(
      `SELECT shobj_description(oid, 'pg_database') AS state FROM pg_database WHERE datname = '${name}'`,
    )
    if (typeof found?.state !== 'string') return false
    // The server notices after a moment that a client has left.
    const disconnect = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`
    await waitUntil(`no connection to ${name}`, async () => (await run(disconnect)).length === 0)
    return found.state === (await onDatabase(url, [EMPTY, STATE]))
  }

  return {
    async take() {
      for (;;) {
        const name = prefix + ++last
        const [row] = await run(`SELECT pg_try_advisory_lock(hashtext('${name}')) AS taken`)
        if (row?.taken === true) return name
      }
    },
    async prepare(name, url) {
      if (await isReusable(name, url).catch(() => false)) return
      await run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await run(`CREATE DATABASE ${name} TEMPLATE ${template}`)
      if (isolation !== undefined)
        await run(`ALTER DATABASE ${name} SET default_transaction_isolation = '${isolation}'`)
      await run(`COMMENT ON DATABASE ${name} IS '${await onDatabase(url, [STATE])}'`)
    },
  }
}

/** Past the trigger that keeps the ledger, and the foreign keys. The tables whose name begins with `__` are migrations'. */
const EMPTY = `
  SET session_replication_role = replica;
  DO $$ DECLARE name regclass; BEGIN
    FOR name IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
      AND relname NOT LIKE '\\_\\_%' AND pg_relation_size(oid) > 0
    LOOP EXECUTE format('DELETE FROM %s', name); END LOOP;
  END $$`

const FIRST_OID = 16_384
const rowsOf = (table: string, oid?: string) =>
  `(SELECT concat(count(*), '/', sum(xmin::text::bigint)) FROM ${table} ${oid ? `WHERE ${oid} >= ${FIRST_OID}` : ''})`

/** What emptying does not restore, as one text: the schema, statistics, settings, applied migrations, and bloat. */
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

/** Runs the statements on a connection of their own, and answers the state that the last one reads. */
async function onDatabase(url: string, statements: string[]): Promise<unknown> {
  const client = await connect(url)
  try {
    let rows: Row[] = []
    for (const statement of statements) rows = await runOn(client)(statement)
    return rows[0]?.state
  } finally {
    await client.close()
  }
}

type Row = Record<string, unknown>
type Run = (statement: string) => Promise<Row[]>

const runOn =
  (client: SQL): Run =>
  async statement => [...(await client.unsafe(statement))]

/** One connection, as soon as the server has one free. */
function connect(url: string): Promise<SQL> {
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

function databaseUrl(server: string, name: string): string {
  const address = new URL(server)
  address.pathname = `/${name}`
  return address.href
}

/** Stays on the server for the next run, under a name that tells its migrations; the oldest of that kind go. */
async function requireTemplate(server: string, run: Run): Promise<string> {
  // The times too: a migration that was generated again has the same hash and another time.
  const migrations = expectedMigrations('postgres').map(migration => [migration.hash, migration.folderMillis])
  const id = hash('sha256', JSON.stringify(migrations), 'hex').slice(0, 16)
  const namesLike = async (prefix: string) =>
    (await run(`SELECT datname FROM pg_database WHERE datname LIKE '${prefix}%' ORDER BY oid DESC`)).map(
      ({ datname }) => String(datname),
    )
  const templates = await namesLike(TEMPLATE)
  const name = TEMPLATE + id
  if (templates.includes(name)) return name
  // Made under a name of its own: another run never copies one that is half migrated.
  const draft = `${DATABASE}${process.pid}_template`
  await run(`CREATE DATABASE ${draft}`)
  await migrate(databaseUrl(server, draft))
  const renamed = await run(`ALTER DATABASE ${draft} RENAME TO ${name}`).then(
    () => true,
    () => false,
  )
  if (!renamed) await run(`DROP DATABASE ${draft} WITH (FORCE)`)
  for (const old of templates.slice(MAX_TEMPLATES - 1)) {
    const copies = await namesLike(old.replace(TEMPLATE, DATABASE))
    for (const outdated of [old, ...copies]) await run(`DROP DATABASE IF EXISTS ${outdated} WITH (FORCE)`)
  }
  return name
}
