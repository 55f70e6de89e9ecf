/** Responses that clients and CDNs may store: ETag, If-None-Match and Cache-Control (RFC 9110 §8.8, §13; RFC 9111). */

import type { SharedResponse } from './responses.ts'

/**
 * Public responses: a browser revalidates each time, which costs a 304; a shared cache may serve one for a second, so that a
 * crowd costs one request. Private ones stay in the client, which revalidates each time: a fan's change shows at once.
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

/** The response of a cached object; undefined when the request names a version of it. */
export function sharedResponse(value: unknown, { headers }: Request): SharedResponse | undefined {
  return headers.has('if-none-match') ? undefined : render(value)
}

interface Rendered extends SharedResponse {
  etag: string
}

const rendered = new WeakMap<object, Rendered>()

/** A cached object is shared by its readers and rendered once. */
function render(value: unknown): Rendered {
  const isObject = typeof value === 'object' && value !== null
  const known = isObject ? rendered.get(value) : undefined
  if (known) return known
  const body = JSON.stringify(value)
  const etag = etagOf(body)
  const fresh = { body, etag, headers: { ETag: etag, 'Cache-Control': PUBLIC } }
  if (isObject) rendered.set(value, fresh)
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
