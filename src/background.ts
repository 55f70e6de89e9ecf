/** Background tasks: refresh keys before they are needed, retry deferred syncs, delete expired rows. */
import { sweepExpired } from './auth/sweep-expired.ts'
import { loggable } from './core/loggable.ts'
import type { Deps } from './deps.ts'
import { sweepIdempotencyKeys } from './http/idempotency/key-store.ts'
import { shareWindows, sweepWindows } from './http/rate-limits/share-windows.ts'
import { retryDueSyncs } from './users/deferred-sync.ts'

/** Milliseconds between two runs. */
const KEYS_EVERY_MS = 60_000
const SYNCS_EVERY_MS = 5_000
const SWEEP_EVERY_MS = 600_000
const SHARE_EVERY_MS = 1_000

/** Starts at once. `stop` resolves when no task runs any more. */
export function startBackground(deps: Deps): { stop(): Promise<void> } {
  let stopping = false
  const tasks = [
    every(KEYS_EVERY_MS, 'refresh provider keys', () => deps.identity.refresh()),
    every(SYNCS_EVERY_MS, 'retry deferred syncs', () => retryDueSyncs(deps, () => stopping)),
    every(SWEEP_EVERY_MS, 'delete expired sessions', () => sweepExpired(deps.db)),
    every(SWEEP_EVERY_MS, 'delete expired idempotency keys', () => sweepIdempotencyKeys(deps.db)),
    every(SWEEP_EVERY_MS, 'delete expired rate limits', () => sweepWindows(deps.db)),
    every(SHARE_EVERY_MS, 'share rate limits', () =>
      shareWindows(deps.db, deps.rateLimiter, deps.rateLimitSecret),
    ),
  ]

  /** Runs of one task never overlap; a failed run is logged, and the next one starts as scheduled. */
  function every(ms: number, task: string, run: () => Promise<unknown>) {
    let running: Promise<unknown> | undefined
    const tick = () => {
      running ??= run()
        .catch(error => deps.log.error({ task, error: loggable(error) }, 'background run failed'))
        .finally(() => {
          running = undefined
        })
    }
    tick()
    const timer = setInterval(tick, ms)
    return async () => {
      clearInterval(timer)
      await running
    }
  }

  return {
    async stop() {
      stopping = true
      await Promise.all(tasks.map(stop => stop()))
    },
  }
}
