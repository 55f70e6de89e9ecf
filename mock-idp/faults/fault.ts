/** What a fault is: what it strikes, and how. */

/** What a fault can be about; `*` is every endpoint that a client or an API calls, revocation included. */
export const faultMatches = ['discovery', 'jwks', 'userinfo', 'token', '*'] as const
export type FaultMatch = (typeof faultMatches)[number]

export const faultKinds = [
  'status',
  'delay',
  'hang',
  'drip',
  'reset',
  'malformed',
  'empty_keys',
  'huge',
  'html',
  'redirect',
  'json',
] as const
export type FaultKind = (typeof faultKinds)[number]

export interface FaultInput {
  match: FaultMatch
  kind: FaultKind
  /** `status` and `json`: the status to answer with. Default 503 and 200. */
  status?: number
  /** `status`: seconds for Retry-After. */
  retryAfter?: number
  /** `delay`: before the true answer (default 1000). `drip`: between two bytes (default 1000). */
  delayMs?: number
  /** `redirect`: where to. Default a host that does not exist. */
  location?: string
  /** `json`: the body. */
  body?: unknown
  /** How many requests it strikes; without it, all until it is deleted. */
  count?: number
}

/** A fault in force. */
export interface Fault extends FaultInput {
  id: string
}
