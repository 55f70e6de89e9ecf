/** One answer of a server, before it is measured: what the others are held to. */
import type { Plan } from './plan.ts'
import type { Bench } from './scenario.ts'
import { type Answer, PeerMissing, type Subject } from './subjects.ts'

/** Headers that a server sets by itself. */
const OWN_HEADERS = new Set(['date', 'content-length', 'connection', 'transfer-encoding', 'keep-alive'])

/** What it answers to the plan's first request. */
export async function askOnce(
  { options }: Bench,
  subject: Subject,
  plan: Plan,
  fans = options.fans,
): Promise<Answer> {
  const running = await subject.start(fans)
  try {
    const [request] = plan.requests
    const [token] = plan.tokens
    const answer = await fetch(running.origin + (request?.path ?? '/'), {
      method: request?.method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(request?.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: request?.body,
    })
    const headers = [...answer.headers].filter(([name]) => !OWN_HEADERS.has(name))
    return { status: answer.status, headers: Object.fromEntries(headers), body: await answer.text() }
  } finally {
    await running.stop()
  }
}

/** What a fresh claim's instant looks like: it differs, and nothing else may. */
const now = /"claimedAt":"[^"]+"/g

/** Undefined when the subject answers the very same; otherwise a ratio to it would mean nothing. */
export async function sameAnswer(
  bench: Bench,
  subject: Subject,
  plan: Plan,
  expected: Answer,
): Promise<string | undefined> {
  try {
    const { status, body } = await askOnce(bench, subject, plan)
    const same = (text: string) => text.replaceAll(now, '"claimedAt":""')
    if (status === expected.status && same(body) === same(expected.body)) return undefined
    return `${subject.name} does not answer what Matchday answers: ${status} ${body.slice(0, 200)}`
  } catch (error) {
    if (error instanceof PeerMissing) return undefined
    throw error
  }
}
