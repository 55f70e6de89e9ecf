/** How every answer leaves. Each header costs at every request: those that all answers bear are made once and copied. */
import { ElysiaCustomStatusResponse } from 'elysia'

/** Elysia's `set`: what handlers and hooks add to the answer of one request. */
export interface Additions {
  headers: Record<string, string | number | undefined>
  status?: number | string
}

export interface Responses {
  /**
   * The answer that bears what was added, once, and what all bear. `value` is what a handler returned: an object, JSON text
   * (see `ready-json.ts`), Elysia's `status`, or a Response, whose own headers come first.
   */
  of(value: unknown, set: Additions): Response
  /** The same of one object for all who ask: its own headers are put together with the others once. */
  ofShared(shared: SharedResponse, set: Additions): Response
}

export interface SharedResponse {
  /** JSON. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** `base` is borne by all. */
export function createResponses(base: Record<string, string>): Responses {
  const plain = new Headers(base)
  const json = new Headers({ ...base, 'Content-Type': 'application/json' })

  function made(value: unknown, set: Additions): Response {
    const custom = value instanceof ElysiaCustomStatusResponse
    const status = custom ? Number(value.code) : Number(set.status ?? 200)
    const content = custom ? value.response : value
    if (content === undefined) return new Response(null, { status, headers: plain })
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    return new Response(text, { status, headers: json })
  }

  const prepared = new WeakMap<SharedResponse, Headers>()

  function headersOf(shared: SharedResponse): Headers {
    const known = prepared.get(shared)
    if (known) return known
    const headers = new Headers({ ...base, 'Content-Type': 'application/json', ...shared.headers })
    prepared.set(shared, headers)
    return headers
  }

  return {
    of(value, set) {
      if (!(value instanceof Response)) return added(made(value, set), set)
      const own = new Set(value.headers.keys())
      for (const [name, text] of plain) if (!own.has(name)) value.headers.set(name, text)
      return added(value, set, own)
    },
    ofShared: (shared, set) => added(new Response(shared.body, { headers: headersOf(shared) }), set),
  }
}

/** `own`: headers, in lower case, that nothing added takes the place of. */
function added(answer: Response, set: Additions, own?: Set<string>): Response {
  const { headers } = answer
  for (const name in set.headers)
    if (!own?.has(name.toLowerCase())) headers.set(name, String(set.headers[name]))
  // Elysia adds what is there to a copy of the answer.
  set.headers = {}
  set.status = 200
  return answer
}
