/** Whole SQLite databases: copies one that is in use, inspects a copy, and replaces a database by a copy. */
import { Database as Connection } from 'bun:sqlite'
import {
  closeSync,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { DatabaseError, translateDatabaseError } from '../errors.ts'
import { expectedMigrations } from '../expected-schema.ts'
import { sqlite } from '../schema/columns.ts'
import { tablesOf } from '../schema/tables.ts'
import type { Database, Sources } from '../types.ts'
import { queriesOn } from './database.ts'
import { findBrokenReferences } from './references.ts'
import { cacheStatements } from './statements.ts'

/** Size of the copy buffer. */
const COPY_BYTES = 1024 * 1024

/**
 * Copies a consistent snapshot of the database at `path` to `target`, which must not exist. Reads and writes continue: VACUUM
 * INTO reads in one transaction, so the WAL grows until it ends, and no writer waits for a lock. On return the copy is
 * durable and has mode 0600. Synchronous: blocks the calling thread.
 */
export function copySqlite(path: string, target: string): void {
  using connection = open(path)
  try {
    // VACUUM INTO accepts an empty file and keeps its mode.
    closeSync(openSync(target, 'wx', 0o600))
    connection.run('PRAGMA busy_timeout = 5000')
    connection.run('VACUUM INTO ?', [target])
  } catch (error) {
    throw translateDatabaseError(error)
  }
  syncFile(target)
}

export interface Inspection {
  /** What `integrity_check` and `foreign_key_check` report. Empty for an undamaged file. */
  faults: string[]
  /** Applied migrations; 0 when it is not a database of Matchday. */
  migrations: number
  /** The applied migrations are exactly the expected ones. */
  current: boolean
  /** In all tables of Matchday. */
  rows: number
}

/** Reads a file that has no writers. @throws DatabaseError `corrupt` when it is not a database */
export function inspectSqlite(path: string): Inspection {
  using connection = open(path)
  try {
    const integrity = valuesOf(connection, 'PRAGMA integrity_check(20)').flat().map(String)
    const references = findBrokenReferences(statement => valuesOf(connection, statement)).slice(0, 20)
    const present = new Set(
      valuesOf(connection, "SELECT name FROM sqlite_schema WHERE type = 'table'").flat(),
    )
    const applied = present.has('__drizzle_migrations')
      ? valuesOf(connection, 'SELECT created_at FROM __drizzle_migrations').flat().map(Number)
      : []
    const known = new Set(expectedMigrations('sqlite').map(({ folderMillis }) => folderMillis))
    const tables = Object.values(tablesOf(sqlite))
      // Guarantee: these were defined in the dialect of SQLite.
      .map(table => getTableConfig(table as unknown as SQLiteTable).name)
      .filter(name => present.has(name))
    const counts = tables.map(name => Number(valuesOf(connection, `SELECT count(*) FROM "${name}"`)[0]?.[0]))
    const knownApplied = applied.filter(at => known.has(at)).length
    return {
      faults: [...integrity.filter(word => word !== 'ok'), ...references],
      migrations: applied.length,
      current: knownApplied === applied.length && knownApplied === known.size,
      rows: counts.reduce((sum, rows) => sum + rows, 0),
    }
  } catch (error) {
    throw translateDatabaseError(error)
  }
}

interface SqliteCopy extends Pick<Database, 'read' | 'snapshot'> {
  close(): void
}

/** Queries on a file that has no writers, without changing it. Its schema must be current. */
export function openSqliteCopy(path: string, sources: Sources): SqliteCopy {
  const connection = open(path)
  connection.run('PRAGMA query_only = ON')
  const statements = cacheStatements(connection)
  const read = queriesOn(connection, sources)
  return {
    read,
    snapshot: work => work(read),
    close() {
      // An unfinalized statement would keep the lock of the closed connection.
      statements.finalize()
      connection.close()
    },
  }
}

export interface ReplaceOptions {
  /** Also replace a file that SQLite cannot read. Whether it is in use is then unknown. */
  allowCorrupt?: boolean
  /** Changes the copy before it replaces the database. Must close what it opens. */
  prepare?: (copy: string) => Promise<void>
}

/**
 * Replaces the database at `path` by a copy of `source`, atomically, and moves the old one to `aside`. No process may have
 * the database open. The new file has the mode of the old one, or 0600.
 * @throws DatabaseError `busy` while another process has it open, with nothing changed
 */
export async function replaceSqlite(
  source: string,
  path: string,
  aside: string,
  { allowCorrupt = false, prepare }: ReplaceOptions = {},
): Promise<void> {
  const incoming = `${path}.incoming`
  removeSqlite(incoming)
  try {
    copyFile(source, incoming, path)
    await prepare?.(incoming)
    if (existsSync(path)) {
      using _lock = lockExclusively(path, allowCorrupt)
      moveAside(path, aside)
      renameSync(incoming, path)
    } else {
      renameSync(incoming, path)
    }
  } finally {
    removeSqlite(incoming)
  }
  syncFile(dirname(path))
}

/**
 * Deletes a database that no process has open. One that is absent, or that SQLite cannot read, is deleted as well.
 * @throws DatabaseError `busy` while another process has it open, with nothing changed
 */
export function dropSqlite(path: string): void {
  if (existsSync(path)) {
    using _lock = lockExclusively(path, true)
    rmSync(path)
  }
  removeSqlite(path)
}

/** Deletes a database with its journal, WAL and shared memory files. */
export function removeSqlite(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm', '-commits']) rmSync(path + suffix, { force: true })
}

/** Renames a file durably. */
export function moveFile(from: string, to: string): void {
  renameSync(from, to)
  syncFile(dirname(to))
}

export const fileSize = (path: string): number => statSync(path).size

/**
 * Locks a database that no other process has open, until the result is disposed of. Every connection in WAL mode
 * holds a shared lock, so only a sole connection can leave that mode. Leaving it also checkpoints the WAL into the file.
 */
function lockExclusively(path: string, allowCorrupt: boolean): Disposable {
  const connection = open(path)
  try {
    connection.run('PRAGMA busy_timeout = 0')
    connection.run('PRAGMA journal_mode = DELETE')
    connection.run('BEGIN EXCLUSIVE')
    return { [Symbol.dispose]: () => connection.close() }
  } catch (error) {
    connection.close()
    const translated = translateDatabaseError(error)
    const corrupt = translated instanceof DatabaseError && translated.fault === 'corrupt'
    if (corrupt && allowCorrupt) return { [Symbol.dispose]() {} }
    throw translated
  }
}

/** A hard link keeps the database at `path` until the rename replaces it: it never goes missing. */
function moveAside(path: string, aside: string): void {
  try {
    linkSync(path, aside)
  } catch {
    // The file system has no hard links.
    renameSync(path, aside)
  }
  for (const suffix of ['-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  }
}

/** Without the pragmas of `connectSqlite`: reading must not change the file. */
function open(path: string): Connection {
  if (!existsSync(path)) throw new DatabaseError('unreachable')
  return new Connection(path, { readwrite: true, strict: true })
}

/** Finalizes its statement: an unfinalized one would keep the lock of a closed connection. */
function valuesOf(connection: Connection, text: string): unknown[][] {
  using statement = connection.prepare(text)
  return statement.values()
}

/** A file that is closed at the end of its block. A new one has mode 0600. */
function openFile(path: string, flags: 'r' | 'wx') {
  const descriptor = openSync(path, flags, 0o600)
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) }
}

/**
 * The copy gets the mode of the file that it replaces when the group is the same, else 0600. `copyFileSync` would give it the
 * mode of the source.
 */
function copyFile(source: string, target: string, replaced: string): void {
  using from = openFile(source, 'r')
  using to = openFile(target, 'wx')
  const model = statSync(replaced, { throwIfNoEntry: false })
  if (model && model.gid === fstatSync(to.descriptor).gid)
    fchmodSync(to.descriptor, (model.mode & 0o666) | 0o600)
  copyBytes(from.descriptor, to.descriptor)
  fsyncSync(to.descriptor)
}

function copyBytes(from: number, to: number): void {
  const buffer = new Uint8Array(COPY_BYTES)
  for (let read = readSync(from, buffer); read > 0; read = readSync(from, buffer)) {
    for (let offset = 0; offset < read; ) offset += writeSync(to, buffer, offset, read - offset)
  }
}

/** Fsyncs a file or a directory. */
export function syncFile(path: string): void {
  using file = openFile(path, 'r')
  fsyncSync(file.descriptor)
}
