/** One response of a server before the measurement, to compare the subjects. */
import type { Plan } from './plan.ts'
import type { Bench } from './scenario.ts'
import { type CapturedResponse, PeerMissing, type Subject } from './subjects.ts'

/** Headers set by the HTTP server itself. */
const OWN_HEADERS = new Set(['date', 'content-length', 'connection', 'transfer-encoding', 'keep-alive'])

/** The response to the first request of a plan. */
export async function requestOnce(
  { options }: Bench,
  subject: Subject,
  plan: Plan,
  fans = options.fans,
): Promise<CapturedResponse> {
  const running = await subject.start(fans)
  try {
    const [request] = plan.requests
    const [token] = plan.tokens
    const response = await fetch(running.origin + (request?.path ?? '/'), {
      method: request?.method,
      headers: {
        // The subjects are compared by the bytes that wrk asks for.
        'accept-encoding': 'identity',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(request?.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: request?.body,
    })
    const headers = [...response.headers].filter(([name]) => !OWN_HEADERS.has(name))
    return { status: response.status, headers: Object.fromEntries(headers), body: await response.text() }
  } finally {
    await running.stop()
  }
}

/** The time of a new claim: the only allowed difference. */
const now = /"claimedAt":"[^"]+"/g

/** Undefined when the subject gives the same response; otherwise the difference, which makes ratios meaningless. */
export async function sameResponse(
  bench: Bench,
  subject: Subject,
  plan: Plan,
  expected: CapturedResponse,
): Promise<string | undefined> {
  try {
    const { status, body } = await requestOnce(bench, subject, plan)
    const same = (text: string) => text.replaceAll(now, '"claimedAt":""')
    if (status === expected.status && same(body) === same(expected.body)) return undefined
    return `${subject.name} responds differently from Matchday: ${status} ${body.slice(0, 200)}`
  } catch (error) {
    if (error instanceof PeerMissing) return undefined
    throw error
  }
}
