/** The provider's time: every timestamp and every expiry (iat, exp, updated_at, codes) uses it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Whole seconds since the epoch, the unit of JWT and OIDC claims. */
  seconds(): number
  /** How far the clock has been advanced, in milliseconds. */
  readonly offsetMs: number
  advance(ms: number): void
  /** Resolves after `ms`, by real time or by `advance`, or when the signal aborts; never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
  reset(): void
}

/** A clock that follows `source` (milliseconds since the epoch) and can be advanced past it. */
export function createClock(source: () => number): Clock {
  let offsetMs = 0
  const pending = new Set<{ remainingMs: number; end: () => void }>()
  const clock: Clock = {
    now: () => source() + offsetMs,
    seconds: () => Math.floor(clock.now() / 1000),
    get offsetMs() {
      return offsetMs
    },
    advance(ms) {
      offsetMs += ms
      for (const wait of [...pending]) {
        wait.remainingMs -= ms
        if (wait.remainingMs <= 0) wait.end()
      }
    },
    wait(ms, signal) {
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
    reset() {
      offsetMs = 0
    },
  }
  return clock
}
