/**
 * Changes that a unit of work collects, and writes at its end. Rows that many units of work change are so locked for the
 * shortest time: on PostgreSQL, the last statements are sent together with COMMIT.
 */
import type { Deferred, LastStatement, Transaction } from './types.ts'

export function createEndOfWork() {
  const states = new Map<object, unknown>()
  const writes: { order: number; write(tx: Transaction): Promise<LastStatement[]> }[] = []
  return {
    deferred<State>(kind: Deferred<State>): State {
      if (!states.has(kind)) {
        const state = kind.start()
        states.set(kind, state)
        writes.push({ order: kind.order, write: tx => kind.write(tx, state) })
      }
      // Guarantee of the cast: set above, for the same object.
      return states.get(kind) as State
    },
    /** Ends the unit of work: returns the statements that remain to be run. */
    async writeDeferred(tx: Transaction): Promise<LastStatement[]> {
      const last: LastStatement[] = []
      for (const { write } of writes.toSorted((a, b) => a.order - b.order)) last.push(...(await write(tx)))
      return last
    },
  }
}
