/**
 * Keeps SQLite's disk work off the thread that answers requests: the fsync of each COMMIT runs in Bun's thread pool, and a
 * worker thread copies the WAL back into the file. Otherwise SQLite stops the event loop for as long as the disk takes.
 * Durability equals `synchronous=FULL`: NORMAL, with an fdatasync of the WAL after each COMMIT and before its caller is
 * answered. It covers all earlier frames, whichever process wrote them, so any number of processes may share the file.
 * A reader can see a commit during its fsync. `bun run bench mixed` measures what this is worth.
 */
import type { Database as Connection } from 'bun:sqlite'
import { closeSync, fdatasync, futimes, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { withDeadline } from '../deadline.ts'
import { DatabaseError } from '../errors.ts'

/** Length at which the WAL is written back, SQLite's own default. Pages. */
const CHECKPOINT_PAGES = 1000

/** How the file is made durable. Tests replace it. */
export interface Disk {
  /** Resolves when the file system accepts writes. */
  accepts(descriptor: number): Promise<void>
  /** Resolves when all that was written is on the disk. */
  flush(descriptor: number): Promise<void>
}

const setTimes = promisify(futimes)
const seconds = () => (performance.timeOrigin + performance.now()) / 1000

export const realDisk: Disk = {
  // Blocks while the file system is frozen, as the write of a COMMIT does, but in a thread of the pool.
  accepts: descriptor => setTimes(descriptor, seconds(), seconds()),
  flush: promisify(fdatasync),
}

export interface Wal {
  /** Resolves when a COMMIT would not block. @throws DatabaseError `busy` when the disk does not respond for `patienceMs` */
  accepts(patienceMs: number): Promise<void>
  /** Resolves when all that is committed is durable. @throws DatabaseError `unreachable`: the outcome is unknown */
  flush(): Promise<void>
  /**
   * After a failed fsync the next one may report success for pages that were lost (PostgreSQL's fsyncgate): nothing may be
   * written until a restart. @throws DatabaseError of that failure
   */
  requireSound(): void
  /**
   * Called between batches: writes a long WAL back, mostly while further batches run; the next batch waits for the rest, so
   * that it can restart the WAL. Never rejects: a checkpoint that failed is tried again.
   */
  checkpoint(): Promise<void>
  close(): Promise<void>
}

/** Undefined with a SQLite that cannot report the length of the WAL (before 3.51, as macOS has it). */
export function keepWal(path: string, writer: Connection, disk: Disk = realDisk): Wal | undefined {
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

  /** The WAL exists since a connection was opened, and is the same file until the last one is closed. */
  const descriptor = () => (opened ??= openSync(`${path}-wal`, 'r+'))

  function length(): number {
    try {
      return readLength.get()?.log ?? 0
    } catch {
      return 0
    }
  }

  return {
    requireSound() {
      if (failure) throw failure
    },
    async accepts(patienceMs) {
      // At most one thread of the pool waits for a disk that does not respond.
      accepting ??= disk.accepts(descriptor()).finally(() => {
        accepting = undefined
      })
      await withDeadline(accepting, patienceMs, () => new DatabaseError('busy'))
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

/** Started at its first use. A checkpoint that fails is tried again with the next: until then the WAL holds everything. */
function createCheckpointThread(path: string) {
  let worker: Worker | undefined
  let done = () => {}

  function start(): Worker {
    const started = new Worker(new URL('./checkpoint.ts', import.meta.url).href, {
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
