/** Builds every response. Headers that all responses have are built once and copied, which is faster. */
import { ElysiaCustomStatusResponse } from 'elysia'
import { stringify } from './ready-json.ts'

/** Elysia's `set`: what handlers and hooks add to the response of one request. */
interface Additions {
  headers: Record<string, string | number | undefined>
  status?: number | string
}

/** Adds a request header on which the response depends (RFC 9110 §12.5.5). */
export const addVary = (headers: Additions['headers'], name: string): void => {
  headers.Vary = headers.Vary ? `${headers.Vary}, ${name}` : name
}

/** `base`: headers of every response. */
export function createResponder(base: Record<string, string>) {
  const plain = new Headers(base)
  const json = new Headers({ ...base, 'Content-Type': 'application/json' })

  function build(value: unknown, set: Additions): Response {
    const custom = value instanceof ElysiaCustomStatusResponse
    const status = custom ? Number(value.code) : Number(set.status ?? 200)
    const content = custom ? value.response : value
    if (content === undefined) return new Response(null, { status, headers: plain })
    const isReady = typeof content === 'string' || content instanceof Uint8Array
    // Guarantee of the cast: no response is in shared memory.
    const body = isReady ? (content as string | Uint8Array<ArrayBuffer>) : stringify(content)
    return new Response(body, { status, headers: json })
  }

  /**
   * The response with the headers of `set` and those of every response. `value` is what a handler returned: an object, JSON
   * text (see `ready-json.ts`) or its bytes, Elysia's `status`, or a Response, whose own headers take precedence.
   */
  return (value: unknown, set: Additions): Response => {
    if (!(value instanceof Response)) return withHeaders(build(value, set), set)
    const own = new Set(value.headers.keys())
    for (const [name, text] of plain) if (!own.has(name)) value.headers.set(name, text)
    return withHeaders(value, set, own)
  }
}

/** Adds the headers of `set`. `own`: header names, in lower case, that `set` does not replace. */
function withHeaders(response: Response, set: Additions, own?: Set<string>): Response {
  const { headers } = response
  const named = own?.has('vary') ? headers.get('Vary')?.toLowerCase().split(', ') : undefined
  for (const name of named ? String(set.headers.Vary ?? '').split(', ') : [])
    if (name !== '' && !named?.includes(name.toLowerCase())) headers.append('Vary', name)
  for (const name in set.headers)
    if (!own?.has(name.toLowerCase())) headers.set(name, String(set.headers[name]))
  // Elysia would add them to a copy of the response.
  set.headers = {}
  set.status = 200
  return response
}
