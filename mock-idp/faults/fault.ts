import { httpUrl, integer, json, oneOf } from '../control/input.ts'
import { type Static, Type } from '../typebox.ts'

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

export const FaultInput = Type.Object({
  match: oneOf(faultMatches),
  kind: oneOf(faultKinds),
  /** `status` and `json`: the status of the response. Default 503 and 200. */
  status: Type.Optional(integer(200, 599)),
  /** `status`: seconds for Retry-After. */
  retryAfter: Type.Optional(integer(0, 86_400)),
  /** `delay`: before the normal response (default 1000). `drip`: between two bytes (default 1000). */
  delayMs: Type.Optional(integer(0, 600_000)),
  /** `redirect`: the target. Default: a host that does not exist. */
  location: Type.Optional(httpUrl),
  /** `json`: the body. */
  body: Type.Optional(json),
  /** How many requests it applies to. Default: all until it is deleted. */
  count: Type.Optional(integer(1, 1_000_000)),
})
export type FaultInput = Static<typeof FaultInput>

/** An active fault. */
export interface Fault extends FaultInput {
  id: string
}
