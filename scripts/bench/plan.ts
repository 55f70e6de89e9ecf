/** The requests of a load generator, and its measurement. */

export interface RequestTemplate {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  path: string
  /** A JSON document. */
  body?: string
}

/**
 * Request number i is `requests[i % requests.length]` with `tokens[i % tokens.length]`. If the two lengths have no
 * common divisor, every pair occurs once before the sequence repeats.
 */
export interface Plan {
  /** Bearer tokens. Empty: requests have no Authorization header. */
  tokens: string[]
  requests: RequestTemplate[]
  /** Each pair may be sent only once: the subject is restarted on fresh data before they run out. */
  once?: boolean
  /** Each request is sent with all tokens before the next one. */
  inTurn?: boolean
  /** The bodies of the requests: batches of events, each event of another fan. */
  events?: { batch: number; types: number; fans: number }
  /** A path that is read once with every token before the load, so that all tokens are cached. */
  primePath?: string | undefined
}

export interface Latency {
  p50: number
  p90: number
  p99: number
  max: number
}

export interface Measurement {
  /** Received responses. */
  requests: number
  perSecond: number
  /** Responses other than 2xx, and requests without a response. */
  failed: number
  /** Milliseconds. */
  latency: Latency
  /** Sent requests, including those pending at the end. The next round continues from there. */
  sent: number
  /** Share of one core that the generator used, 0 to 1. */
  generatorCpu: number
}

export interface LoadOptions {
  seconds: number
  connections: number
  /** Number of the plan's first request. */
  first?: number
  /** The core to pin the generator to; null: not pinned. */
  core: number | null
}

/** A closed loop: each connection sends its next request after the response to the previous one. */
export interface Generator {
  /** Name and version. */
  readonly name: string
  measure(origin: string, plan: Plan, options: LoadOptions): Promise<Measurement>
}

/** The duration of requests in seconds. Longer than planned if the last ones take long. */
export const secondsOf = (requests: number, perSecond: number, planned: number): number =>
  perSecond > 0 ? requests / perSecond : planned

/** The number of requests before a pair of token and request repeats. */
export function distinctRequests({ tokens, requests, inTurn }: Plan): number {
  const [a, b] = [Math.max(tokens.length, 1), requests.length]
  if (inTurn) return a * b
  return (a * b) / greatestCommonDivisor(a, b)
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}

/** The text of one request before and after its token. */
export function requestParts({ method, path, body }: RequestTemplate, host: string, withToken: boolean) {
  const entity =
    body === undefined
      ? ''
      : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${entity}`
  const end = `\r\n\r\n${body ?? ''}`
  return withToken
    ? { head: `${head}Authorization: Bearer `, tail: end }
    : { head: head.slice(0, -2), tail: end }
}
