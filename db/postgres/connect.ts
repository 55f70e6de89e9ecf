/** The settings of PostgreSQL, and a pool of Bun's client with them. */
import type { SQL } from 'bun'

export interface PostgresSettings {
  /** Maximum number of connections. */
  poolSize: number
  /**
   * Maximum duration of a statement, including waits for locks. Conflicting units of work are repeated for the same time.
   * Milliseconds.
   */
  statementTimeoutMs: number
  /** Maximum duration of connecting. Milliseconds. */
  connectTimeoutMs: number
  /** Named prepared statements. PgBouncer supports them in transaction pooling from 1.21 on, if configured. */
  preparedStatements: boolean
  /** The schema of the tables, which statements name; null: the search path of the role decides. */
  schema: string | null
  /** CA certificates in PEM. If set, every connection uses TLS, and the server's certificate and host name are verified. */
  ca: string | null
}

export const postgresDefaults: Readonly<PostgresSettings> = Object.freeze({
  poolSize: 10,
  statementTimeoutMs: 5_000,
  connectTimeoutMs: 5_000,
  preparedStatements: true,
  schema: null,
  ca: null,
})

/** Overrides of `postgresDefaults`. */
export type PostgresOptions = Partial<PostgresSettings>

/** Bun reads `sslmode` from the URL itself, but then obeys NODE_TLS_REJECT_UNAUTHORIZED=0. */
const VERIFIES = /=verify-(ca|full)\b/i

/** A pool without deadlines, for migrations. */
export const connectPostgres = (url: string, settings: PostgresOptions = {}): SQL => {
  const { poolSize, connectTimeoutMs, preparedStatements, schema, ca } = { ...postgresDefaults, ...settings }
  // Not imported: Bun would load its client also in a process on SQLite.
  return new Bun.SQL(url, {
    max: poolSize,
    idleTimeout: 60,
    connectionTimeout: connectTimeoutMs / 1_000,
    prepare: preparedStatements,
    // Poolers know this start-up parameter.
    ...(schema === null || url.includes('application_name=')
      ? {}
      : { connection: { application_name: `matchday ${schema}` } }),
    ...(ca !== null || VERIFIES.test(url) ? { tls: { ca: ca ?? undefined, rejectUnauthorized: true } } : {}),
  })
}
