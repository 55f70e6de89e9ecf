/**
 * Counts requests in fixed windows, most of a minute: in memory, at the cost of a lookup, and shared through the database in the
 * background (`shareWindows`). The clock is monotonic: setting the machine's clock does not change a limit.
 */
import { LRUCache } from 'lru-cache'
import { LONGER_WINDOWS, type RateLimits } from '../../config/limits.ts'
import { createAttempts } from './attempts.ts'

export const WINDOW_MS = 60_000

export const windowMsOf = (policy: Policy): number => (LONGER_WINDOWS[policy] ?? 1) * WINDOW_MS

/** Keys of a policy. Beyond it, the least recently used key is removed, and its count starts again. */
const MAX_KEYS = 100_000
/** A `max` would reserve the memory of all keys, 2.4 MB a policy, at the first request. */
const BOUNDS = { maxSize: MAX_KEYS, sizeCalculation: () => 1 }
/** Share of a quota. Keys that have used less are not shared with other instances. */
const SHARED_FROM = 0.1

export type Policy = keyof RateLimits

/** The state of a key after a request. */
export interface Allowance {
  policy: Policy
  allowed: boolean
  quota: number
  remaining: number
  windowSeconds: number
  /** Until the window ends; at least 1. */
  resetSeconds: number
}

/** The window of a key. `used` counts requests of all instances as last read, `unshared` those not yet in the database. */
export interface Window {
  readonly policy: Policy
  readonly key: string
  used: number
  unshared: number
  /** End of the window, on the monotonic clock. Milliseconds. */
  endsAt: number
}

export type RateLimiter = ReturnType<typeof createRateLimiter>

interface Options {
  rates: Readonly<RateLimits>
  /** Monotonic clock, in milliseconds. */
  monotonic: () => number
}

export function createRateLimiter({ rates, monotonic }: Options) {
  const windows = new Map<Policy, LRUCache<string, Window>>()
  const unshared = new Set<Window>()

  function windowOf(policy: Policy, key: string, now: number): Window {
    const ofPolicy = windows.get(policy) ?? new LRUCache<string, Window>(BOUNDS)
    windows.set(policy, ofPolicy)
    const known = ofPolicy.get(key)
    if (known && known.endsAt > now) return known
    const window = { policy, key, used: 0, unshared: 0, endsAt: now + windowMsOf(policy) }
    ofPolicy.set(key, window)
    return window
  }

  /** Null where the policy is off. `count`: also counts the request, unless it is refused. */
  function ask(policy: Policy, key: string, count: boolean): Allowance | null {
    const quota = rates[policy]
    if (quota === 0) return null
    const now = monotonic()
    const window = windowOf(policy, key, now)
    const allowed = window.used < quota
    if (allowed && count) {
      window.used++
      window.unshared++
      if (window.used >= quota * SHARED_FROM) unshared.add(window)
    }
    return {
      policy,
      allowed,
      quota,
      remaining: Math.max(0, quota - window.used),
      windowSeconds: windowMsOf(policy) / 1000,
      resetSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)),
    }
  }

  return {
    /** Whether the policy is on. */
    counts: (policy: Policy) => rates[policy] > 0,
    monotonic,
    attempts: createAttempts(),
    /** Counts a request; null where the policy is off. A refused request is not counted. */
    consume: (policy: Policy, key: string) => ask(policy, key, true),
    /** As `consume`, and counts nothing. */
    check: (policy: Policy, key: string) => ask(policy, key, false),
    /** Windows with requests to share. Returns each window once, and again after further requests. */
    takeUnshared(): Window[] {
      const now = monotonic()
      const taken = [...unshared].filter(({ endsAt }) => endsAt > now)
      unshared.clear()
      return taken
    },
  }
}
