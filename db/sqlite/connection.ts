/** Connections to a SQLite file, and its one write lock. */
import { Database as Connection } from 'bun:sqlite'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseError, translateDatabaseError } from '../errors.ts'

/** Between two attempts at another process's lock, which is held for a few milliseconds at a time. */
const LOCK_RETRY_MS = 2
/** To which the WAL shrinks again after a long reader, who kept it from being written back. */
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
  // On every connection: a page that one without it splits keeps bytes that a later erasure does not find.
  connection.run('PRAGMA secure_delete = ON')
  connection.run(`PRAGMA journal_size_limit = ${WAL_BYTES}`)
  return connection
}

/**
 * Makes the file, unless it is there, for its owner alone: it holds what fans wrote. SQLite gives its log the same mode.
 * A file that is there is not opened: closing it would drop the locks of this process's other connections (POSIX).
 */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch {
    // It is there, or SQLite says why it cannot be.
  }
}

/**
 * What takes a connection's write lock, by BEGIN IMMEDIATE. It waits outside of SQLite, whose own busy timeout, switched off
 * for this connection, would stop the event loop. `goOn` is asked after each attempt that failed; false ends the wait without
 * the lock.
 */
export function createWriteLock(connection: Connection): (goOn: () => boolean) => Promise<boolean> {
  connection.run('PRAGMA busy_timeout = 0')
  const begin = connection.query('BEGIN IMMEDIATE')
  return async goOn => {
    for (;;) {
      try {
        begin.run()
        return true
      } catch (error) {
        const translated = translateDatabaseError(error)
        if (!(translated instanceof DatabaseError && translated.fault === 'busy')) throw translated
        if (!goOn()) return false
        await Bun.sleep(LOCK_RETRY_MS * (0.5 + Math.random()))
      }
    }
  }
}

/** One fsync a checkpoint, not one a commit; and pages that are written again and again stay in memory meanwhile. */
export function forBulk(connection: Connection) {
  connection.run('PRAGMA synchronous = NORMAL')
  connection.run('PRAGMA cache_size = -524288')
  connection.run('PRAGMA wal_autocheckpoint = 131072')
}
