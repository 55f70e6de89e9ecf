import { dirname, join } from 'node:path'
import { type PostgresSettings, postgresDefaults } from '../../../db/postgres/connect.ts'
import { readCertificates } from './certificates.ts'
import { type EnvironmentReader, refuseAddress } from './environment.ts'

/** Settings for PostgreSQL. SQLite ignores them. */
export function readPostgresSettings(reader: EnvironmentReader): Readonly<PostgresSettings> {
  const { poolSize, statementTimeoutMs, connectTimeoutMs, preparedStatements } = postgresDefaults
  return Object.freeze({
    // Some connections are reserved for reads: a smaller pool would leave none for writes.
    poolSize: reader.integer('DATABASE_POOL_SIZE', poolSize, 3, 1_000),
    statementTimeoutMs: reader.integer('DATABASE_STATEMENT_TIMEOUT_MS', statementTimeoutMs, 100, 600_000),
    // A database in the same network answers within a second; one that takes longer is down, and the next attempt follows.
    connectTimeoutMs,
    preparedStatements: reader.flag('DATABASE_PREPARED_STATEMENTS', preparedStatements),
    schema: readSchema(reader),
    ca: readCertificates(reader, 'DATABASE_CA', reader.secret('DATABASE_CA')),
  })
}

/** As PostgreSQL writes it without quotes. Names with `pg_` are its own. */
const SCHEMA = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/

/** For several clubs in one database, each in a schema. */
function readSchema(reader: EnvironmentReader): string | null {
  const name = 'DATABASE_SCHEMA'
  const schema = reader.text(name) ?? null
  if (schema !== null && !SCHEMA.test(schema))
    reader.refuse(
      name,
      'must be a name of at most 63 characters: a-z, 0-9 and _, not beginning with a digit or pg_',
    )
  return schema
}

/** The list of erasures of a SQLite database: next to it, and in none of its backups. */
export const erasuresPathOf = (path: string) => `${path}.erasures`

/** PostgreSQL has no default: the file must be outside of the backups, which only the operator knows. */
export function readErasureList(reader: EnvironmentReader, databaseUrl: string): string | null {
  const sqlite = 'sqlite:'
  const defaultPath = databaseUrl.startsWith(sqlite) ? erasuresPathOf(databaseUrl.slice(sqlite.length)) : null
  return reader.text('ERASURE_LIST') ?? defaultPath
}

/** The file of a SQLite database, and the folder of the backups that the console makes of it; null: PostgreSQL has tools of its own. */
export function readBackups(reader: EnvironmentReader, databaseUrl: string) {
  const folder = reader.text('BACKUPS')
  const [isSqlite, path] = [databaseUrl.startsWith('sqlite:'), databaseUrl.replace(/^sqlite:/, '')]
  if (isSqlite) return Object.freeze({ path, folder: folder ?? join(dirname(path), 'backups') })
  if (folder !== undefined) reader.refuse('BACKUPS', 'is for SQLite: back up PostgreSQL with pg_dump')
  return null
}

/** A replica of `databaseUrl` for public reads; null if there is none. */
export function readReplicaUrl(reader: EnvironmentReader, databaseUrl: string): string | null {
  const name = 'DATABASE_READ_URL'
  const url = reader.secret(name)
  if (url === undefined) return null
  // A DATABASE_URL that was refused is one problem, not two.
  const isKnown = !reader.problems.some(problem => problem.startsWith('DATABASE_URL'))
  if (isKnown && !databaseUrl.startsWith('postgres')) {
    reader.refuse(name, 'is for PostgreSQL: DATABASE_URL is not a postgres:// URL, so it has no replica')
  } else if (!/^postgres(ql)?:\/\/.+/.test(url)) {
    reader.refuse(name, 'must be postgres://…, the address of a replica of DATABASE_URL')
  } else refuseAddress(reader, name, url)
  return url
}
