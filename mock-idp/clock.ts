/** The provider's time: every timestamp and every expiry (iat, exp, updated_at, codes) uses it. */
export type Clock = ReturnType<typeof createClock>

/** A clock that follows `source` (milliseconds since the epoch) and can be advanced past it. */
export function createClock(source: () => number) {
  let offsetMs = 0
  const pending = new Set<{ remainingMs: number; end: () => void }>()
  const now = () => source() + offsetMs
  return {
    /** Milliseconds since the epoch. */
    now,
    /** Whole seconds since the epoch, the unit of JWT and OIDC claims. */
    seconds: () => Math.floor(now() / 1000),
    /** How far the clock has been advanced, in milliseconds. */
    get offsetMs() {
      return offsetMs
    },
    advance(ms: number): void {
      offsetMs += ms
      for (const wait of [...pending]) {
        wait.remainingMs -= ms
        if (wait.remainingMs <= 0) wait.end()
      }
    },
    /** Resolves after `ms`, by real time or by `advance`, or when the signal aborts; never rejects. */
    wait(ms: number, signal?: AbortSignal): Promise<void> {
      return new Promise(resolve => {
        const end = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', end)
          pending.delete(wait)
          resolve()
        }
        const wait = { remainingMs: ms, end }
        const timer = setTimeout(end, ms)
        pending.add(wait)
        if (signal?.aborted) end()
        else signal?.addEventListener('abort', end)
      })
    },
    reset(): void {
      offsetMs = 0
    },
  }
}
