/** What makes many small queries cheap on SQLite: statements kept compiled, and reads that share a snapshot. */
import type { Database as Connection, SQLQueryBindings, Statement } from 'bun:sqlite'
import { LRUCache } from 'lru-cache'

/** Of one connection. */
const MOST_STATEMENTS = 500

type Parameters = SQLQueryBindings[]

/** Drizzle compiles a statement at every use: this keeps them, by their text. `beforeUse` is called before each runs. */
export function keepStatements(connection: Connection, beforeUse?: () => void): { finalize(): void } {
  const kept = new LRUCache<string, Statement>({ max: MOST_STATEMENTS })
  const prepare = connection.prepare.bind(connection)

  function prepareOnce(text: string) {
    const statement = kept.get(text) ?? prepare(text)
    kept.set(text, statement)
    if (!beforeUse) return statement
    return {
      run: statement.run.bind(statement),
      all(...parameters: Parameters) {
        beforeUse()
        return statement.all(...parameters)
      },
      values(...parameters: Parameters) {
        beforeUse()
        return statement.values(...parameters)
      },
    }
  }
  // Guarantee of the cast: Drizzle prepares with the text alone, and reads through `all` and `values`.
  connection.prepare = prepareOnce as typeof connection.prepare
  return {
    finalize() {
      for (const statement of kept.values()) statement.finalize()
    },
  }
}

export interface Turns {
  /** Before each read: takes the turn's snapshot, unless it is there. */
  beforeRead(): void
  /** Ends the snapshot: what is read next sees what has been committed since. */
  release(): void
  /** Keeps the snapshot of what is committed now, for all reads until `release`. */
  hold(): void
  /** See `Database.foreignCommits`. */
  foreignCommits(): number
}

/**
 * Each read of its own would take and give back the lock of a snapshot, which costs more than the read. So the reads of one
 * turn of the event loop share one; it ends with the turn, and at once when a batch of this process has been committed. A
 * request that arrives later is read in a later turn, and so sees all that was answered before it, by any process.
 *
 * Others' commits are counted once a turn as well, and always before the snapshot: what is read may be newer than the count
 * that it is kept under, never older. `data_version` of the writer changes with the commits of all but itself.
 */
export function shareTurns(reader: Connection, writer: Connection): Turns {
  const begin = reader.prepare('BEGIN')
  const commit = reader.prepare('COMMIT')
  const readVersion = writer.prepare<{ data_version: number }, []>('PRAGMA data_version')
  let version = readVersion.get()?.data_version
  let commits = 0
  let counted = false
  let open = false
  let held = false
  // BEGIN alone takes no snapshot: the first read does.
  const readAnything = reader.prepare('SELECT 1 FROM sqlite_schema LIMIT 1')

  /** Never throws: a read that met a damaged page may have ended the snapshot by itself, or left it in no state to commit. */
  function release() {
    held = false
    if (!open) return
    open = false
    try {
      if (reader.inTransaction) commit.run()
    } catch {
      rollBack()
    }
  }

  function rollBack() {
    try {
      if (reader.inTransaction) reader.run('ROLLBACK')
    } catch {}
  }

  function endTurn() {
    counted = false
    if (!held) release()
  }

  function foreignCommits() {
    if (counted) return commits
    const now = readVersion.get()?.data_version
    // Not before it was read: what could not be asked is asked again.
    counted = true
    setImmediate(endTurn)
    if (now !== version) commits++
    version = now
    return commits
  }

  function beforeRead() {
    if (open) return
    foreignCommits()
    begin.run()
    open = true
  }

  return {
    beforeRead,
    release,
    hold() {
      beforeRead()
      readAnything.get()
      held = true
    },
    foreignCommits,
  }
}
