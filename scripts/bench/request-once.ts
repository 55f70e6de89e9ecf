/** One response of a server before the measurement, to serve the same bytes. */
import type { Plan } from './plan.ts'
import type { Bench } from './scenario.ts'
import type { CapturedResponse, Subject } from './subjects.ts'

/** Headers set by the HTTP server itself. */
const OWN_HEADERS = new Set(['date', 'content-length', 'connection', 'transfer-encoding', 'keep-alive'])

/** The response to the first request of a plan. */
export async function requestOnce(
  { options }: Bench,
  subject: Subject,
  plan: Plan,
): Promise<CapturedResponse> {
  const running = await subject.start(options.fans)
  try {
    const [request] = plan.requests
    const [token] = plan.tokens
    const response = await fetch(running.origin + (request?.path ?? '/'), {
      method: request?.method,
      headers: {
        // wrk asks for uncompressed responses, so this request does too.
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
