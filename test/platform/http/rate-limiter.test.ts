/** Counting in one process: quotas, windows, and the clock that they go by. */
import { describe, expect, test } from 'bun:test'
import type { RateLimits } from '../../../src/platform/config/limits.ts'
import { createRateLimiter, WINDOW_MS } from '../../../src/platform/http/rate-limits/rate-limiter.ts'
import { NO_LIMITS } from './no-limits.ts'

function createLimiter(rates: Partial<RateLimits>) {
  const clock = { ms: 5_000 }
  const limiter = createRateLimiter({ rates: { ...NO_LIMITS, ...rates }, monotonic: () => clock.ms })
  const allowed = (key: string, times: number) =>
    Array.from({ length: times }, () => limiter.consume('caller', key)).filter(answer => answer?.allowed)
      .length
  return { clock, limiter, allowed }
}

describe('a rate limiter', () => {
  test('allows a quota in a window, and the whole of it again in the next', () => {
    const { clock, allowed } = createLimiter({ caller: 10 })
    expect(allowed('ada', 25)).toBe(10)
    clock.ms += WINDOW_MS - 1
    expect(allowed('ada', 5)).toBe(0)
    clock.ms += 1
    expect(allowed('ada', 25)).toBe(10)
  })

  test('counts each key and each policy separately', () => {
    const { limiter, allowed } = createLimiter({ caller: 2, claims: 2 })
    expect([allowed('ada', 3), allowed('bob', 3)]).toEqual([2, 2])
    expect(limiter.consume('claims', 'ada')?.allowed).toBe(true)
  })

  test('states what remains and until when, at least one second', () => {
    const { clock, limiter } = createLimiter({ caller: 2 })
    const next = () => limiter.consume('caller', 'ada')
    expect(next()).toMatchObject({
      allowed: true,
      quota: 2,
      remaining: 1,
      windowSeconds: 60,
      resetSeconds: 60,
    })
    clock.ms += 59_999.5
    expect(next()).toMatchObject({ allowed: true, remaining: 0, resetSeconds: 1 })
    expect(next()).toMatchObject({ allowed: false, remaining: 0, resetSeconds: 1 })
  })

  test('switches a policy off with 0', () => {
    const { limiter } = createLimiter({ caller: 0 })
    expect(limiter.consume('caller', 'ada')).toBeNull()
  })

  test('returns the counts to share: from a tenth of the quota on, once until more is used', () => {
    const { clock, limiter, allowed } = createLimiter({ caller: 20 })
    allowed('ada', 1)
    expect(limiter.takeUnshared()).toEqual([])
    allowed('ada', 1)
    expect(limiter.takeUnshared()).toMatchObject([{ policy: 'caller', key: 'ada', unshared: 2 }])
    expect(limiter.takeUnshared()).toEqual([])
    allowed('ada', 1)
    clock.ms += WINDOW_MS
    expect(limiter.takeUnshared()).toEqual([])
  })
})
