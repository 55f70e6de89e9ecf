/** A task that runs at an interval. Its runs never overlap. */

/** The first run is after `ms` milliseconds. `onError` gets whether the run before failed as well. */
export function every(
  ms: number,
  task: () => Promise<unknown>,
  onError: (error: unknown, isRepeated: boolean) => void,
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
  const timer = setInterval(run, ms)
  timer.unref()
  return {
    run,
    /** Ends the interval. Resolves when no run is left. */
    async stop(): Promise<void> {
      clearInterval(timer)
      await running
    },
  }
}
