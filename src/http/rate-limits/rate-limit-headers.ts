/** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11): lists with one item per policy. */
import type { Allowance } from './rate-limiter.ts'

export function rateLimitHeaders(allowances: readonly Allowance[]): Record<string, string> {
  if (allowances.length === 0) return {}
  return {
    'RateLimit-Policy': allowances
      .map(({ policy, quota, windowSeconds }) => `"${policy}";q=${quota};w=${windowSeconds}`)
      .join(', '),
    RateLimit: allowances
      .map(({ policy, remaining, resetSeconds }) => `"${policy}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
  }
}
