/** The requests of a load generator, and its measurement. */

export interface RequestTemplate {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  /** A JSON document. */
  body?: string
}

/**
 * Request number i is `requests[i % requests.length]` with `tokens[i % tokens.length]`. If the two lengths have no
 * common greatestCommonDivisor, every pair occurs once before the sequence repeats.
 */
export interface Plan {
  /** Bearer tokens. Empty: requests have no Authorization header. */
  tokens: string[]
  requests: RequestTemplate[]
  /** Each pair may be sent only once: the subject is restarted on fresh data before they run out. */
  once?: boolean
  /** A path that is read once with every token before the load, so that all tokens are cached. */
  primePath?: string
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

/** Seconds that requests took. Longer than planned where the last ones take long. */
export const secondsOf = (requests: number, perSecond: number, planned: number): number =>
  perSecond > 0 ? requests / perSecond : planned

/** Of loads one after another. Each of the latencies is the highest: percentiles cannot be merged. */
export function mergeMeasurements(loads: Measurement[], planned: number): Measurement {
  const sum = (of: (load: Measurement) => number) => loads.reduce((total, load) => total + of(load), 0)
  const seconds = (load: Measurement) => secondsOf(load.requests, load.perSecond, planned)
  const highest = (name: keyof Latency) => Math.max(...loads.map(({ latency }) => latency[name]))
  const [requests, lasted] = [sum(load => load.requests), sum(seconds)]
  return {
    requests,
    perSecond: requests / lasted,
    failed: sum(({ failed }) => failed),
    latency: { p50: highest('p50'), p90: highest('p90'), p99: highest('p99'), max: highest('max') },
    sent: sum(({ sent }) => sent),
    generatorCpu: sum(load => load.generatorCpu * seconds(load)) / lasted,
  }
}

/** The number of requests before a pair of token and request repeats. */
export function distinctRequests({ tokens, requests }: Plan): number {
  const [a, b] = [Math.max(tokens.length, 1), requests.length]
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
