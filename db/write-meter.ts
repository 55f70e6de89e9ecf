/** Measures how fast writes are done and how long the oldest has waited, so that a server can refuse what would wait too long. */

/** What the next write has to expect. */
export interface WriteLoad {
  /**
   * Milliseconds between the ends of two writes while there is always one to do: the best measured lately, since a server that
   * refuses a crowd is slower than it will be when the crowd comes back.
   */
  msPerWrite: number
  /** Age of the oldest write that is not done. Milliseconds; 0 when there is none. */
  oldestMs: number
}

export interface WriteMeter {
  measure<T>(write: () => Promise<T>): Promise<T>
  load(): WriteLoad
}

/** Busy time that one measurement covers. Milliseconds. */
const SAMPLE_MS = 250
/** By which the figure grows at most from one measurement to the next: twofold in nine seconds, and little by a stall. */
const MAX_GROWTH = 1.02

/** `assumed`: milliseconds a write, before the first measurement. `elapsed`: milliseconds of a clock that never goes back. */
export function createWriteMeter(assumed: number, elapsed = () => performance.now()): WriteMeter {
  /** In the order of arrival. */
  const pending = new Set<{ since: number }>()
  let msPerWrite = assumed
  let busySince = 0
  let done = 0

  function end(write: { since: number }) {
    pending.delete(write)
    done++
    const now = elapsed()
    if (now - busySince < SAMPLE_MS) return
    msPerWrite = Math.min((now - busySince) / done, msPerWrite * MAX_GROWTH)
    busySince = now
    done = 0
  }

  return {
    async measure(work) {
      const write = { since: elapsed() }
      if (pending.size === 0) {
        // Idle time says nothing about how fast writes can be done.
        busySince = write.since
        done = 0
      }
      pending.add(write)
      try {
        return await work()
      } finally {
        end(write)
      }
    },
    load() {
      const [oldest] = pending
      return { msPerWrite, oldestMs: oldest ? elapsed() - oldest.since : 0 }
    },
  }
}
