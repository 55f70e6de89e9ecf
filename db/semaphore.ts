import { DatabaseError } from './errors.ts'

export interface Turnstile {
  /**
   * Resolves when it is one's turn.
   * @throws DatabaseError `unreachable` once it is closed
   */
  enter(): Promise<void>
  /** Once for every `enter` that resolved. */
  leave(): void
  /** Lets nobody in any more who does not wait already; resolves when all have left. */
  close(): Promise<void>
}

/** Lets `width` in at a time, first come first served. */
export function createTurnstile(width: number): Turnstile {
  const waiting: (() => void)[] = []
  const empty = Promise.withResolvers<void>()
  let inside = 0
  let closed = false
  return {
    async enter() {
      if (closed) throw new DatabaseError('unreachable')
      if (inside < width) {
        inside++
        return
      }
      await new Promise<void>(resolve => waiting.push(resolve))
    },
    leave() {
      // Whoever waits takes the place over, so nobody slips in between.
      const next = waiting.shift()
      if (next) return next()
      inside--
      if (closed && inside === 0) empty.resolve()
    },
    async close() {
      closed = true
      if (inside > 0) await empty.promise
    },
  }
}
