/** The database as verbs see it: readers, units of work, and the tables. */
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { PostgresSettings } from './postgres/client.ts'
import type { Tables } from './schema/tables.ts'
import type { WriteLoad } from './write-meter.ts'

/** Where time, ids and randomness come from, so that a test can own them. */
export interface Sources {
  now(): Date
  /** A UUIDv7, unless a test or a seed decides otherwise. */
  newId(): string
  /** Unguessable bytes. */
  randomBytes(size: number): Uint8Array
}

type Drizzle = PgDatabase<PgQueryResultHKT>

/** Queries on what is committed. */
export interface Reader extends Pick<Drizzle, 'select' | 'selectDistinct' | '$with' | 'with'>, Sources {
  readonly tables: Tables
  /** Statements of `prepared` on this connection, by name. */
  readonly statements: Pick<Map<string, unknown>, 'get' | 'set'>
}

/**
 * A unit of work: everything through it happens, or nothing. It must await nothing but its own queries.
 * Its `now()` is one instant, so that all it writes bears the same time.
 */
export interface Transaction extends Reader, Pick<Drizzle, 'insert' | 'update' | 'delete'> {
  /** The clock itself: what has waited for a lock must not judge by `now()`, which was before. */
  clock(): Date
  /** Runs once the unit of work is durable, and never when it is not. Must not throw: it cannot undo the write. */
  afterCommit(effect: () => void): void
  /** Invalidates the cached responses with this tag after the commit, and never without one: see `Database.onInvalidate`. */
  invalidate(tag: string): void
}

export interface Database {
  readonly engine: 'sqlite' | 'postgres'
  readonly tables: Tables
  /**
   * For queries outside a unit of work. Sees committed data only. Queries reject with the driver's error:
   * `translateDatabaseError` tells what it means.
   */
  readonly read: Reader
  /**
   * Runs one unit of work and answers when it is durable. It may be run again after a conflict on PostgreSQL,
   * so it keeps its effects in the database and in `afterCommit`. Does not nest.
   * @throws whatever `work` throws, with nothing written; `DatabaseError` when the engine is at fault
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** How fast writes are done, and how long the oldest has waited. */
  writeLoad(): WriteLoad
  /** Calls `listener` with each tag that a committed unit of work of this process invalidated, before a reader sees its writes. */
  onInvalidate(listener: (tag: string) => void): void
  /**
   * A number that changes with each commit of another process, or of another connection of this one: the same number twice
   * says that there was none in between. Null on PostgreSQL, which does not tell.
   */
  foreignCommits(): number | null
  /** Rejects with a `DatabaseError` when the database cannot be read, or has refused writes and still does. */
  ping(): Promise<void>
  /**
   * Empties SQLite's WAL, so that it holds no deleted content. False when another connection still reads an older state
   * after `patienceMs`. Null on PostgreSQL, where the server manages the WAL.
   */
  truncateLog(patienceMs: number): Promise<boolean | null>
  /** What the engine itself finds wrong with its files, in its own words: indexes, checks, rows that refer to nothing. */
  findDamage(): Promise<string[]>
  /** Lets running work finish, then closes. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  /**
   * For a process alone with the database that can run again: a power cut may take the last units of work, whole and
   * in order, and memory is spent on speed.
   */
  bulk?: boolean
  /** For a process that answers requests: SQLite's disk work leaves the thread that opens the database. */
  offloadDisk?: boolean
  /** What differs from `postgresDefaults`. */
  postgres?: Partial<PostgresSettings>
}
