import { type PostgresSettings, postgresDefaults } from '../../db/index.ts'
import type { Reader } from './reader.ts'

/** Settings for PostgreSQL. SQLite ignores them. */
export const readPostgresSettings = (reader: Reader): Readonly<PostgresSettings> =>
  Object.freeze({
    // Some connections are reserved for reads: a smaller pool would leave none for writes.
    poolSize: reader.integer('DATABASE_POOL_SIZE', postgresDefaults.poolSize, 3, 1_000),
    statementTimeoutMs: reader.integer(
      'DATABASE_STATEMENT_TIMEOUT_MS',
      postgresDefaults.statementTimeoutMs,
      100,
      600_000,
    ),
    connectTimeoutMs: reader.integer(
      'DATABASE_CONNECT_TIMEOUT_MS',
      postgresDefaults.connectTimeoutMs,
      100,
      600_000,
    ),
    preparedStatements: reader.flag('DATABASE_PREPARED_STATEMENTS', postgresDefaults.preparedStatements),
  })
