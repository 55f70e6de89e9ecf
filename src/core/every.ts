/** A task that runs at an interval. Its runs never overlap. */

/** Timers that tasks of the same interval share, so that a process at rest wakes up once for all of them. */
export function createTimers() {
  const timers = new Map<number, { timer: ReturnType<typeof setInterval>; runs: Set<() => void> }>()
  return {
    /** Runs it at each tick from now on. Returns a function that ends this. */
    add(ms: number, run: () => void): () => void {
      const { timer, runs } = timers.getOrInsertComputed(ms, () => {
        const started = new Set<() => void>()
        const shared = setInterval(() => {
          for (const due of started) due()
        }, ms)
        shared.unref()
        return { timer: shared, runs: started }
      })
      runs.add(run)
      return () => {
        runs.delete(run)
        if (runs.size > 0) return
        clearInterval(timer)
        timers.delete(ms)
      }
    },
  }
}

/**
 * The first run is after `ms` milliseconds, or sooner with `timers` that others share. `onError` gets whether the run before failed as
 * well.
 */
export function every(
  ms: number,
  task: () => Promise<unknown>,
  onError: (error: unknown, isRepeated: boolean) => void,
  timers = createTimers(),
) {
  let running: Promise<void> | undefined
  let failed = false

  async function runOnce(): Promise<void> {
    try {
      await task()
      failed = false
    } catch (error) {
      onError(error, failed)
      failed = true
    } finally {
      running = undefined
    }
  }

  /** Runs now, unless a run is still in progress. */
  function run(): void {
    running ??= runOnce()
  }
  const end = timers.add(ms, run)
  return {
    run,
    /** Ends the interval. Resolves when no run is left. */
    async stop(): Promise<void> {
      end()
      await running
    },
  }
}
