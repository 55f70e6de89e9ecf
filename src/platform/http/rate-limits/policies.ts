/** Which policies count a request: those of its address, of its caller or source, and of its operation (`limit`). */

import type { Caller } from '../../../core/caller.ts'
import { DomainError } from '../../../core/problems.ts'
import type { SecurityEvent } from '../../../core/security-events.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import type { Allowance, Policy, RateLimiter } from './rate-limiter.ts'

/** Lists with one item for each policy that counted the request (draft-ietf-httpapi-ratelimit-headers-11). Absent if none did. */
export type RateLimitHeaders = Partial<Record<'RateLimit' | 'RateLimit-Policy', string>>

/** Receives the headers before `rate_limited` is thrown. */
type Report = (headers: RateLimitHeaders) => void

/** Policies that limit guesses: of tokens, and of redemption codes. */
const GUESSES: Partial<Record<Policy, SecurityEvent>> = {
  tokensPerAddress: 'sign_in_limit_reached',
  redemptions: 'redemption_limit_reached',
}

const OF_ADDRESS: Policy[] = ['address']
const OF_TOKENS: Policy[] = ['address', 'tokensPerAddress']
/** Only failures count: a stadium shares an address, and signs in. */
const OF_FAILURES: ReadonlySet<Policy> = new Set(['tokensPerAddress'])

/** A request that was refused by its address after so many failures is none; neither is one that the server could not answer. */
export const isFailure = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429

/** Counts a failure to sign in, or a guess, by its address. */
export function countFailure(limiter: RateLimiter, addressOf: () => string): void {
  for (const policy of OF_FAILURES) if (limiter.counts(policy)) limiter.consume(policy, addressOf())
}

/**
 * Counts a request by its address, before its caller is known, which also limits the guessing of tokens: of `tokens` only failures
 * count, see `countFailure`. `addressOf` is called only if a policy is on, since it is expensive.
 * @throws DomainError `rate_limited`
 */
export function limitAddress(
  limiter: RateLimiter,
  tokens: boolean,
  addressOf: () => string,
  report: Report,
): void {
  limit(limiter, tokens ? OF_TOKENS : OF_ADDRESS, addressOf, report)
}

/** @throws DomainError `rate_limited` */
export function limitCaller(limiter: RateLimiter, policy: Policy, caller: Caller, report: Report): void {
  limit(limiter, [policy], () => `${caller.provider} ${caller.subject}`, report)
}

/** The limit of a calling system. @throws DomainError `rate_limited` */
export function limitSource(limiter: RateLimiter, policy: Policy, source: string, report: Report): void {
  limit(limiter, [policy], () => source, report, { source })
}

function limit(
  limiter: RateLimiter,
  policies: Policy[],
  keyOf: () => string,
  report: Report,
  members: { source?: string } = {},
): void {
  if (!policies.some(limiter.counts)) return
  const key = keyOf()
  const allowances: Allowance[] = []
  let refused: Allowance | undefined
  for (const policy of policies) {
    const allowance = OF_FAILURES.has(policy) ? limiter.check(policy, key) : limiter.consume(policy, key)
    if (allowance === null) continue
    allowances.push(allowance)
    if (!allowance.allowed && allowance.resetSeconds > (refused?.resetSeconds ?? 0)) refused = allowance
  }
  report(headersOf(allowances))
  if (!refused) return
  const { policy, quota, windowSeconds, resetSeconds } = refused
  const event = GUESSES[policy]
  const detail = `The limit is ${quota} requests in ${windowSeconds} s.`
  const security = event && { event, ...members }
  throw new DomainError(transportProblems.rate_limited, { detail, retryAfter: resetSeconds, security })
}

function headersOf(allowances: Allowance[]): RateLimitHeaders {
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
