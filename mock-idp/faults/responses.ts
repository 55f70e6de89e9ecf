import type { Clock } from '../clock.ts'
import { generateSigningKey } from '../oidc/keys.ts'
import { OAuthError } from '../oidc/oauth-error.ts'
import type { Fault } from './fault.ts'

const json = { 'content-type': 'application/json' }
const hugeBytes = 8 * 1024 * 1024
const bytes = (text: string) => new TextEncoder().encode(text)

/**
 * The response of a fault, or undefined when the normal response follows, possibly after a delay.
 * @param signal aborts when the client goes away or the fault is deleted
 */
export async function faultResponse(
  fault: Fault,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<Response | undefined> {
  const delayMs = fault.delayMs ?? 1000
  switch (fault.kind) {
    case 'status':
      return statusResponse(fault.status ?? 503, fault.retryAfter)
    case 'delay':
      await clock.wait(delayMs, signal)
      return undefined
    case 'hang':
      await aborted(signal)
      return statusResponse(503)
    case 'drip':
      return new Response(dripBody(clock, delayMs, signal), { headers: json })
    case 'reset':
      return new Response(brokenBody(), { headers: json })
    case 'malformed':
      return new Response('{"keys":[{"kty":"EC","crv":"P-256",', { headers: json })
    case 'empty_keys':
      return Response.json({ keys: [] })
    case 'huge':
      return new Response(hugeBody(), { headers: json })
    case 'html':
      return new Response('<!doctype html><title>Maintenance</title><h1>We will be right back</h1>', {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      })
    case 'redirect':
      return new Response(null, {
        status: 302,
        headers: { location: fault.location ?? 'https://elsewhere.invalid/' },
      })
    case 'json':
      return Response.json(fault.body ?? null, { status: fault.status ?? 200 })
  }
}

function statusResponse(status: number, retryAfter?: number): Response {
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  if ([204, 205, 304].includes(status)) return new Response(null, { status, headers })
  const error = new OAuthError(status, 'temporarily_unavailable', 'A fault of the mock provider.', headers)
  return error.toResponse()
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Starts a JSON object and then sends only white space: only a deadline for the whole body ends it. */
function dripBody(clock: Clock, everyMs: number, signal: AbortSignal): ReadableStream<Uint8Array> {
  let started = false
  return new ReadableStream({
    async pull(controller) {
      if (started) await clock.wait(everyMs, signal)
      if (signal.aborted) controller.error(signal.reason)
      else controller.enqueue(bytes(started ? ' ' : '{'))
      started = true
    },
  })
}

/** Starts a body and then fails: Bun closes the socket. */
function brokenBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes('{"keys":['))
      setTimeout(() => controller.error(new Error('reset by a fault of the mock provider')), 1)
    },
  })
}

/** A well-formed key set of several MiB. */
function hugeBody(): ReadableStream<Uint8Array> {
  const { publicJwk } = generateSigningKey('ES256')
  let sent = 0
  return new ReadableStream({
    pull(controller) {
      const keys = Array.from({ length: 256 }, (_, n) =>
        JSON.stringify({ ...publicJwk, kid: `huge-${sent}-${n}` }),
      )
      const chunk = bytes(`${sent === 0 ? '{"keys":[' : ','}${keys.join(',')}`)
      controller.enqueue(chunk)
      sent += chunk.length
      if (sent < hugeBytes) return
      controller.enqueue(bytes(']}'))
      controller.close()
    },
  })
}
