/** The endpoints a fault can apply to; `*` is every endpoint that a client or an API calls, revocation included. */
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
  /** `status` and `json`: the status of the response. Default 503 and 200. */
  status?: number
  /** `status`: seconds for Retry-After. */
  retryAfter?: number
  /** `delay`: before the normal response (default 1000). `drip`: between two bytes (default 1000). */
  delayMs?: number
  /** `redirect`: the target. Default: a host that does not exist. */
  location?: string
  /** `json`: the body. */
  body?: unknown
  /** How many requests it applies to. Default: all until it is deleted. */
  count?: number
}

/** An active fault. */
export interface Fault extends FaultInput {
  id: string
}
