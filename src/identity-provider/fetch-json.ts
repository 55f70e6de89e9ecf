/** One bounded request to the provider: a deadline that covers the body, a size limit, no redirects, no compression. */
import { ForbiddenAddressError } from '../core/ssrf-guard.ts'

export type Fetch = (request: Request) => Promise<Response>

/** Why the provider's answer is of no use; the message is for our log and `/readyz`, not for callers. */
export class ProviderError extends Error {
  constructor(
    message: string,
    /** `invalid`: it answered, but with what cannot be used. `refused`: it refused the token. */
    readonly kind: 'unavailable' | 'invalid' | 'refused',
    /** Seconds, as the provider asked, five minutes at the most. */
    readonly retryAfter?: number,
    /** Its status, where it answered. */
    readonly status?: number,
  ) {
    super(message)
    this.name = 'ProviderError'
  }
}

/** Not asked: the provider named a time to wait, which is not over. Says nothing about how it does now. */
export class NotAskedError extends ProviderError {
  constructor(retryAfter: number) {
    super('it asked to be left alone', 'unavailable', retryAfter)
    this.name = 'NotAskedError'
  }
}

/** Seconds. */
const MAX_RETRY_AFTER = 300

export interface JsonRequest {
  fetch: Fetch
  url: string
  token?: string
  /** Milliseconds, for head and body together. */
  deadlineMs: number
  maxBytes: number
}

export interface JsonAnswer {
  body: Record<string, unknown>
  headers: Headers
}

/** @throws ProviderError, and nothing else */
export async function fetchJson({
  fetch,
  url,
  token,
  deadlineMs,
  maxBytes,
}: JsonRequest): Promise<JsonAnswer> {
  const abort = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new ProviderError(`no whole answer within ${deadlineMs} ms`, 'unavailable'))
      abort.abort()
    }, deadlineMs)
  })
  try {
    // Raced, not only aborted: an answer that never ends must not outlive the deadline either.
    return await Promise.race([deadline, read()])
  } catch (error) {
    if (error instanceof ProviderError) throw error
    if (error instanceof ForbiddenAddressError) throw new ProviderError(error.message, 'invalid')
    throw new ProviderError('no answer: the connection failed', 'unavailable')
  } finally {
    clearTimeout(timer)
  }

  async function read(): Promise<JsonAnswer> {
    const headers = { accept: 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) }
    const response = await fetch(new Request(url, { headers, redirect: 'manual', signal: abort.signal }))
    const unusable = response.ok ? unreadable(response.headers, maxBytes) : refusal(response)
    if (unusable) {
      abort.abort()
      throw unusable
    }
    const body = parse(await readText(response, maxBytes, abort))
    return { body, headers: response.headers }
  }
}

/** We ask for no encoding: one that comes all the same could expand to any size. */
function unreadable(headers: Headers, maxBytes: number): ProviderError | null {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding.trim().toLowerCase() !== 'identity')
    return new ProviderError('its answer is compressed', 'invalid')
  return Number(headers.get('content-length')) > maxBytes ? tooLarge(maxBytes) : null
}

const tooLarge = (maxBytes: number) =>
  new ProviderError(`its answer is larger than ${maxBytes} bytes`, 'invalid')

function refusal(response: Response): ProviderError {
  const retryAfter = readRetryAfter(response.headers)
  const refused = response.status === 401 || response.status === 403
  const passing = response.status >= 500 || response.status === 429 || response.status === 408
  const kind = refused ? 'refused' : passing ? 'unavailable' : 'invalid'
  return new ProviderError(`it answered ${response.status}`, kind, retryAfter, response.status)
}

/** RFC 9110 §10.2.3: seconds, or a date (by the clock of whoever sent it). Nobody is believed who asks for a day. */
function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = /^\d{1,9}$/.test(value)
    ? Number(value)
    : (Date.parse(value) - Date.parse(headers.get('date') ?? '')) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, Math.ceil(seconds)), MAX_RETRY_AFTER)
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
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {}
  throw new ProviderError('its answer is no JSON object', 'invalid')
}
