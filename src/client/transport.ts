/** Requests whose every failure is a problem, and their retries. */
import { type AnyProblem, clientFailure } from './problems.ts'
import type { FilledRequest } from './requests.ts'

export interface Transport {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Without a slash at its end. */
  origin: string
  /** Headers of the app. May throw. */
  headers: () => Record<string, string>
  /** Timeout of one attempt. Milliseconds. */
  timeoutMs: number
  /** Further attempts of a request that can be repeated. */
  retries: number
}

export interface OutgoingRequest extends FilledRequest {
  /** Whether a repeat changes nothing. */
  repeatable: boolean
}

export type AnyResult =
  | { data: unknown; error: null; response: Response }
  | { data: null; error: AnyProblem; response: Response | null }

/** The client does not wait for a longer `Retry-After`; the app must decide. Milliseconds. */
const LONGEST_WAIT_MS = 10_000
const FIRST_WAIT_MS = 300
/** Statuses of temporary errors: timeout, rate limit, gateway, overload. */
const TEMPORARY = [408, 429, 502, 503, 504]

/** Sends a request, and again while its failure is temporary and a repeat is safe. Never rejects. */
export async function send(
  transport: Transport,
  request: OutgoingRequest,
  signal?: AbortSignal,
): Promise<AnyResult> {
  for (let tried = 0; ; tried++) {
    const result = await attempt(transport, request, signal)
    if (!request.repeatable || tried >= transport.retries) return result
    const waitMs = waitBefore(result, tried)
    if (waitMs > LONGEST_WAIT_MS) return result
    await delay(waitMs, signal)
  }
}

/** Milliseconds until a retry; infinite if a retry would give the same. */
function waitBefore({ error, response }: AnyResult, tried: number): number {
  const temporary =
    error !== null &&
    (error.code === 'network_error' ||
      error.code === 'idempotency_in_progress' ||
      TEMPORARY.includes(response?.status ?? 0))
  if (!temporary) return Number.POSITIVE_INFINITY
  return Math.max(retryAfterMs(response), FIRST_WAIT_MS * 2 ** tried) * (1 + Math.random() / 4)
}

/** The delay of `Retry-After`, given in seconds or as a date (RFC 9110, 10.2.3); 0 without one. */
export function retryAfterMs(response: Response | null): number {
  const value = response?.headers.get('retry-after') ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1000
  // By the clock of the server, where it shows: that of the device may be wrong.
  const now = Date.parse(response?.headers.get('date') ?? '') || Date.now()
  return Math.max((Date.parse(value) || 0) - now, 0)
}

/** Ends early when aborted. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}

async function attempt(
  transport: Transport,
  request: OutgoingRequest,
  signal: AbortSignal | undefined,
): Promise<AnyResult> {
  let response: Response | null = null
  // `AbortSignal.any` and `AbortSignal.timeout` are missing in React Native.
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, transport.timeoutMs)
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  try {
    response = await start(transport, request, controller.signal)
    const text = response.status === 204 ? '' : await response.text()
    return readResult(response, text)
  } catch (error) {
    return clientFailure(signal?.aborted ? 'aborted' : 'network_error', error, response)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

/** The response as it arrives, its body unread. @throws what `fetch` throws */
export async function start(
  transport: Transport,
  { method, path, headers, body }: OutgoingRequest,
  signal: AbortSignal,
): Promise<Response> {
  const init = { method, headers, signal }
  // Guarantee of the cast: `fetch` takes any bytes; its type leaves out those of shared memory.
  return transport.fetch(
    transport.origin + path,
    body === undefined ? init : { ...init, body: body as NonNullable<RequestInit['body']> },
  )
}

const mediaTypeOf = ({ headers }: Response) => headers.get('content-type')?.split(';')[0]?.trim() ?? 'none'

export function readResult(response: Response, text: string): AnyResult {
  if (response.status === 204) return { data: undefined, error: null, response }
  const mediaType = mediaTypeOf(response)
  const content = parseJson(text)
  if (response.ok && mediaType === 'application/json' && isObject(content))
    return { data: content, error: null, response }
  if (!response.ok && mediaType === 'application/problem+json' && isProblem(content))
    return { data: null, error: content, response }
  const detail = `The response has the status ${response.status} and the media type ${mediaType}.`
  return clientFailure('unexpected_response', detail, response)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Guarantee of the predicate: the API describes its problems; another server's have no request id. */
const isProblem = (value: unknown): value is AnyProblem =>
  isObject(value) && 'code' in value && 'requestId' in value

/**
 * Calls a function of the app. Its errors are reported as the app's errors, not as failures of the client.
 */
export function callApp(call: () => void): void {
  try {
    call()
  } catch (error) {
    setTimeout(() => {
      throw error
    })
  }
}
