/** The provider's time. Everything it stamps or judges (iat, exp, updated_at, codes) follows this clock. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Whole seconds since the epoch, as JWT and OIDC claims count. */
  seconds(): number
  /** How far the clock has been moved ahead, in milliseconds. */
  readonly offsetMs: number
  advance(ms: number): void
  /** Resolves when `ms` have passed, or the clock was advanced by as much, or the signal aborts; never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
  reset(): void
}

/** A clock that runs with `source` (milliseconds since the epoch) and can be moved ahead of it. */
export function createClock(source: () => number): Clock {
  let offsetMs = 0
  const waits = new Set<{ leftMs: number; end: () => void }>()
  const clock: Clock = {
    now: () => source() + offsetMs,
    seconds: () => Math.floor(clock.now() / 1000),
    get offsetMs() {
      return offsetMs
    },
    advance(ms) {
      offsetMs += ms
      for (const wait of [...waits]) {
        wait.leftMs -= ms
        if (wait.leftMs <= 0) wait.end()
      }
    },
    wait(ms, signal) {
      return new Promise(resolve => {
        const end = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', end)
          waits.delete(wait)
          resolve()
        }
        const wait = { leftMs: ms, end }
        const timer = setTimeout(end, ms)
        waits.add(wait)
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
