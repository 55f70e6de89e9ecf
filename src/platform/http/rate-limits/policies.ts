/** Which policies count a request: those of its address, of its caller or source, and of its operation (`limit`). */

import type { Subject } from '../../../core/caller.ts'
import { DomainError } from '../../../core/problems.ts'
import type { SecurityEvent } from '../../../core/security-events.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import type { Allowance, Policy, RateLimiter } from './rate-limiter.ts'

/** An item of the lists of policies that counted the request (draft-ietf-httpapi-ratelimit-headers-11). */
export type RateLimitHeaders = Record<'RateLimit' | 'RateLimit-Policy', string>

/** Receives the headers of a policy that accepts the request. `rate_limited` has those of the one that refuses it. */
type Report = (headers: RateLimitHeaders) => void

/** Policies that limit guesses: of tokens, of redemption codes, of codes of campaigns, and of who ordered what. */
const GUESSES: Partial<Record<Policy, SecurityEvent>> = {
  tokensPerAddress: 'sign_in_limit_reached',
  redemptions: 'redemption_limit_reached',
  codes: 'code_limit_reached',
  codesPerAddress: 'code_limit_reached',
  withdrawals: 'withdrawal_limit_reached',
  withdrawalsPerAddress: 'withdrawal_limit_reached',
}

/** Adds to the policies that have counted the request before. */
export function addLimits(
  headers: Record<string, string | number | undefined>,
  limits: Record<string, string>,
): void {
  for (const [name, value] of Object.entries(limits))
    headers[name] = [headers[name], value].filter(Boolean).join(', ')
}

/**
 * Counts a request by its address, before its caller is known. `addressOf` is called only if the policy is on, since it is
 * expensive.
 * @throws DomainError `rate_limited`
 */
export function limitAddress(limiter: RateLimiter, addressOf: () => string, report: Report): void {
  limit(limiter, 'address', addressOf, report)
}

/**
 * Counts a refused credential by its address; beyond the limit the error is `rate_limited`. Valid credentials
 * are accepted, whatever others at the address send.
 * @throws DomainError `rate_limited`
 */
export function limitFailures(limiter: RateLimiter, addressOf: () => string, report: Report): void {
  limit(limiter, 'tokensPerAddress', addressOf, report)
}

/**
 * For work on a secret that is expensive. Counts a refusal, and refuses the address beyond the limit.
 * @throws DomainError `rate_limited`
 */
export function judgeSecret<Result>(
  limiter: RateLimiter,
  addressOf: () => string,
  work: () => Promise<Result>,
  isRefusal: (error: unknown) => boolean,
): Promise<Result> {
  const address = addressOf()
  return limiter.attempts(
    `secret ${address}`,
    () => roomOf(limiter, 'tokensPerAddress', address),
    () => work().catch(rethrow(error => isRefusal(error) && limitFailures(limiter, () => address, nothing))),
  )
}

/** @throws DomainError `rate_limited` */
export function limitCaller(limiter: RateLimiter, policy: Policy, caller: Subject, report: Report): void {
  limit(limiter, policy, () => `${caller.provider} ${caller.subject}`, report)
}

const nothing = () => {}

/** Throws the error again, after `count`. */
const rethrow = (count: (error: unknown) => void) => (error: unknown) => {
  count(error)
  throw error
}

/**
 * Judges a code of a fan, one at a time, and counts it if it is unknown. Refuses a fan who has entered too many unknown ones. Beyond
 * the limit of the address, one who has entered any: others at the address, such as in a stadium, must not stop a fan who types a
 * code right.
 * @throws DomainError `rate_limited`
 */
export function judgeCode<Result>(
  limiter: RateLimiter,
  caller: Subject,
  addressOf: () => string,
  work: () => Promise<Result>,
  isUnknown: (error: unknown) => boolean,
): Promise<Result> {
  const [own, address] = [`${caller.provider} ${caller.subject}`, addressOf()]
  const counted = () =>
    work().catch(
      rethrow(error => {
        if (!isUnknown(error)) return
        limit(limiter, 'codes', () => own, nothing)
        limit(limiter, 'codesPerAddress', () => address, nothing)
      }),
    )
  const ofAddress = () =>
    limiter.attempts(`codes at ${address}`, () => roomOf(limiter, 'codesPerAddress', address), counted)
  const mayHaveFailed = () => {
    const allowance = limiter.check('codes', own)
    return allowance === null || allowance.remaining < allowance.quota
  }
  return limiter.attempts(
    `codes of ${own}`,
    () => Math.min(1, roomOf(limiter, 'codes', own)),
    () => (mayHaveFailed() ? ofAddress() : counted()),
  )
}

/**
 * Counts an attempt to withdraw without sign-in by what it names, an order and an e-mail address, and by its address: no address, and
 * no order, can be tried often by many. Also one that succeeds: attempts at the same time are judged before any of them has failed.
 * @throws DomainError `rate_limited`
 */
export function limitWithdrawal(limiter: RateLimiter, named: readonly string[], addressOf: () => string) {
  limit(limiter, 'withdrawalsPerAddress', addressOf, nothing)
  for (const name of named) limit(limiter, 'withdrawals', () => name, nothing)
}

/**
 * Counts a notice of illegal content by its address, and then with those of everybody, which one address cannot use up.
 * @throws DomainError `rate_limited`
 */
export function limitNotice(limiter: RateLimiter, addressOf: () => string): void {
  limit(limiter, 'noticesPerAddress', addressOf, nothing)
  limit(limiter, 'notices', () => '', nothing)
}

/** The limit of a calling system. @throws DomainError `rate_limited` */
export function limitSource(limiter: RateLimiter, policy: Policy, source: string, report: Report): void {
  limit(limiter, policy, () => source, report, { source })
}

function limit(
  limiter: RateLimiter,
  policy: Policy,
  keyOf: () => string,
  report: Report,
  { count = true, ...members }: { count?: boolean; source?: string } = {},
): Allowance | null {
  if (!limiter.counts(policy)) return null
  const allowance = count ? limiter.consume(policy, keyOf()) : limiter.check(policy, keyOf())
  if (allowance === null) return null
  if (allowance.allowed) {
    report(headersOf(allowance))
    return allowance
  }
  const { quota, windowSeconds, resetSeconds } = allowance
  const event = GUESSES[policy]
  const detail = `The limit is ${quota} requests in ${windowSeconds} s.`
  const security = event && { event, ...members }
  throw new DomainError(transportProblems.rate_limited, {
    detail,
    retryAfter: resetSeconds,
    limits: headersOf(allowance),
    security,
  })
}

/** How many may fail, now. @throws DomainError `rate_limited` if none may */
const roomOf = (limiter: RateLimiter, policy: Policy, key: string): number =>
  limit(limiter, policy, () => key, nothing, { count: false })?.remaining ?? Number.POSITIVE_INFINITY

const headersOf = ({
  policy,
  quota,
  windowSeconds,
  remaining,
  resetSeconds,
}: Allowance): RateLimitHeaders => ({
  'RateLimit-Policy': `"${policy}";q=${quota};w=${windowSeconds}`,
  RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
})
