/** How every answer leaves. Each header costs at every request: those that all answers bear are made once and copied. */
import { ElysiaCustomStatusResponse } from 'elysia'

/** Elysia's `set`: what handlers and hooks add to the answer of one request. */
export interface Additions {
  headers: Record<string, string | number | undefined>
  status?: number | string
}

export interface Answers {
  /**
   * The answer that bears what was added, once, and what all bear. `value` is what a handler returned: an object, JSON text
   * (see `ready-json.ts`), Elysia's `status`, or a Response, whose own headers come first.
   */
  of(value: unknown, set: Additions): Response
}

/** `base` is borne by all. */
export function createAnswers(base: Record<string, string>): Answers {
  const plain = new Headers(base)
  const json = new Headers({ ...base, 'Content-Type': 'application/json' })

  function made(value: unknown, set: Additions): Response {
    if (value instanceof Response) return value
    const custom = value instanceof ElysiaCustomStatusResponse
    const status = custom ? Number(value.code) : Number(set.status ?? 200)
    const content = custom ? value.response : value
    if (content === undefined) return new Response(null, { status, headers: plain })
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    return new Response(text, { status, headers: json })
  }

  return {
    of(value, set) {
      const answer = made(value, set)
      const { headers } = answer
      if (answer === value) {
        for (const [name, text] of plain) if (!headers.has(name)) headers.set(name, text)
      }
      for (const name in set.headers) headers.set(name, String(set.headers[name]))
      // Elysia adds what is there to a copy of the answer.
      set.headers = {}
      set.status = 200
      return answer
    },
  }
}
