/** A receiver of webhooks on the loopback. It keeps what it gets, and misbehaves in the ways of the mock provider. */
import { createClock } from '../../../mock-idp/clock.ts'
import type { FaultInput } from '../../../mock-idp/faults/fault.ts'
import { faultResponse } from '../../../mock-idp/faults/responses.ts'

interface Received {
  headers: Record<string, string>
  /** The bytes that are signed. */
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: expectations read bodies of every shape
  body: any
}

export interface Receiver {
  url: string
  received: Received[]
  /** As `FAN 1`, in the order of arrival. */
  order(): string[]
  /** Sets its further responses: a fault, a response, or undefined for 204. */
  behave(behaviour: Behaviour): void
  stop(): Promise<void>
}

type Reply = Omit<FaultInput, 'match'> | Response | undefined
type Behaviour = ((received: Received, count: number) => Reply | Promise<Reply>) | undefined

const clock = createClock(Date.now)

export function startReceiver(): Receiver {
  const received: Received[] = []
  const released = new AbortController()
  let behaviour: Behaviour
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const text = await request.text()
      const delivery = { headers: Object.fromEntries(request.headers), text, body: JSON.parse(text) }
      received.push(delivery)
      const reply = await behaviour?.(delivery, received.length)
      if (reply === undefined) return new Response(null, { status: 204 })
      if (reply instanceof Response) return reply
      const signal = AbortSignal.any([request.signal, released.signal])
      const response = await faultResponse({ id: '', match: '*', ...reply }, { clock, signal })
      return response ?? new Response(null, { status: 204 })
    },
    // A broken body is what the test asked for.
    error: () => new Response(null, { status: 500 }),
  })
  return {
    url: `http://127.0.0.1:${server.port}/hooks?key=of-the-receiver`,
    received,
    order: () => received.map(({ body }) => `${body.data.userId} ${body.data.sequence}`),
    behave(next) {
      behaviour = next
    },
    async stop() {
      released.abort()
      await server.stop(true)
    },
  }
}
