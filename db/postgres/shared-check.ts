/** How long callers wait for a running check while the last success is recent. Under load, checks wait behind other work. */
const WAIT_MS = 5
/** How long a success is recent. */
const RECENT_MS = 1_000

/**
 * Concurrent callers share one run of `check`. A run that takes longer than 5 ms counts as successful while the last success
 * is at most a second old; its failure is reported to the callers that follow.
 */
export function shareCheck(check: () => Promise<void>): () => Promise<void> {
  let succeededAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined
  async function run() {
    const startedAt = performance.now()
    try {
      await check()
      succeededAt = startedAt
    } catch (error) {
      succeededAt = Number.NEGATIVE_INFINITY
      throw error
    } finally {
      running = undefined
    }
  }
  return async () => {
    running ??= run()
    const isRecent = performance.now() - succeededAt <= RECENT_MS
    await (isRecent ? Promise.race([running, Bun.sleep(WAIT_MS)]) : running)
  }
}
