/**
 * Preloaded before `src/main.ts`: redirects requests for the bench's issuer to its local address. Production mode, which
 * accepts only https and public addresses, then runs unchanged without certificate and internet.
 */
import { ISSUER } from './issuer.ts'

const at = process.env.BENCH_ISSUER_AT ?? ''
const real = globalThis.fetch

const redirected = (input: string | URL | Request, init?: RequestInit) => {
  const request = input instanceof Request ? input : new Request(String(input), init)
  return request.url.startsWith(ISSUER)
    ? real(request.url.replace(ISSUER, at), { headers: request.headers, signal: request.signal })
    : real(request)
}
globalThis.fetch = Object.assign(redirected, { preconnect: real.preconnect })
