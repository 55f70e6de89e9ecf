/**
 * Keeps fsyncs and checkpoints off the thread that serves requests: `synchronous=NORMAL`, with an fdatasync of the WAL, which
 * covers the frames of all processes, before each response. With an fsync of 1 ms, reads with one write in ten are 4 times as
 * fast; a checkpoint takes 7 ms. Without `offloadDisk`, SQLite does the same in COMMIT (`synchronous=FULL`).
 */
import type { Database as Connection } from 'bun:sqlite'
import { closeSync, fdatasync, futimes, openSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withDeadline } from '../deadline.ts'
import { DatabaseError, type DatabaseFault } from '../errors.ts'

/** Length of the WAL that starts a checkpoint, as SQLite's default. Pages. */
const CHECKPOINT_PAGES = 1000

/** File system calls, which tests replace. */
export interface Disk {
  /** Resolves when the file system accepts writes. */
  waitUntilWritable(descriptor: number): Promise<void>
  /** Resolves when all earlier writes are durable. */
  flush(descriptor: number): Promise<void>
}

const setTimes = promisify(futimes)
const seconds = () => (performance.timeOrigin + performance.now()) / 1000

export const systemDisk: Disk = {
  // Blocks while the file system is frozen, as the write of a COMMIT would, but in a thread of the pool.
  waitUntilWritable: descriptor => setTimes(descriptor, seconds(), seconds()),
  flush: promisify(fdatasync),
}

const FAULT_OF_CODE: Record<string, DatabaseFault> = {
  EROFS: 'read_only',
  EACCES: 'read_only',
  EPERM: 'read_only',
  ENOSPC: 'full',
  EDQUOT: 'full',
}

/** Translates an error of the file system as SQLite would have reported it. Guarantee of the cast: `node:fs` rejects with errors. */
const refusedBy = (error: unknown) =>
  new DatabaseError(FAULT_OF_CODE[(error as NodeJS.ErrnoException).code ?? ''] ?? 'unreachable', error)

export interface Wal {
  /**
   * Resolves when a COMMIT would not block. @throws DatabaseError `busy` when the disk does not respond for `timeoutMs`, or
   * why the file system refuses writes
   */
  waitUntilWritable(timeoutMs: number): Promise<void>
  /** Resolves when all commits are durable. @throws DatabaseError `unreachable`: the outcome is unknown */
  flush(): Promise<void>
  /**
   * After a failed fsync the next one may report success for lost pages (PostgreSQL's fsyncgate), so writes are refused
   * until a restart. @throws DatabaseError of that failure
   */
  requireHealthy(): void
  /**
   * Called between batches. Checkpoints a long WAL, mostly while further batches run; the next batch waits for the rest, so
   * that it can restart the WAL. Never rejects: a failed checkpoint is tried again.
   */
  checkpoint(): Promise<void>
  close(): Promise<void>
}

/** Undefined when SQLite cannot report the length of the WAL (before 3.51, as on macOS). */
export function openWal(path: string, writer: Connection, disk: Disk = systemDisk): Wal | undefined {
  if (!reportsLength(writer)) return undefined
  writer.run('PRAGMA synchronous = NORMAL')
  writer.run('PRAGMA wal_autocheckpoint = 0')
  const readLength = writer.prepare<{ log: number }, []>('PRAGMA wal_checkpoint(NOOP)')
  const thread = createCheckpointThread(path)
  let opened: number | undefined
  let failure: DatabaseError | undefined
  let accepting: Promise<void> | undefined
  let running: Promise<void> | undefined
  let hasRest = false

  /** The WAL exists from the first open connection to the close of the last one. */
  const descriptor = () => (opened ??= openSync(`${path}-wal`, 'r+'))

  async function touch(): Promise<void> {
    try {
      await disk.waitUntilWritable(descriptor())
    } catch (error) {
      throw refusedBy(error)
    }
  }

  function length(): number {
    try {
      return readLength.get()?.log ?? 0
    } catch {
      return 0
    }
  }

  return {
    requireHealthy() {
      if (failure) throw failure
    },
    async waitUntilWritable(timeoutMs) {
      // At most one thread of the pool waits for an unresponsive disk.
      accepting ??= touch().finally(() => {
        accepting = undefined
      })
      await withDeadline(accepting, timeoutMs, () => new DatabaseError('busy'))
    },
    async flush() {
      try {
        await disk.flush(descriptor())
      } catch (error) {
        failure = new DatabaseError('unreachable', error)
        throw failure
      }
    },
    async checkpoint() {
      if (failure) return
      if (hasRest) {
        hasRest = false
        await thread.run()
      } else if (!running && length() > CHECKPOINT_PAGES) {
        running = thread.run().finally(() => {
          running = undefined
          hasRest = true
        })
      }
    },
    async close() {
      await running
      await thread.close()
      readLength.finalize()
      if (opened !== undefined) closeSync(opened)
    },
  }
}

function reportsLength(connection: Connection): boolean {
  const row = connection.query<{ version: string }, []>('SELECT sqlite_version() AS version').get()
  const [major = 0, minor = 0] = (row?.version ?? '').split('.').map(Number)
  return major > 3 || (major === 3 && minor >= 51)
}

/** Started at first use. After a failed checkpoint the WAL still holds everything, and the next checkpoint covers it. */
function createCheckpointThread(path: string) {
  let worker: Worker | undefined
  let done = () => {}

  function start(): Worker {
    const started = new Worker(join(import.meta.dir, 'checkpoint.ts'), {
      smol: true,
      env: { DATABASE_PATH: path },
    })
    started.unref()
    started.addEventListener('message', () => done())
    started.addEventListener('close', () => {
      worker = undefined
      done()
    })
    return started
  }

  function send(message: 'checkpoint' | 'close'): Promise<void> {
    worker ??= start()
    const { promise, resolve } = Promise.withResolvers<void>()
    done = resolve
    worker.postMessage(message)
    return promise
  }

  return {
    run: () => send('checkpoint'),
    async close() {
      if (!worker) return
      await send('close')
      worker?.terminate()
    },
  }
}
