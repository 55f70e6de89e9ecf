/** Connections to a SQLite file, and its write lock. */
import { Database as Connection } from 'bun:sqlite'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseError, translateDatabaseError } from '../errors.ts'

/** Pause between two attempts to take the write lock, which another process holds for a few milliseconds at a time. */
const LOCK_RETRY_MS = 2
/** The WAL is truncated to this size after a checkpoint. A long read prevents checkpoints, so it can grow larger. */
const WAL_BYTES = 16 * 1024 * 1024

export function connectSqlite(path: string): Connection {
  mkdirSync(dirname(path), { recursive: true })
  createPrivate(path)
  const connection = new Connection(path, { create: true, strict: true })
  connection.run('PRAGMA busy_timeout = 5000')
  connection.run('PRAGMA journal_mode = WAL')
  // FULL: an acknowledged write survives a power cut, not only a crash of the process.
  connection.run('PRAGMA synchronous = FULL')
  connection.run('PRAGMA foreign_keys = ON')
  // On every connection: without it, splitting a page leaves a copy of bytes that a later erasure does not overwrite.
  connection.run('PRAGMA secure_delete = ON')
  connection.run(`PRAGMA journal_size_limit = ${WAL_BYTES}`)
  return connection
}

/**
 * Creates a missing file with mode 0600, since it holds personal data. SQLite gives the WAL the same mode. An existing file
 * is not opened: closing it would release the locks of this process's other connections (POSIX).
 */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch {
    // The file exists, or SQLite reports why it cannot be created.
  }
}

/**
 * Returns a function that takes the write lock of a connection with BEGIN IMMEDIATE. It waits outside SQLite, whose busy
 * timeout would block the event loop and is disabled here. `beforeEach` is called before each attempt, and `shouldRetry`
 * after each that failed; when it returns false, the wait ends without the lock.
 */
export function createWriteLock(connection: Connection, beforeEach = () => {}) {
  connection.run('PRAGMA busy_timeout = 0')
  const begin = connection.query('BEGIN IMMEDIATE')
  return async (shouldRetry: () => boolean): Promise<boolean> => {
    for (;;) {
      try {
        beforeEach()
        begin.run()
        return true
      } catch (error) {
        const translated = translateDatabaseError(error)
        if (!(translated instanceof DatabaseError && translated.fault === 'busy')) throw translated
        if (!shouldRetry()) return false
        await Bun.sleep(LOCK_RETRY_MS * (0.5 + Math.random()))
      }
    }
  }
}

/** An fsync at each checkpoint instead of each commit, and a cache that keeps often written pages in memory. */
export function configureBulk(connection: Connection) {
  connection.run('PRAGMA synchronous = NORMAL')
  connection.run('PRAGMA cache_size = -524288')
  connection.run('PRAGMA wal_autocheckpoint = 131072')
}
