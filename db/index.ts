/** The public interface of the database, the same on SQLite and PostgreSQL. */
import { openPostgres } from './postgres/database.ts'
import { type Replica, watchReplica } from './postgres/replica.ts'
import { openSqlite } from './sqlite/database.ts'
import type { Database, DatabaseOptions, Sources } from './types.ts'

export {
  BackupFault,
  ConflictError,
  DatabaseError,
  type DatabaseFault,
  databaseCodeOf,
  describeDatabaseError,
  describeRefusal,
  describeViolation,
  isMissingParent,
  isUniqueViolation,
  SchemaError,
  translateDatabaseError,
} from './errors.ts'
export { type PostgresSettings, postgresDefaults } from './postgres/connect.ts'
export { keepsPreparedStatements } from './postgres/prepared-check.ts'
export type { Replica } from './postgres/replica.ts'
export type { Tables } from './schema/tables.ts'
export type {
  Database,
  DatabaseObserver,
  DatabaseOptions,
  Deferred,
  Reader,
  Sources,
  Spine,
  Transaction,
} from './types.ts'
export type { WriteLoad } from './write-meter.ts'

/**
 * Opens `sqlite:PATH` or `postgres://…`. Throws for `sqlite::memory:`, which two connections cannot share.
 * Run `migrate(url)` first: the schema must be current.
 */
export function openDatabase(url: string, sources: Sources, options: DatabaseOptions = {}): Database {
  if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length), sources, options)
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url, sources, options)
  throw new Error('DATABASE_URL must start with sqlite: or postgres://')
}

/** Opens a replica of `primary`. It is used only after its first successful check, so it may be unreachable now. */
export function openReplica(
  url: string,
  primary: Database,
  sources: Sources,
  { postgres }: Pick<DatabaseOptions, 'postgres'>,
): Replica {
  return watchReplica(openPostgres(url, sources, { postgres }), primary)
}
