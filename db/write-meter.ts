/** Measures the duration of a write and the pending ones, so that a server can refuse writes under overload. */

/** The load that the next write must expect. */
export interface WriteLoad {
  /**
   * Milliseconds from the end of one write to the end of the next, while writes are pending. The lowest recent measurement:
   * refusing requests slows the server, so a measurement during overload is too high.
   */
  msPerWrite: number
  /** Age of the oldest pending write. Milliseconds; 0 when there is none. */
  oldestMs: number
  /** Number of pending writes, running ones included. */
  pending: number
}

/** Busy time that one measurement covers. Milliseconds. */
const SAMPLE_MS = 250
/** Maximum growth from one measurement to the next: it doubles in nine seconds at the earliest, and one stall has little effect. */
const MAX_GROWTH = 1.02

interface MeterOptions {
  /** Milliseconds of a monotonic clock. */
  elapsed?: () => number
  /** Called at the end of each write, with its milliseconds. */
  onEnd?: ((ms: number) => void) | undefined
}

/** `assumed`: milliseconds per write before the first measurement. */
export function createWriteMeter(
  assumed: number,
  { elapsed = () => performance.now(), onEnd }: MeterOptions = {},
) {
  /** In order of arrival. */
  const pending = new Set<{ since: number }>()
  let msPerWrite = assumed
  let busySince = 0
  let done = 0

  function end(write: { since: number }) {
    pending.delete(write)
    done++
    const now = elapsed()
    onEnd?.(now - write.since)
    if (now - busySince < SAMPLE_MS) return
    msPerWrite = Math.min((now - busySince) / done, msPerWrite * MAX_GROWTH)
    busySince = now
    done = 0
  }

  return {
    async measure<T>(work: () => Promise<T>): Promise<T> {
      const write = { since: elapsed() }
      if (pending.size === 0) {
        // Idle time says nothing about the duration of a write.
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
    load(): WriteLoad {
      const [oldest] = pending
      return { msPerWrite, oldestMs: oldest ? elapsed() - oldest.since : 0, pending: pending.size }
    },
  }
}
