/**
 * Loaded before `src/main.ts`: leads its requests for the bench's issuer to where that listens. So production mode,
 * which takes https and public addresses only, runs unchanged with no certificate and no internet.
 */
import { ISSUER } from './issuer.ts'

const at = process.env.BENCH_ISSUER_AT ?? ''
const real = globalThis.fetch

const led = (input: string | URL | Request, init?: RequestInit) => {
  const request = input instanceof Request ? input : new Request(String(input), init)
  return request.url.startsWith(ISSUER)
    ? real(request.url.replace(ISSUER, at), { headers: request.headers, signal: request.signal })
    : real(request)
}
globalThis.fetch = Object.assign(led, { preconnect: real.preconnect })
