/**
 * The WAL of a process that is alone with its database, kept off the thread that answers. What is committed becomes durable by an
 * fsync in Bun's thread pool, and a thread of its own copies pages back into the file: SQLite would stop the event loop for both,
 * for as long as the disk takes.
 *
 * It is as durable as SQLite's `synchronous=FULL`, which is NORMAL with an fsync of the WAL after each COMMIT. But another process
 * sees what is committed before that fsync (this one does not: `Turns.hold`), so workers that share a file leave both to SQLite.
 */
import type { Database as Connection } from 'bun:sqlite'
import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { DatabaseError } from './errors.ts'

/** From which on the WAL is written back, as SQLite itself does it. Pages. */
const LONG = 1000

export type Flush = (descriptor: number) => Promise<void>

export interface Wal {
  /** Resolves when all that is committed is durable. @throws DatabaseError `unreachable`: nobody knows what is */
  flush(): Promise<void>
  /**
   * Of what one fsync could not write the next may say that it is there (PostgreSQL's fsyncgate): so after a failure nothing may
   * be written until a restart. @throws DatabaseError of that failure
   */
  requireSound(): void
  /**
   * To be called between batches, with no snapshot held: writes a long WAL back, so that it begins anew. Most of that happens while
   * further batches are written; for the rest they wait. Resolves to whether the next batch may begin the WAL anew, with no
   * snapshot in its way. Never rejects: a checkpoint that failed is tried again.
   */
  writeBack(): Promise<boolean>
  close(): Promise<void>
}

/** Undefined with a SQLite that cannot say how long the WAL is (before 3.51, as macOS has it). */
export function keepWal(
  path: string,
  writer: Connection,
  flush: Flush = promisify(fdatasync),
): Wal | undefined {
  if (!tellsLength(writer)) return undefined
  writer.run('PRAGMA synchronous = NORMAL')
  writer.run('PRAGMA wal_autocheckpoint = 0')
  const readLength = writer.prepare<{ log: number }, []>('PRAGMA wal_checkpoint(NOOP)')
  const thread = createCheckpointThread(path)
  let descriptor: number | undefined
  let failure: DatabaseError | undefined
  let underWay: Promise<void> | undefined
  let hasRest = false

  function length(): number {
    try {
      return readLength.get()?.log ?? 0
    } catch {
      return 0
    }
  }

  return {
    async flush() {
      try {
        // There is one since the first COMMIT, and the same one as long as a connection is open.
        descriptor ??= openSync(`${path}-wal`, 'r+')
        await flush(descriptor)
      } catch (error) {
        failure = new DatabaseError('unreachable', error)
        throw failure
      }
    },
    requireSound() {
      if (failure) throw failure
    },
    async writeBack() {
      // Its readers keep the snapshot of what was durable.
      if (failure) return false
      if (hasRest) {
        hasRest = false
        await thread.run()
        return true
      }
      if (!underWay && length() > LONG) {
        underWay = thread.run().finally(() => {
          underWay = undefined
          hasRest = true
        })
      }
      return false
    },
    async close() {
      await underWay
      await thread.close()
      readLength.finalize()
      if (descriptor !== undefined) closeSync(descriptor)
    },
  }
}

function tellsLength(connection: Connection): boolean {
  const row = connection.query<{ version: string }, []>('SELECT sqlite_version() AS version').get()
  const [major = 0, minor = 0] = (row?.version ?? '').split('.').map(Number)
  return major > 3 || (major === 3 && minor >= 51)
}

/** Started when it is first needed. A checkpoint that fails is tried again with the next: the WAL holds everything meanwhile. */
function createCheckpointThread(path: string) {
  let worker: Worker | undefined
  let done = () => {}

  function start(): Worker {
    const started = new Worker(new URL('./sqlite-checkpoint.ts', import.meta.url).href, {
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

  function ask(message: 'checkpoint' | 'close'): Promise<void> {
    worker ??= start()
    const { promise, resolve } = Promise.withResolvers<void>()
    done = resolve
    worker.postMessage(message)
    return promise
  }

  return {
    run: () => ask('checkpoint'),
    async close() {
      if (!worker) return
      await ask('close')
      worker?.terminate()
    },
  }
}
