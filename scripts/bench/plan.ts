/** What a load generator sends, and what it measured. */

export interface RequestTemplate {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  /** A JSON document. */
  body?: string
}

/**
 * Request number i carries `tokens[i % tokens.length]` and is `requests[i % requests.length]`. Where the two lengths
 * have no divisor in common, every pair of them comes once in as many requests as their product.
 */
export interface Plan {
  /** Bearer tokens; none: requests carry no Authorization. */
  tokens: string[]
  requests: RequestTemplate[]
  /** A pair may be sent once only: a subject is started again on fresh data before they run out. */
  once?: boolean
  /** A path that every token reads once before the load begins, so that all callers are known. */
  introduction?: string
}

export interface Latency {
  p50: number
  p90: number
  p99: number
  max: number
}

export interface Measurement {
  /** Answers that came. */
  requests: number
  perSecond: number
  /** Not 2xx, or no answer at all. */
  failed: number
  /** Milliseconds. */
  latency: Latency
  /** Requests that were made, those still under way at the end included: where the next round goes on. */
  made: number
  /** Share of one core that the generator used, 0 to 1. */
  generatorCpu: number
}

/** How many requests a plan has before a pair comes again. */
export function distinctRequests({ tokens, requests }: Plan): number {
  const [a, b] = [Math.max(tokens.length, 1), requests.length]
  return (a * b) / divisor(a, b)
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b)
}

/** The bytes of one request up to its token, and from there on. */
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
