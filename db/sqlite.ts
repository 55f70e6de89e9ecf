/** SQLite: one writer with group commit, one reader, in WAL. */
import type { Database as Connection } from 'bun:sqlite'
import { AsyncLocalStorage } from 'node:async_hooks'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { sqlite } from './columns.ts'
import { DatabaseError, translateDatabaseError } from './errors.ts'
import type { Database, DatabaseOptions, Reader, Sources, Transaction } from './index.ts'
import { requireCurrent } from './known-migrations.ts'
import { connectSqlite, createWriteLock, forBulk } from './sqlite-connection.ts'
import { findBrokenReferences } from './sqlite-references.ts'
import { keepStatements, shareTurns } from './sqlite-statements.ts'
import { type Flush, keepWal } from './sqlite-wal.ts'
import { defineTables } from './tables.ts'
import { createWriteFault } from './write-fault.ts'

/** Jobs that share one COMMIT, and so one fsync, at the most. */
const BATCH_SIZE = 64
/** Turns of the event loop without a write, after which a batch begins: answers go out in the first, and bring new requests. */
const QUIET_TURNS = 2

const tables = defineTables(sqlite)

interface Job {
  work: (tx: Transaction) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** A job that ran inside the batch: what to tell its caller once the batch is durable. */
interface Ran {
  job: Job
  value: unknown
  effects: (() => void)[]
}

/**
 * A transaction that refuses to be used once its job has ended: what a forgotten promise still writes must not
 * land in the savepoint of the next job.
 */
function endable(transaction: Transaction): { tx: Transaction; end: () => void } {
  let ended = false
  const tx = new Proxy(transaction, {
    get(target, name) {
      if (ended) throw new Error('the unit of work is over: await every query inside it')
      return Reflect.get(target, name)
    },
  })
  const end = () => {
    ended = true
  }
  return { tx, end }
}

/** Drizzle over one connection, seen through the surface that both engines share (see `columns.ts`). */
export function queriesOn(connection: Connection, sources: Sources): Reader {
  const queries = drizzle(connection, { casing: 'snake_case' }) as unknown as Reader
  return Object.assign(queries, { tables, statements: new Map(), ...sources })
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

export interface SqliteOptions extends DatabaseOptions {
  /** How long a batch waits for another process's lock. Milliseconds; default 5000. */
  lockPatienceMs?: number
  /** Of the WAL, when `alone`: fdatasync. */
  flush?: Flush
}

export function openSqlite(path: string, sources: Sources, options: SqliteOptions = {}): Database {
  const { lockPatienceMs, bulk, alone, flush, maxQueuedWrites = Number.POSITIVE_INFINITY } = options
  if (path === '' || path.startsWith(':memory:')) {
    throw new Error('Matchday needs a file (sqlite:PATH): its reader and its writer are two connections')
  }
  const writer = connectSqlite(path)
  if (bulk) forBulk(writer)
  const wal = alone ? keepWal(path, writer, flush) : undefined
  const reader = connectSqlite(path)
  reader.run('PRAGMA busy_timeout = 100')
  reader.run('PRAGMA query_only = ON')

  const turns = shareTurns(reader, writer)
  const statements = [keepStatements(reader, turns.beforeRead), keepStatements(writer)]
  const read = queriesOn(reader, sources)
  const write = queriesOn(writer, sources)
  const begin = createWriteLock(writer, lockPatienceMs)
  const savepoint = writer.prepare('SAVEPOINT job')
  const release = writer.prepare('RELEASE job')
  const rollBackJob = writer.prepare('ROLLBACK TO job')
  const commit = writer.prepare('COMMIT')
  const insideJob = new AsyncLocalStorage<true>()
  const queue: Job[] = []
  const listeners: ((topic: string) => void)[] = []
  const touched = (topic: string) => {
    for (const listener of listeners) listener(topic)
  }
  let draining: Promise<void> | undefined
  let closed = false
  const writeFault = createWriteFault(['full', 'read_only', 'corrupt'], () =>
    enqueue(async () => {
      // Takes room and gives it back: a full disk refuses it.
      writer.run('CREATE TABLE "__room" AS SELECT zeroblob(65536) AS room')
      writer.run('DROP TABLE "__room"')
    }),
  )

  function translate(error: unknown) {
    const translated = translateDatabaseError(error)
    writeFault.note(translated)
    return translated
  }

  function enqueue<T>(work: Job['work']): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      queue.push({ work, resolve: resolve as (value: unknown) => void, reject })
      draining ??= drain()
    })
  }

  /** Runs one job under its own savepoint: when it throws, its neighbours keep what they wrote. */
  async function runJob(job: Job): Promise<Ran | undefined> {
    const effects: (() => void)[] = []
    const at = sources.now()
    const members = {
      now: () => at,
      clock: sources.now,
      afterCommit: (effect: () => void) => effects.push(effect),
      touch: (topic: string) => effects.push(() => touched(topic)),
    }
    const { tx, end } = endable(Object.assign(Object.create(write), members) as Transaction)
    savepoint.run()
    try {
      const value = await insideJob.run(true, async () => job.work(tx)).finally(end)
      release.run()
      return { job, value, effects }
    } catch (error) {
      // A full disk or an I/O error makes SQLite roll back everything: then the whole batch is gone.
      if (!writer.inTransaction) throw error
      rollBackJob.run()
      release.run()
      job.reject(translate(error))
      return undefined
    }
  }

  async function runBatch(batch: Job[]) {
    const ran: Ran[] = []
    try {
      wal?.requireSound()
      await begin()
      for (const job of batch) {
        const done = await runJob(job)
        if (done) ran.push(done)
      }
      if (wal) turns.hold()
      commit.run()
      await wal?.flush()
      // Whoever reads from now on sees what this batch wrote.
      turns.release()
    } catch (error) {
      // Rejecting a settled job again does nothing, so this reaches exactly those still waiting.
      for (const job of batch) job.reject(translate(error))
      rollBack()
      return
    }
    for (const { job, value, effects } of ran) {
      try {
        for (const effect of effects) effect()
        job.resolve(value)
      } catch (error) {
        job.reject(error)
      }
    }
  }

  /** Never throws: what a broken disk leaves open, the batch after tries to roll back again. */
  function rollBack() {
    try {
      if (writer.inTransaction) writer.run('ROLLBACK')
    } catch {}
  }

  /**
   * Requests that have arrived meanwhile are handled in the next turns of the event loop: as long as they bring other writes,
   * these come along, so that many share one fsync and one alone waits for two turns.
   */
  async function letOthersQueue() {
    for (let quiet = 0; quiet < QUIET_TURNS && queue.length < BATCH_SIZE; ) {
      const before = queue.length
      await new Promise<void>(resolve => setImmediate(resolve))
      quiet = queue.length > before ? 0 : quiet + 1
    }
  }

  async function drain() {
    while (queue.length > 0) {
      await letOthersQueue()
      await runBatch(queue.splice(0, BATCH_SIZE))
      if (await wal?.writeBack()) turns.release()
    }
    draining = undefined
  }

  return {
    engine: 'sqlite',
    tables,
    read,
    async write<T>(work: (tx: Transaction) => Promise<T>) {
      if (insideJob.getStore()) throw new Error('write() inside write(): pass the transaction on instead')
      if (closed) throw new DatabaseError('unreachable')
      // Beside the batch that runs. Waiting longer than anybody waits for an answer helps nobody.
      if (queue.length >= maxQueuedWrites) throw new DatabaseError('overloaded')
      return enqueue<T>(work)
    },
    onTouch(listener) {
      listeners.push(listener)
    },
    foreignCommits: turns.foreignCommits,
    async ping() {
      try {
        const row = reader.query('SELECT count(*) AS applied FROM "__drizzle_migrations"').get()
        requireCurrent('sqlite', (row as { applied: number }).applied)
        await writeFault.check()
        wal?.requireSound()
      } catch (error) {
        throw translateDatabaseError(error)
      }
    },
    async findDamage() {
      try {
        const found = reader.query('PRAGMA integrity_check').values().flat().map(String)
        const refer = findBrokenReferences(statement => reader.query(statement).values())
        return [...found.filter(line => line !== 'ok'), ...refer]
      } catch (error) {
        const fault = translateDatabaseError(error)
        if (fault instanceof DatabaseError && fault.fault === 'corrupt') return [wordsOf(error)]
        throw fault
      }
    },
    async close() {
      const wasClosed = closed
      closed = true
      await draining
      turns.release()
      for (const kept of statements) kept.finalize()
      reader.close()
      // Leaves one file that holds everything: closing alone keeps the WAL while a statement is not yet collected.
      if (!wasClosed) {
        await wal?.close()
        // Whoever still reads keeps the WAL in use: that is no reason to wait, since it is as durable there.
        writer.run('PRAGMA busy_timeout = 100')
        writer.run('PRAGMA wal_checkpoint(TRUNCATE)')
      }
      writer.close()
    },
  }
}
