/** Whole SQLite databases: a sound copy of one that is in use, and putting a copy in the place of another. */
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
import { defineTables } from '../schema/tables.ts'
import type { Reader, Sources } from '../types.ts'
import { queriesOn } from './database.ts'
import { findBrokenReferences } from './references.ts'
import { keepStatements } from './statements.ts'

/** Copied at once. */
const COPY_BYTES = 1024 * 1024

/**
 * Writes a copy of the database at `path`, as it is at one instant, to `target`, which must not exist; whoever reads or
 * writes goes on meanwhile. VACUUM INTO reads in one transaction of its own: the WAL grows until it is done, and no
 * lock is held that a writer needs. On return the copy is on the disk, for its owner alone to read.
 * Synchronous: it blocks the calling thread.
 */
export function copySqlite(path: string, target: string): void {
  const connection = open(path)
  try {
    // SQLite takes an empty file as it is.
    closeSync(createPrivate(target))
    connection.run('PRAGMA busy_timeout = 5000')
    connection.run('VACUUM INTO ?', [target])
  } catch (error) {
    throw translateDatabaseError(error)
  } finally {
    connection.close()
  }
  syncFile(target)
}

export interface Inspection {
  /** What `integrity_check` and `foreign_key_check` complain of; empty for a sound file. */
  faults: string[]
  /** Migrations that were applied to it; 0 when it is no database of ours. */
  migrations: number
  /** How many of those this version knows. */
  expectedMigrations: number
  /** They are all that this version has, and no others. */
  current: boolean
  /** Of all our tables. */
  rows: number
}

/** Reads a file that nobody writes. @throws DatabaseError `corrupt` when it is no database at all */
export function inspectSqlite(path: string): Inspection {
  const connection = open(path)
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
    const tables = Object.values(defineTables(sqlite))
      // Guarantee: these were defined in the dialect of SQLite.
      .map(table => getTableConfig(table as unknown as SQLiteTable).name)
      .filter(name => present.has(name))
    const counts = tables.map(name => Number(valuesOf(connection, `SELECT count(*) FROM "${name}"`)[0]?.[0]))
    const knownApplied = applied.filter(at => known.has(at)).length
    return {
      faults: [...integrity.filter(word => word !== 'ok'), ...references],
      migrations: applied.length,
      expectedMigrations: knownApplied,
      current: knownApplied === applied.length && knownApplied === known.size,
      rows: counts.reduce((sum, rows) => sum + rows, 0),
    }
  } catch (error) {
    throw translateDatabaseError(error)
  } finally {
    connection.close()
  }
}

/** Queries on a file that nobody writes, without a change to it; its schema must be current. */
export function openSqliteCopy(path: string, sources: Sources): { read: Reader; close(): void } {
  const connection = open(path)
  connection.run('PRAGMA query_only = ON')
  const statements = keepStatements(connection)
  return {
    read: queriesOn(connection, sources),
    close() {
      // A statement that lingers would keep a closed connection's lock.
      statements.finalize()
      connection.close()
    },
  }
}

export interface ReplaceOptions {
  /** Also replace a file that SQLite cannot read; whether it is in use is then not known. */
  evenCorrupt?: boolean
  /** Changes the copy before it takes the place; closes what it opens. */
  prepare?: (copy: string) => Promise<void>
}

/**
 * Puts a copy of `source` in the place of the database at `path`, in one step, and keeps what was there at `aside`.
 * No process may have the database open. The new file has the mode of the one that it replaces, or else 0600.
 * @throws DatabaseError `busy` while another process has it open; nothing has changed then
 */
export async function replaceSqlite(
  source: string,
  path: string,
  aside: string,
  { evenCorrupt = false, prepare }: ReplaceOptions = {},
): Promise<void> {
  const incoming = `${path}.incoming`
  removeSqlite(incoming)
  try {
    copyFile(source, incoming, path)
    await prepare?.(incoming)
    if (existsSync(path)) {
      const release = takeAlone(path, evenCorrupt)
      try {
        putAside(path, aside)
        renameSync(incoming, path)
      } finally {
        release()
      }
    } else {
      renameSync(incoming, path)
    }
  } finally {
    removeSqlite(incoming)
  }
  syncFile(dirname(path))
}

/** Deletes a database with its journal, WAL and shared memory, where they exist. */
export function removeSqlite(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/** Moves a file to its name at last, and waits for the disk. */
export function placeFile(from: string, to: string): void {
  renameSync(from, to)
  syncFile(dirname(to))
}

export const bytesOf = (path: string): number => statSync(path).size

/**
 * Every connection in WAL mode holds a shared lock on the file for as long as it lives, so leaving that mode succeeds
 * for the only one. It also writes the WAL back: the file is whole by itself. Answers how to let go.
 */
function takeAlone(path: string, evenCorrupt: boolean): () => void {
  const connection = open(path)
  try {
    connection.run('PRAGMA busy_timeout = 0')
    connection.run('PRAGMA journal_mode = DELETE')
    connection.run('BEGIN EXCLUSIVE')
    return () => connection.close()
  } catch (error) {
    connection.close()
    const translated = translateDatabaseError(error)
    const corrupt = translated instanceof DatabaseError && translated.fault === 'corrupt'
    if (corrupt && evenCorrupt) return () => {}
    throw translated
  }
}

/** The name stays taken until the new file has it: there is no instant without a database. */
function putAside(path: string, aside: string): void {
  try {
    linkSync(path, aside)
  } catch {
    // A file system without links.
    renameSync(path, aside)
  }
  for (const suffix of ['-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  }
}

/** Without the pragmas of a server's connection: a look must not change the file. */
function open(path: string): Connection {
  if (!existsSync(path)) throw new DatabaseError('unreachable')
  return new Connection(path, { readwrite: true, strict: true })
}

/** Its statement is gone when it returns: one that lingers would keep a closed connection's lock. */
function valuesOf(connection: Connection, text: string): unknown[][] {
  const statement = connection.prepare(text)
  try {
    return statement.values()
  } finally {
    statement.finalize()
  }
}

/** Creates a file for its owner alone, and answers its descriptor. */
const createPrivate = (path: string) => openSync(path, 'wx', 0o600)

/**
 * As readable as the file whose place it takes, where the group is the same one; else for its owner alone.
 * `copyFileSync` would give it the source's mode.
 */
function copyFile(source: string, target: string, replaced: string): void {
  const from = openSync(source, 'r')
  try {
    const to = createPrivate(target)
    try {
      const model = statSync(replaced, { throwIfNoEntry: false })
      if (model && model.gid === fstatSync(to).gid) fchmodSync(to, (model.mode & 0o666) | 0o600)
      copyBytes(from, to)
      fsyncSync(to)
    } finally {
      closeSync(to)
    }
  } finally {
    closeSync(from)
  }
}

function copyBytes(from: number, to: number): void {
  const buffer = new Uint8Array(COPY_BYTES)
  for (let read = readSync(from, buffer); read > 0; read = readSync(from, buffer)) {
    for (let at = 0; at < read; ) at += writeSync(to, buffer, at, read - at)
  }
}

/** Of a file or a folder: what was written is on the disk. */
function syncFile(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
