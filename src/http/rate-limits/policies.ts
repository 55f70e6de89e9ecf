/** Which policies count a request, by its path and method. */
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import type { Allowance, Policy, RateLimiter } from './rate-limiter.ts'

/** A load balancer's probes are never refused: not by a limit, nor for a query or a Host header that they lack. */
export const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz'])
const TOKENS = '/api/auth/'
const OF_ADDRESS: Policy[] = ['address']
const OF_CALLER: Policy[] = ['caller']
const OF_TOKENS: Policy[] = ['address', 'tokensPerAddress']

/** Changes that a script would want to repeat, by their path; reads there count as any other. */
const TIGHTER: Record<string, Policy> = {
  '/api/rewards/claim': 'claims',
  '/api/rewards/redeem': 'claims',
  '/api/packs/purchase': 'purchases',
  '/api/packs/purchase/payment': 'purchases',
  '/api/packs/open': 'purchases',
}

/** Told of each policy that counted the request, before the refusal of one is thrown. */
type Report = (allowances: Allowance[]) => void

/**
 * Before anybody knows who is calling: guessing at tokens is counted here. The address is dear, and asked for only where it counts.
 * @throws DomainError `rate_limited`
 */
export function limitAddress(
  limiter: RateLimiter,
  path: string,
  addressOf: () => string,
  report: Report,
): void {
  if (PROBES.has(path)) return
  limit(limiter, path.startsWith(TOKENS) ? OF_TOKENS : OF_ADDRESS, addressOf, report)
}

/** @throws DomainError `rate_limited` */
export function limitCaller(limiter: RateLimiter, path: string, caller: Caller, report: Report): void {
  const tighter = path.startsWith(TOKENS) ? 'tokens' : TIGHTER[path]
  const keyOf = () => `${caller.provider} ${caller.subject}`
  limit(limiter, tighter ? ['caller', tighter] : OF_CALLER, keyOf, report)
}

function limit(limiter: RateLimiter, policies: Policy[], keyOf: () => string, report: Report): void {
  if (!policies.some(limiter.counts)) return
  const key = keyOf()
  const allowances: Allowance[] = []
  let refused: Allowance | undefined
  for (const policy of policies) {
    const allowance = limiter.consume(policy, key)
    if (allowance === null) continue
    allowances.push(allowance)
    if (!allowance.allowed && allowance.resetSeconds > (refused?.resetSeconds ?? 0)) refused = allowance
  }
  report(allowances)
  if (!refused) return
  const { quota, windowSeconds, resetSeconds } = refused
  const detail = `The limit is ${quota} requests in ${windowSeconds} s.`
  throw new DomainError('rate_limited', { detail, retryAfter: resetSeconds })
}
