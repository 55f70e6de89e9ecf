import { toSnakeCase } from 'drizzle-orm/casing'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { sqlite } from './schema/columns.ts'
import { tablesOf } from './schema/tables.ts'

/**
 * A fault of the database itself, on either engine:
 * - `busy`: another process holds the lock, or the server has no free connection; retry
 * - `full`: the disk is full
 * - `unreachable`: the server is down or refuses the connection, or the connection broke; the outcome of a write is
 *   unknown
 * - `untrusted`: the server offers no TLS although the settings ask for it, or its certificate does not verify
 * - `read_only`: the file, its directory or the server refuses writes
 * - `corrupt`: the file is damaged or is not a database
 * - `outdated`: the schema is older than this version, for example after a restore
 */
export type DatabaseFault =
  | 'busy'
  | 'full'
  | 'unreachable'
  | 'untrusted'
  | 'read_only'
  | 'corrupt'
  | 'outdated'

export class DatabaseError extends Error {
  /** `reason`: for operators, without values and secrets. */
  constructor(
    readonly fault: DatabaseFault,
    cause?: unknown,
    readonly reason?: string,
  ) {
    super(`database ${fault.replace('_', ' ')}${reason === undefined ? '' : `: ${reason}`}`, { cause })
    this.name = 'DatabaseError'
  }
}

/** Why a backup cannot be made or used, in words for operators and staff. */
export class BackupFault extends Error {}

/** The database cannot be migrated or used as it is. The message is for the operator. */
export class SchemaError extends Error {}

/**
 * Another unit of work has changed data that this one has read, so this one runs again. Never on SQLite, which has one
 * writer.
 */
export class ConflictError extends Error {}

/** The driver's error, which Drizzle wraps. */
function driverError(error: unknown): { code: string; message: string; constraint: string } | undefined {
  let current = error
  while (current instanceof Error) {
    // Guarantee of the cast: nothing is known of the values.
    const { code, errno, constraint } = current as Error & Record<string, unknown>
    // Bun's PostgreSQL client keeps SQLSTATE in `errno` and its own name in `code`.
    const sqlState = typeof errno === 'string' && /^[0-9A-Z]{5}$/.test(errno) ? errno : code
    if (typeof sqlState === 'string') {
      return { code: sqlState, message: current.message, constraint: String(constraint ?? '') }
    }
    current = current.cause
  }
  return undefined
}

/**
 * The unique indexes of `tables.ts` by their columns, which SQLite's message contains, such as `users.provider,
 * users.subject`.
 */
function readIndexesByColumns(): Map<string, string> {
  return new Map(
    Object.values(tablesOf(sqlite)).flatMap(table => {
      // Guarantee of the cast: these tables were made for SQLite.
      const { name, indexes } = getTableConfig(table as unknown as SQLiteTable)
      return indexes.map(({ config }): [string, string] => [
        config.columns
          .map(column => `${name}.${'name' in column ? toSnakeCase(column.name) : ''}`)
          .join(', '),
        config.name,
      ])
    }),
  )
}

let indexesByColumns: Map<string, string> | undefined

/** At a node of Citus the name of an index ends with the number of the shard. */
const SHARD = /_\d{6,18}$/

/** Whether this unique index refused the write. `index` is its name in `tables.ts`. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  const found = driverError(error)
  if (found?.code === '23505') return found.constraint.replace(SHARD, '') === index
  if (found?.code !== 'SQLITE_CONSTRAINT_UNIQUE') return false
  indexesByColumns ??= readIndexesByColumns()
  return index === indexesByColumns.get(found.message.replace(/^UNIQUE constraint failed: /, ''))
}

/** Whether a foreign key refused the row. */
export function isMissingParent(error: unknown): boolean {
  const code = driverError(error)?.code
  return code === '23503' || code === 'SQLITE_CONSTRAINT_FOREIGNKEY'
}

const VIOLATIONS: [RegExp, string][] = [
  [/^(23505|SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY|ROWID))$/, 'a value that must be unique exists already'],
  [
    /^(23503|SQLITE_CONSTRAINT_FOREIGNKEY)$/,
    'it refers to a row that does not exist, or that is still in use',
  ],
  [/^(23502|SQLITE_CONSTRAINT_NOTNULL)$/, 'a value is missing'],
  [/^(P0001|SQLITE_CONSTRAINT_TRIGGER)$/, 'the table is append-only'],
  [/^(23|SQLITE_CONSTRAINT)/, 'a rule of the table forbids it'],
]

/** Why a constraint refused a write, in words; the text of the database is only for the log. Undefined for another error. */
export function describeViolation(error: unknown): string | undefined {
  const code = driverError(error)?.code ?? ''
  return VIOLATIONS.find(([pattern]) => pattern.test(code))?.[1]
}

const REFUSALS: [RegExp, string][] = [
  [/^(22|SQLITE_(MISMATCH|TOOBIG|RANGE))/, 'a value does not fit its column or its type'],
  [/^(42501|SQLITE_AUTH)/, 'the role of the connection may not do that'],
  [/^(42|SQLITE_ERROR)/, 'the statement does not fit the schema of the database'],
  [/./, 'the database reports a fault of its own'],
]

/** A code of a database: an SQLSTATE, which differs from codes of the operating system, or a code of the driver. */
const DATABASE_CODE = /^((?!E)[0-9A-Z]{5}|SQLITE_.+|ERR_POSTGRES_.+)$/

/** The code of the database, such as `SQLSTATE 42703`. Undefined for an error of another origin. */
export function databaseCodeOf(error: unknown): string | undefined {
  const code = driverError(error)?.code ?? ''
  if (!DATABASE_CODE.test(code)) return undefined
  return code.length === 5 ? `SQLSTATE ${code}` : code
}

/** Why a database refused a statement, in words and with its code, without its text. Undefined for an error of another origin. */
export function describeRefusal(error: unknown): string | undefined {
  const code = databaseCodeOf(error)
  if (code === undefined) return undefined
  const pure = code.replace('SQLSTATE ', '')
  return `${REFUSALS.find(([pattern]) => pattern.test(pure))?.[1]} (${code})`
}

/**
 * Check constraints that fail only if another unit of work has changed data that was read before: see
 * `src/play/packs/supply.ts`.
 */
const CHECKS_OF_CONFLICTS = ['packs_supply']

/** PostgreSQL's serialization failure and deadlock, or another conflict: a retry may succeed. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof ConflictError) return true
  const found = driverError(error)
  if (found?.code === '23514') return CHECKS_OF_CONFLICTS.includes(found.constraint)
  return found?.code === '40001' || found?.code === '40P01'
}

/** Another transaction holds a lock, or waits for one of ours. */
export function isLockConflict(error: unknown): boolean {
  return isRetryable(error) || driverError(error)?.code === '55P03'
}

/** A prepared statement is unknown to the connection, or exists on it already, or the transaction failed for that. */
export function isLostStatement(error: unknown): boolean {
  return ['26000', '42P05', '25P02'].includes(driverError(error)?.code ?? '')
}

/** An earlier statement of the transaction failed. */
export function isAborted(error: unknown): boolean {
  return driverError(error)?.code === '25P02'
}

/** The server answered that the statement is wrong, and has not run it. */
export function isRefusedStatement(error: unknown): boolean {
  return driverError(error)?.code.startsWith('42') ?? false
}

/** PostgreSQL's response to DDL that was already done: the object to create exists, or the object to drop does not. */
export function isAlreadyDone(error: unknown): boolean {
  const code = driverError(error)?.code ?? ''
  return /^42(P07|701|710|723|P16|P01|703|704)$/.test(code)
}

/**
 * Without codes of sockets, such as EPIPE: Bun's client has its own codes, so these come from other connections or from a
 * pipe.
 */
const FAULTS: [DatabaseFault, RegExp][] = [
  ['busy', /^(SQLITE_BUSY|SQLITE_LOCKED|SQLITE_PROTOCOL|53200|53300|55P03|57014)/],
  ['full', /^(SQLITE_FULL|53100)/],
  ['read_only', /^(SQLITE_READONLY|SQLITE_PERM|25006)/],
  ['corrupt', /^(SQLITE_CORRUPT|SQLITE_NOTADB|XX001|XX002)/],
  [
    'unreachable',
    /^(SQLITE_CANTOPEN|SQLITE_IOERR|08|28|3D000|40003|57P0|58030|ERR_POSTGRES_CONNECTION|ERR_POSTGRES_IDLE|ERR_POSTGRES_LIFETIME)/,
  ],
]

/** Codes of Bun's client and of BoringSSL. */
const UNTRUSTED: [RegExp, string][] = [
  [/^ERR_POSTGRES_TLS_NOT_AVAILABLE/, 'the server offers no TLS'],
  [/^ERR_TLS_CERT_ALTNAME/, 'the certificate of the server is for another host name'],
  [/^CERT_HAS_EXPIRED|^CERT_NOT_YET_VALID/, 'the certificate of the server is not valid at this time'],
  [
    /^(ERR_POSTGRES_TLS|ERR_TLS|ERR_SSL|ERR_BORINGSSL|UNABLE_TO_|CERT_|DEPTH_ZERO|SELF_SIGNED|INVALID_CA|INVALID_PURPOSE)/,
    'the certificate of the server does not verify; DATABASE_CA names the CAs to trust',
  ],
]

/** SQLSTATE, or the code of Bun's client, which also reports a host name without address as a refused connection. */
const UNREACHABLE: [RegExp, string][] = [
  [/^28P01/, 'the server refuses the password'],
  [/^28/, 'the role does not exist, must not sign in, or is not admitted by pg_hba.conf'],
  [/^3D000/, 'the server has no database of this name'],
  [/^57P0[123]/, 'the server is starting or stopping'],
  [/^ERR_POSTGRES_CONNECTION_REFUSED/, 'nothing accepts connections at this address'],
  [/^ERR_POSTGRES_CONNECTION_TIMEOUT/, 'the server does not answer'],
  [/^ERR_POSTGRES_CONNECTION/, 'the connection broke'],
]

/** Why the database cannot be used, for `/readyz`, which is public. Only the log has the reason of `unreachable`. */
export function describeDatabaseError(thrown: unknown): string {
  const error = translateDatabaseError(thrown)
  if (!(error instanceof DatabaseError)) return 'database cannot be read'
  return error.fault === 'unreachable' ? new DatabaseError(error.fault).message : error.message
}

/** What triggers of `move --live` say in a source whose move has ended. */
export const MOVED = 'this database was moved: writes are refused'

/** Returns a `DatabaseError` when the database is at fault, else the error itself. */
export function translateDatabaseError(error: unknown): unknown {
  // Drizzle also wraps the errors of `postgres/client.ts`.
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof DatabaseError) return current
  }
  const { code = '', message } = driverError(error) ?? {}
  // PostgreSQL reports it as 25006.
  if (code === 'SQLITE_CONSTRAINT_TRIGGER' && message === MOVED) return new DatabaseError('read_only', error)
  const reasonIn = (reasons: [RegExp, string][]) => reasons.find(([pattern]) => pattern.test(code))?.[1]
  const untrusted = reasonIn(UNTRUSTED)
  if (untrusted !== undefined) return new DatabaseError('untrusted', error, untrusted)
  const fault = FAULTS.find(([, pattern]) => pattern.test(code))?.[0]
  return fault ? new DatabaseError(fault, error, reasonIn(UNREACHABLE)) : error
}
