/** Responses that clients and CDNs may store: ETag, If-None-Match and Cache-Control (RFC 9110 §8.8, §13; RFC 9111). */
import { createRenderings } from '../../../core/texts.ts'
import { acceptsGzip, COMPRESSED_FROM_BYTES, type Coding } from './compression.ts'
import { addVary } from './responses.ts'

/**
 * Public responses: browsers revalidate each time; shared caches may serve a response for a second, so that many clients cause
 * one request. Private responses: only the client stores them, and revalidates each time.
 */
const PUBLIC = 'public, max-age=0, s-maxage=1, must-revalidate'
const PRIVATE = 'private, no-cache'

export interface Conditional {
  /** Undefined in groups that read no token; null if none was sent. */
  caller?: object | null
  /** Defined in groups that require a server key. */
  source?: string
  /** What the handler returned. */
  response: unknown
  request: Request
  set: { status?: number | string; headers: Record<string, string | number | undefined> }
}

/** Elysia's `afterHandle` of a `conditional` operation: sets ETag and Cache-Control, and answers 304 if the ETag matches. */
export function respondConditionally({
  caller,
  source,
  response,
  request,
  set,
}: Conditional): Response | Rendered['body'] | undefined {
  if (response instanceof Response) return undefined
  const isPersonal = Boolean(caller) || source !== undefined
  const plain = render(response)
  set.headers['Cache-Control'] = isPersonal ? PRIVATE : PUBLIC
  if (!isPersonal && isCompressible(plain)) addVary(set.headers, 'Accept-Encoding')
  // The response depends on the token.
  if (caller !== undefined || source !== undefined) addVary(set.headers, 'Authorization')
  const chosen = isPersonal ? plain : chooseCoding(plain, request.headers)
  set.headers.ETag = chosen.etag
  if (matchesTag(request.headers.get('if-none-match'), chosen.etag))
    return new Response(null, { status: 304 })
  if (chosen.body instanceof Uint8Array) set.headers['Content-Encoding'] = 'gzip'
  return chosen.body
}

/** The ETag of the response of a value in its default language, without a content coding. */
export const etagOfValue = (value: unknown): string => render(value).etag

interface Rendered {
  /** JSON, or its bytes under gzip. */
  body: string | Uint8Array<ArrayBuffer>
  etag: string
  /** Made for the first client that accepts it. */
  gzip?: Rendered
}

const rendered = createRenderings<Rendered & { body: string }>()

/** A cached object is rendered once for all requests in a language: without it, `GET /api/packs` takes 90,000 instructions, not 56,000. */
function render(value: unknown): Rendered & { body: string } {
  const renderNow = () => {
    const body = JSON.stringify(value)
    return { body, etag: etagOf(body) }
  }
  return typeof value === 'object' && value !== null ? rendered(value, renderNow) : renderNow()
}

const isCompressible = ({ body }: { body: string }) => body.length >= COMPRESSED_FROM_BYTES

/** A strong ETag names the bytes, so that each coding has its own. */
function chooseCoding(plain: Rendered & { body: string }, headers: Headers): Rendered {
  if (!isCompressible(plain) || !acceptsGzip(headers)) return plain
  plain.gzip ??= { body: Bun.gzipSync(plain.body), etag: withCoding(plain.etag) }
  return plain.gzip
}

/** A strong ETag: 160 bits of the SHA-256 of the body. */
export function etagOf(body: string | Uint8Array<ArrayBuffer>): string {
  return `"${new Bun.CryptoHasher('sha256').update(body).digest().subarray(0, 20).toString('base64url')}"`
}

/**
 * RFC 9110 §13.1.2: `If-None-Match` is a list of ETags or `*`, by weak comparison: codings of the same JSON are the same. A
 * client has the ETag of either, such as that of a stream.
 */
export function matchesTag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  const uncoded = withoutCoding(etag)
  return ifNoneMatch.split(',').some(tag => {
    const given = tag.trim()
    return given === '*' || withoutCoding(given.replace(/^W\//, '')) === uncoded
  })
}

export const withCoding = (etag: string, coding: Coding = 'gzip') => etag.replace(/"$/, `-${coding}"`)
const withoutCoding = (etag: string) => etag.replace(/-(gzip|br)"$/, '"')
