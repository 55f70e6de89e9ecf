/** SQLite in WAL mode: one writer connection with group commit, and a second connection for reads while a batch is open. */
import type { Database as Connection } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { keptStatements } from '../built-statements.ts'
import { onSqlite } from '../drizzle-internals.ts'
import { DatabaseError, translateDatabaseError } from '../errors.ts'
import { requireExpectedSchema } from '../expected-schema.ts'
import { noSpine } from '../no-spine.ts'
import { sqlite } from '../schema/columns.ts'
import { tablesOf } from '../schema/tables.ts'
import type { Database, DatabaseOptions, Reader, Sources, Transaction } from '../types.ts'
import { createWorkScope, outsideWork } from '../work-scope.ts'
import { createWriteHealth } from '../write-health.ts'
import { createWriteMeter } from '../write-meter.ts'
import { openCommitCounter } from './commit-counter.ts'
import { configureBulk, connectSqlite } from './connection.ts'
import { createGroupCommit, type GroupCommitOptions } from './group-commit.ts'
import { findBrokenReferences } from './references.ts'
import { createSharedRead } from './shared-read.ts'
import { cacheStatements, onEither } from './statements.ts'
import { type Disk, openWal } from './wal.ts'

/**
 * Cache of the writer, which also reads. With SQLite's default of 2 MB, a profile reads five pages from the operating
 * system.
 */
const CACHE_KB = 16_384
/** Pause between two attempts to truncate the WAL while other connections read. */
const TRUNCATE_RETRY_MS = 20

/** Drizzle on one connection, typed as the interface that both engines share (see `columns.ts`). */
export function queriesOn(connection: Connection, sources: Sources, spine = noSpine): Reader {
  // Guarantee of the cast: `columns.ts` types the tables of both engines alike, and the members are added below.
  const queries = drizzle(connection, { casing: 'snake_case' }) as unknown as Reader
  const tables = tablesOf(sqlite)
  const statements = keptStatements(tables, queries, statement => onSqlite(statement, connection))
  return Object.assign(queries, { tables, spine, statements, ...sources })
}

function connectReader(path: string): Connection {
  const connection = connectSqlite(path)
  connection.run('PRAGMA busy_timeout = 100')
  connection.run('PRAGMA query_only = ON')
  return connection
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

export interface SqliteOptions extends DatabaseOptions, GroupCommitOptions {
  /** Replaces `systemDisk` with `offloadDisk`. */
  disk?: Disk
}

export function openSqlite(path: string, sources: Sources, options: SqliteOptions = {}): Database {
  if (path === '' || path.startsWith(':memory:')) {
    throw new Error('Matchday needs a file (sqlite:PATH): its reader and its writer are two connections')
  }
  const writer = connectSqlite(path)
  if (options.bulk) configureBulk(writer)
  else {
    writer.run(`PRAGMA cache_size = -${CACHE_KB}`)
    // Keeps savepoint journals in memory. Otherwise SQLite writes journals over 64 KB to a temporary file, page by page, for
    // the rest of the batch.
    writer.run('PRAGMA temp_store = MEMORY')
  }
  const wal = options.offloadDisk ? openWal(path, writer, options.disk) : undefined
  const reader = connectReader(path)

  const commitCounter = openCommitCounter(path)
  const sharedRead = createSharedRead(reader, writer, commitCounter)
  const statements = [cacheStatements(reader, onEither(writer, sharedRead.enter)), cacheStatements(writer)]
  const scope = createWorkScope()
  const read = outsideWork(queriesOn(reader, sources, options.spine), scope)
  const { spine } = read
  const listeners: ((tag: string) => void)[] = []
  const meter = createWriteMeter(0.2, { onEnd: options.observer?.writeEnded })
  const writeHealth = createWriteHealth(['full', 'read_only', 'corrupt', 'unreachable'], () =>
    commits.write(async () => {
      // Allocates pages and frees them: fails on a full disk.
      writer.run('CREATE TABLE "__write_probe" AS SELECT zeroblob(65536) AS value')
      writer.run('DROP TABLE "__write_probe"')
    }),
  )
  const commits = createGroupCommit({
    ...options,
    writer,
    queries: queriesOn(writer, sources, spine),
    sources,
    scope,
    wal,
    translate(error) {
      const translated = translateDatabaseError(error)
      writeHealth.record(translated)
      return translated
    },
    endRead: sharedRead.end,
    onCommit: commitCounter.add,
    onInvalidate(tag) {
      for (const listener of listeners) listener(tag)
    },
  })
  let closed = false

  return {
    engine: 'sqlite',
    tables: tablesOf(sqlite),
    read,
    async write<T>(work: (tx: Transaction) => Promise<T>) {
      if (closed) throw new DatabaseError('unreachable')
      return meter.measure(() => commits.write(work))
    },
    async snapshot(work) {
      // A connection of its own: a transaction of `reader` ends with the turn.
      const connection = connectReader(path)
      const cached = cacheStatements(connection)
      try {
        connection.run('BEGIN')
        return await work(queriesOn(connection, sources, spine))
      } finally {
        cached.finalize()
        connection.close()
      }
    },
    writeLoad: meter.load,
    poolLoad: () => null,
    onInvalidate(listener) {
      listeners.push(listener)
    },
    externalCommits: sharedRead.externalCommits,
    clockSkewMs: async () => 0,
    async ping() {
      try {
        // Guarantee of the cast: the only column.
        const row = reader.query('SELECT count(*) AS applied FROM "__drizzle_migrations"').get()
        requireExpectedSchema('sqlite', (row as { applied: number }).applied)
        await writeHealth.check()
        wal?.requireHealthy()
      } catch (error) {
        throw translateDatabaseError(error)
      }
    },
    async truncateLog(timeoutMs) {
      const deadline = performance.now() + timeoutMs
      for (;;) {
        await commits.idle()
        // Another batch may have begun.
        sharedRead.end()
        if (!writer.inTransaction) {
          const [row] = writer.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').all()
          if (row?.busy === 0) return true
        }
        if (performance.now() > deadline) return false
        await Bun.sleep(TRUNCATE_RETRY_MS)
      }
    },
    async findDamage() {
      try {
        const found = reader.query('PRAGMA integrity_check').values().flat().map(String)
        const refer = findBrokenReferences(statement => reader.query(statement).values())
        return [...found.filter(line => line !== 'ok'), ...refer]
      } catch (error) {
        const fault = translateDatabaseError(error)
        if (fault instanceof DatabaseError && fault.fault === 'corrupt') return [messageOf(error)]
        throw fault
      }
    },
    async close() {
      if (closed) return
      closed = true
      await commits.idle()
      sharedRead.close()
      for (const kept of statements) kept.finalize()
      reader.close()
      await wal?.close()
      // A reader in another process prevents the truncation. The WAL is durable, so there is no need to wait.
      writer.run('PRAGMA busy_timeout = 100')
      // Leaves a single file: close() alone keeps the WAL while a statement is not finalized.
      writer.run('PRAGMA wal_checkpoint(TRUNCATE)')
      writer.close()
    },
  }
}
