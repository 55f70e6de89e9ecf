/** One bounded request to a provider, of identity or of a chain: a deadline for the whole response, a size limit, no redirects, no compression. */

import { withDeadline } from '../../../db/deadline.ts'
import { attempt } from '../../core/attempt.ts'
import { errorCode } from '../../core/error-code.ts'
import { readRetryAfter } from '../../core/retry-after.ts'
import { ForbiddenAddressError } from '../../core/ssrf-guard.ts'

export type Fetch = (request: Request) => Promise<Response>

/** Why a request to the provider failed. The message is for the log and `/readyz`, not for callers. */
export class ProviderError extends Error {
  constructor(
    message: string,
    /** `invalid`: the response cannot be used. `refused`: the provider refused the token. */
    readonly kind: 'unavailable' | 'invalid' | 'refused',
    /** The provider's Retry-After, in seconds, at most five minutes. */
    readonly retryAfter?: number,
    /** HTTP status, if there was a response. */
    readonly status?: number,
  ) {
    super(message)
    this.name = 'ProviderError'
  }
}

/** The request was not sent, because the provider's Retry-After has not passed. Says nothing about its current state. */
export class NotAskedError extends ProviderError {
  constructor(retryAfter: number) {
    super('its Retry-After has not passed', 'unavailable', retryAfter)
    this.name = 'NotAskedError'
  }
}

const MAX_RETRY_AFTER_SECONDS = 300

export interface JsonRequest {
  fetch: Fetch
  url: string
  token?: string
  /** JSON, or a form: the request is a POST with it. */
  body?: string | URLSearchParams
  /** Whether a response without a body is an empty object. Default: it is invalid. */
  mayBeEmpty?: boolean
  /** For the whole response, body included. Milliseconds. */
  deadlineMs: number
  maxBytes: number
}

export interface JsonResponse {
  body: Record<string, unknown>
  headers: Headers
}

/** @throws ProviderError, and nothing else */
export async function fetchJson(request: JsonRequest): Promise<JsonResponse> {
  const { fetch, url, token, body, mayBeEmpty = false, deadlineMs, maxBytes } = request
  const abort = new AbortController()
  const onLate = () => {
    abort.abort()
    return new ProviderError(`no complete response within ${deadlineMs} ms`, 'unavailable')
  }
  try {
    return await withDeadline(read(), deadlineMs, onLate)
  } catch (error) {
    if (error instanceof ProviderError) throw error
    if (error instanceof ForbiddenAddressError) throw new ProviderError(error.message, 'invalid')
    throw new ProviderError(describeFailure(error), 'unavailable')
  }

  async function read(): Promise<JsonResponse> {
    const headers = {
      accept: 'application/json',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
    }
    const method = body === undefined ? 'GET' : 'POST'
    const init = { method, body, headers, redirect: 'manual', signal: abort.signal } as const
    const response = await fetch(new Request(url, init))
    const unusable = response.ok ? unreadable(response.headers, maxBytes) : refusal(response)
    if (unusable) {
      abort.abort()
      throw unusable
    }
    const text = await readText(response, maxBytes, abort)
    return { body: text === '' && mayBeEmpty ? {} : parse(text), headers: response.headers }
  }
}

/** Codes of BoringSSL and of Bun. */
const CERTIFICATE = /^(UNABLE_TO_|CERT_|DEPTH_ZERO|SELF_SIGNED|INVALID_CA|INVALID_PURPOSE|ERR_TLS_CERT)/
const CONNECTION: Record<string, string> = {
  ENOTFOUND: 'its host name does not resolve',
  ECONNREFUSED: 'nothing accepts connections at its address',
  ConnectionRefused: 'nothing accepts connections at its address',
  FailedToOpenSocket: 'nothing accepts connections at its address',
}

/** Without the error's message, which has the URL. */
function describeFailure(error: unknown): string {
  const code = String(errorCode(error))
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `its certificate is for another host name (${code})`
  if (code === 'CERT_HAS_EXPIRED') return `its certificate has expired (${code})`
  if (CERTIFICATE.test(code))
    return `its certificate is not trusted (${code}); NODE_EXTRA_CA_CERTS names a file with further CAs`
  return `no response: ${CONNECTION[code] ?? 'the connection failed'}`
}

/** The request accepts no content encoding: an encoded response could expand to any size. */
function unreadable(headers: Headers, maxBytes: number): ProviderError | null {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding.trim().toLowerCase() !== 'identity')
    return new ProviderError('its response is compressed', 'invalid')
  return Number(headers.get('content-length')) > maxBytes ? tooLarge(maxBytes) : null
}

const tooLarge = (maxBytes: number) =>
  new ProviderError(`its response is larger than ${maxBytes} bytes`, 'invalid')

function refusal(response: Response): ProviderError {
  const retryAfter = readRetryAfter(response.headers, MAX_RETRY_AFTER_SECONDS)
  const refused = response.status === 401 || response.status === 403
  const temporary = response.status >= 500 || response.status === 429 || response.status === 408
  const kind = refused ? 'refused' : temporary ? 'unavailable' : 'invalid'
  return new ProviderError(`it responded with ${response.status}`, kind, retryAfter, response.status)
}

async function readText(response: Response, maxBytes: number, abort: AbortController): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) {
      abort.abort()
      throw tooLarge(maxBytes)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): Record<string, unknown> {
  const value: unknown = attempt(() => JSON.parse(text))
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    // Guarantee of the cast: an object of JSON.
    return value as Record<string, unknown>
  throw new ProviderError('its response is not a JSON object', 'invalid')
}
