/** Responses of pages: HTML, scripts and styles, each with a Content-Security-Policy. */
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
  body: string | Blob,
  type: string,
  policy = "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
) {
  const headers = {
    'Content-Type': type,
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
  }
  return new Response(body, { headers })
}
