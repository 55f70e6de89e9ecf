/** Responses of pages: HTML, scripts and styles, each with a Content-Security-Policy. */
import { acceptsGzip, COMPRESSED_FROM_BYTES, type Coding } from '../http/edge/compression.ts'
import { etagOf, matchesTag, withCoding } from '../http/edge/conditional.ts'
import type { Endpoints } from '../identity-provider/discovery.ts'

/** Scripts and styles of this origin alone, and `images`; connections to this origin and to the provider, for the token. */
export function pagePolicy(issuer: string, endpoints: Endpoints | null, images = "'self' data:"): string {
  const urls = endpoints?.token ? [issuer, endpoints.token] : [issuer]
  const provider = new Set(urls.map(url => new URL(url).origin))
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${images}`,
    `connect-src 'self' ${[...provider].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** By default a page may only run scripts of this origin, as the page that ends the sign-in does. */
export function pageResponse(
  body: string | Blob | null,
  type: string,
  policy = "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  status = 200,
) {
  const headers = {
    'Content-Type': type,
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
  }
  return new Response(body, { status, headers })
}

interface Tagged {
  /** Of the content without a coding. */
  etag: string
  coding: Coding | undefined
  /** In the coding. Not called if the client has it. */
  readBody(): string | Blob | Promise<Blob>
  type: string
  policy?: string | undefined
}

/** 200 with the ETag of the coding, or 304 if the client has it. */
export async function taggedResponse(request: Request, tagged: Tagged): Promise<Response> {
  const { etag, coding, readBody, type, policy } = tagged
  const tag = coding ? withCoding(etag, coding) : etag
  const isKnown = matchesTag(request.headers.get('if-none-match'), tag)
  const response = pageResponse(isKnown ? null : await readBody(), type, policy, isKnown ? 304 : 200)
  response.headers.set('ETag', tag)
  if (coding && !isKnown) response.headers.set('Content-Encoding', coding)
  return response
}

/** A page that is made for each request, and shows nothing of a caller: with an ETag, and compressed. */
export async function conditionalPage(
  request: Request,
  text: string,
  type: string,
  policy?: string,
): Promise<Response> {
  const coding = text.length >= COMPRESSED_FROM_BYTES && acceptsGzip(request.headers) ? 'gzip' : undefined
  const readBody = () => (coding ? new Blob([Bun.gzipSync(text)]) : text)
  const response = await taggedResponse(request, { etag: etagOf(text), coding, readBody, type, policy })
  response.headers.set('Vary', 'Accept-Encoding')
  return response
}
