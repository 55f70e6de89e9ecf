/**
 * Changes that a unit of work collects and writes at its end. This keeps locks on busy rows short: on PostgreSQL, the last
 * statements are sent together with COMMIT.
 */
import type { Deferred, LastStatement, Transaction } from './types.ts'

export function createEndOfWork() {
  const states = new Map<Deferred<unknown>, unknown>()
  return {
    deferred<State>(kind: Deferred<State>): State {
      // Guarantee of the cast: it was started by the same object.
      return states.getOrInsertComputed(kind, () => kind.start()) as State
    },
    /**
     * Ends the unit of work, and returns the statements that remain to be run. Also writes changes that are collected during
     * this call.
     */
    async writeDeferred(tx: Transaction): Promise<LastStatement[]> {
      const last: LastStatement[] = []
      for (;;) {
        // Without it, the list of nothing would be made and sorted.
        if (states.size === 0) return last
        const [next] = [...states].toSorted(([a], [b]) => a.order - b.order)
        if (!next) return last
        const [kind, state] = next
        states.delete(kind)
        last.push(...(await kind.write(tx, state)))
      }
    },
  }
}
