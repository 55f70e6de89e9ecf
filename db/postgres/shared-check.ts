/** Maximum age of a reused success. Under load, a check waits behind the very work that it asks about. */
const MAX_AGE_MS = 1_000

/**
 * Concurrent callers share one run of `check`. With more than one call a second, it runs in the background and callers get
 * its last success. A failure is never reused.
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
    const age = performance.now() - succeededAt
    if (age <= MAX_AGE_MS / 2) return
    running ??= run()
    if (age > MAX_AGE_MS) return running
    running.catch(() => {})
  }
}
