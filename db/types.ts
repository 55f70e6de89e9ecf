/** The interface of the database: readers, units of work and tables. */
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { PostgresOptions } from './postgres/connect.ts'
import type { Tables } from './schema/tables.ts'
import type { WriteLoad } from './write-meter.ts'

/** Sources of time, ids and randomness, which tests replace. */
export interface Sources {
  now(): Date
  /** A UUIDv7, except in tests and seeds. */
  newId(): string
  /** Cryptographically secure random bytes. */
  randomBytes(size: number): Uint8Array
}

type Drizzle = PgDatabase<PgQueryResultHKT>

/**
 * State that rooms of the application share in the memory of a process, for one database. Each room declares its part of
 * this type (`declare module`), and `src/app/spine.ts` creates all parts.
 */
// biome-ignore lint/suspicious/noEmptyInterface: rooms add their parts
export interface Spine {}

/** Queries on committed data. */
export interface Reader extends Pick<Drizzle, 'select' | 'selectDistinct' | '$with' | 'with'>, Sources {
  readonly tables: Tables
  /** All readers and units of work of a database have the same. */
  readonly spine: Spine
  /** Statements of `prepared` on this connection, by name. */
  readonly statements: Pick<Map<string, unknown>, 'get' | 'set'>
}

/**
 * A unit of work: all of its writes are committed, or none. It must await nothing but its own queries.
 * Its `now()` is constant, so that all its writes have the same time.
 */
export interface Transaction extends Reader, Pick<Drizzle, 'insert' | 'update' | 'delete'> {
  /** The current time. After a wait for a lock, `now()` is in the past. */
  clock(): Date
  /** Runs `effect` when the unit of work is durable, never otherwise. `effect` must not throw: it cannot undo the write. */
  afterCommit(effect: () => void): void
  /** Invalidates cached responses with this tag after the commit, never without one: see `Database.onInvalidate`. */
  invalidate(tag: string): void
  /** The changes of a kind that this unit of work writes at its end. No query sees them before. */
  deferred<State>(kind: Deferred<State>): State
}

/** A kind of collected changes, with one `State` for each unit of work that asks for it. */
export interface Deferred<State> {
  /** The order of kinds, the same in each unit of work, which prevents deadlocks. The busiest rows come last. */
  order: number
  start(): State
  /** Writes the collected changes. The statements that it returns run afterwards, in order. */
  write(tx: Transaction, state: State): Promise<LastStatement[]>
}

/** A statement with its values, to run later. Its result is ignored. */
export interface LastStatement {
  query(): Query
  run(): Promise<unknown>
}

export interface Query {
  sql: string
  params: unknown[]
}

export interface Database {
  readonly engine: 'sqlite' | 'postgres'
  readonly tables: Tables
  /**
   * For queries outside a unit of work, within which they throw. Reads committed data only. Queries reject with the driver's
   * error, which `translateDatabaseError` translates.
   */
  readonly read: Reader
  /**
   * Runs one unit of work and resolves when it is durable. After a conflict on PostgreSQL `work` runs again, so all its
   * effects must be in the database and in `afterCommit`. Does not nest.
   * @throws what `work` throws, with nothing written; `DatabaseError` when the database is at fault
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /**
   * Runs queries that all see the same committed data, and rejects as `read` does. `work` must await nothing but these: until
   * it ends, SQLite's WAL grows and PostgreSQL keeps deleted rows. After a conflict on PostgreSQL `work` runs again.
   */
  snapshot<T>(work: (read: Reader) => Promise<T>): Promise<T>
  /** The duration of a write, and the pending ones. */
  writeLoad(): WriteLoad
  /** Use of the connections to PostgreSQL at this moment; null on SQLite. */
  poolLoad(): PoolLoad | null
  /** Calls `listener` with each tag that a committed unit of work of this process invalidated, before a reader sees its writes. */
  onInvalidate(listener: (tag: string) => void): void
  /**
   * A number that changes with each commit by another process or another connection of this one. Two equal numbers mean
   * that there was none in between. Null on PostgreSQL, which has no such number.
   */
  externalCommits(): number | null
  /** Rejects with a `DatabaseError` when the database cannot be read, or has refused a write and still refuses them. */
  ping(): Promise<void>
  /**
   * Like `ping`, and returns how far the clock of this process is ahead of the clock of the database server, in
   * milliseconds. 0 on SQLite.
   */
  clockSkewMs(): Promise<number>
  /**
   * Truncates SQLite's WAL, so that it holds no deleted content. False when another connection still reads an older
   * snapshot after `timeoutMs`. Null on PostgreSQL, where the server manages the WAL.
   */
  truncateLog(timeoutMs: number): Promise<boolean | null>
  /** Damage of indexes, constraints and foreign keys that the engine's own check reports. Empty when there is none. */
  findDamage(): Promise<string[]>
  /** Waits for running units of work, then closes. */
  close(): Promise<void>
}

interface PoolLoad {
  /** Maximum number of connections. */
  size: number
  /** Units of work that have a connection. */
  transactions: number
  /** Units of work that wait for one. */
  waiting: number
  /** Statements outside of units of work that run. */
  statements: number
}

/** Observes the database. Its functions must be fast and must not throw. */
export interface DatabaseObserver {
  /** A unit of work ended, committed or not. Milliseconds, including its wait. */
  writeEnded(ms: number): void
  /** SQLite: this number of units of work shared a COMMIT. */
  committed(units: number): void
  /** SQLite: an fsync of the WAL ended. Milliseconds. */
  flushed(ms: number): void
}

export interface DatabaseOptions {
  /** Needed by verbs that use it. Without it, the use of any part throws a clear error. */
  spine?: Spine
  observer?: DatabaseObserver | undefined
  /**
   * For a repeatable command with exclusive use of the database: faster, with more memory. A power cut may lose the last
   * units of work, each as a whole and in order.
   */
  bulk?: boolean
  /** For a server: SQLite's disk I/O runs outside the thread that opens the database. */
  offloadDisk?: boolean
  postgres?: PostgresOptions
}
