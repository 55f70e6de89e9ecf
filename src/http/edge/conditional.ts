/** Answers that clients and CDNs may keep: ETag, If-None-Match and Cache-Control (RFC 9110 §8.8, §13; RFC 9111). */

import type { SharedResponse } from './responses.ts'

/**
 * Public answers: a browser asks again each time, which costs a 304; a shared cache may answer for a second by itself, so that
 * a crowd costs one request. Private ones stay in the client, which asks again each time: what a fan did shows at once.
 */
const PUBLIC = 'public, max-age=0, s-maxage=1, must-revalidate'
const PRIVATE = 'private, no-cache'

interface Context {
  /** Absent in groups that read no token; null when none was sent. */
  caller?: object | null
  /** What the handler returned. */
  response: unknown
  request: Request
  set: { status?: number | string; headers: Record<string, string | number | undefined> }
}

/** Elysia's `afterHandle` for an operation whose responses anyone, or their caller, may store. */
export function respondConditionally({
  caller,
  response,
  request,
  set,
}: Context): Response | string | undefined {
  if (response instanceof Response) return undefined
  const { body, etag } = render(response)
  set.headers.ETag = etag
  set.headers['Cache-Control'] = caller ? PRIVATE : PUBLIC
  // Where a token is read, the response depends on it.
  if (caller !== undefined)
    set.headers.Vary = set.headers.Vary ? `${set.headers.Vary}, Authorization` : 'Authorization'
  if (isNamed(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304 })
  return body
}

/** The public answer of a view, for who names no version of it; else undefined. */
export function sharedResponse(view: unknown, { headers }: Request): SharedResponse | undefined {
  return headers.has('if-none-match') ? undefined : render(view)
}

interface Rendered extends SharedResponse {
  etag: string
}

const rendered = new WeakMap<object, Rendered>()

/** A view is one object for all its readers, and is rendered once. */
function render(answer: unknown): Rendered {
  const isObject = typeof answer === 'object' && answer !== null
  const known = isObject ? rendered.get(answer) : undefined
  if (known) return known
  const body = JSON.stringify(answer)
  const etag = etagOf(body)
  const fresh = { body, etag, headers: { ETag: etag, 'Cache-Control': PUBLIC } }
  if (isObject) rendered.set(answer, fresh)
  return fresh
}

/** Strong: the same bytes have the same name. 160 bits of SHA-256. */
function etagOf(body: string): string {
  return `"${new Bun.CryptoHasher('sha256').update(body).digest().subarray(0, 20).toString('base64url')}"`
}

/** RFC 9110 §13.1.2: a list of names or `*`; for this comparison weak ones count as well. */
function isNamed(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  return ifNoneMatch.split(',').some(name => name.trim() === '*' || name.trim().replace(/^W\//, '') === etag)
}
