/** Sends requests at a fixed rate, regardless of the speed of the server. */
import type { RequestTemplate } from '../plan.ts'
import { percentiles } from './bun-generators.ts'

export interface PacedRequest extends RequestTemplate {
  token: string
}

/** A claim of each fan, then the next claim of each. */
export function* claimsOf(tokens: string[], requests: RequestTemplate[]): Generator<PacedRequest> {
  for (const request of requests) for (const token of tokens) yield { ...request, token }
}

/** Onboardings of new fans. */
export function* onboardingsOf(tokens: string[]): Generator<PacedRequest> {
  for (const token of tokens) yield { method: 'POST', path: '/api/user/onboarding', body: '{}', token }
}

/** Sends a request every `everyMs` until `stop` is called, `max` are sent, or none is left. Latencies count from the scheduled time. */
export function startPaced(
  origin: string,
  requests: Iterator<PacedRequest>,
  { everyMs, max = Number.POSITIVE_INFINITY }: { everyMs: number; max?: number },
) {
  const times: number[] = []
  const pending: Promise<void>[] = []
  const allSent = Promise.withResolvers<void>()
  const started = performance.now()
  let failed = 0
  async function send({ method, path, body, token }: PacedRequest, dueAt: number) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = fetch(origin + path, { method, headers, ...(body === undefined ? {} : { body }) })
    const isDone = await sent.then(
      async response => {
        await response.arrayBuffer()
        return response.ok
      },
      () => false,
    )
    if (!isDone) failed++
    times.push(performance.now() - dueAt)
  }
  const nextAt = () => started + pending.length * everyMs
  const timer = setInterval(() => {
    while (pending.length < max && nextAt() <= performance.now()) {
      const { done, value } = requests.next()
      if (done) return allSent.resolve()
      pending.push(send(value, nextAt()))
    }
    if (pending.length >= max) allSent.resolve()
  }, everyMs / 4)
  return {
    /** Resolves when `max` are sent, or none is left. */
    sent: allSent.promise,
    async stop() {
      clearInterval(timer)
      await Promise.all(pending)
      const { p50, p99 } = percentiles(Float64Array.from(times))
      return { p50, p99, failed }
    },
  }
}
