/** Opens the database, and exports what the rest of Matchday needs of it: the same on SQLite and PostgreSQL. */
import { openPostgres } from './postgres/database.ts'
import { openSqlite } from './sqlite/database.ts'
import type { Database, DatabaseOptions, Sources } from './types.ts'

export {
  DatabaseError,
  type DatabaseFault,
  isMissingParent,
  isUniqueViolation,
  translateDatabaseError,
} from './errors.ts'
export { type PostgresSettings, postgresDefaults } from './postgres/client.ts'
export type { Tables } from './schema/tables.ts'
export type { Database, DatabaseOptions, Reader, Sources, Transaction } from './types.ts'
export type { WriteLoad } from './write-meter.ts'

/**
 * Opens `sqlite:PATH` (`sqlite::memory:` has no readers of its own and is refused) or `postgres://…`.
 * The schema must be current: `migrate(url)` first.
 */
export function openDatabase(url: string, sources: Sources, options: DatabaseOptions = {}): Database {
  if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length), sources, options)
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url, sources, options)
  throw new Error('DATABASE_URL must start with sqlite: or postgres://')
}
