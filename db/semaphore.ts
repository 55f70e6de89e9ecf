/** A counting semaphore with a first-in, first-out queue that can be closed. */
import { DatabaseError } from './errors.ts'

export interface Semaphore {
  /** Number of permits that are held. */
  readonly held: number
  /** Number of callers in the queue. */
  readonly waiting: number
  /**
   * Resolves when the caller holds a permit.
   * @throws DatabaseError `unreachable` after `close`
   */
  acquire(): Promise<void>
  /** Call once for every `acquire` that resolved. */
  release(): void
  /** Refuses new callers. Resolves when all permits are released, including those of callers in the queue. */
  close(): Promise<void>
}

export function createSemaphore(permits: number): Semaphore {
  const queue: (() => void)[] = []
  const idle = Promise.withResolvers<void>()
  let held = 0
  let closed = false
  return {
    get held() {
      return held
    },
    get waiting() {
      return queue.length
    },
    async acquire() {
      if (closed) throw new DatabaseError('unreachable')
      if (held < permits) {
        held++
        return
      }
      await new Promise<void>(resolve => queue.push(resolve))
    },
    release() {
      // The permit passes to the next caller in the queue, so that no new caller takes it first.
      const next = queue.shift()
      if (next) return next()
      held--
      if (closed && held === 0) idle.resolve()
    },
    async close() {
      closed = true
      if (held > 0) await idle.promise
    },
  }
}
