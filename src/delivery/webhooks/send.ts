/** One attempt: a signed POST, with a deadline for the whole response, of which at most 16 KiB are read. */

import { createHmac } from 'node:crypto'
import { withDeadline } from '../../../db/deadline.ts'
import { errorCode } from '../../core/error-code.ts'
import { readRetryAfter } from '../../core/retry-after.ts'
import { ForbiddenAddressError, type GuardedFetch } from '../../core/ssrf-guard.ts'
import { MAX_RETRY_AFTER_SECONDS } from './schedule.ts'

export const ATTEMPT_MS = 15_000
const MAX_RESPONSE_BYTES = 16_384
/** Characters of the response that are stored for operators. */
const MAX_RESPONSE_LENGTH = 500

export interface Message {
  url: string
  /** The current one first. */
  secrets: string[]
  /** `webhook-id`: the same at every attempt. */
  id: string
  body: string
  /** Time of the attempt. */
  at: Date
}

export interface AttemptResult {
  /** Null: no complete response. */
  status: number | null
  /** The first characters of the response, or why there is none. */
  response: string
  /** In seconds. */
  retryAfter?: number | undefined
}

export interface Sending {
  fetch: GuardedFetch
  /** For the whole response. Milliseconds. */
  deadlineMs: number
  /** Cancels the attempt: this process stops. */
  stop: AbortSignal
}

export const isSuccess = ({ status }: AttemptResult) => status !== null && status >= 200 && status < 300

/** Never rejects. Null: cancelled by `stop`, and it is not known what the receiver has read. */
export async function sendMessage(
  { fetch, deadlineMs, stop }: Sending,
  message: Message,
): Promise<AttemptResult | null> {
  const abort = new AbortController()
  const cancelled = Promise.withResolvers<null>()
  const cancel = () => {
    abort.abort()
    cancelled.resolve(null)
  }
  if (stop.aborted) return null
  stop.addEventListener('abort', cancel, { once: true })
  const onLate = () => {
    abort.abort()
    return new LateError()
  }
  try {
    const request = new Request(message.url, {
      method: 'POST',
      headers: signedHeaders(message),
      body: message.body,
      redirect: 'manual',
      signal: abort.signal,
    })
    // The resolver cannot be cancelled, so the deadline does not wait for `fetch` to end.
    return await Promise.race([withDeadline(exchange(request), deadlineMs, onLate), cancelled.promise])
  } catch (error) {
    return { status: null, response: reasonOf(error, deadlineMs) }
  } finally {
    stop.removeEventListener('abort', cancel)
  }

  async function exchange(request: Request): Promise<AttemptResult> {
    const response = await fetch(request)
    const text = await readStart(response)
    const retryAfter = readRetryAfter(response.headers, MAX_RETRY_AFTER_SECONDS)
    return { status: response.status, response: text, retryAfter }
  }
}

class LateError extends Error {}

function signedHeaders({ id, body, secrets, at }: Message): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1000)
  return {
    'content-type': 'application/json',
    'user-agent': 'Matchday-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map(secret => `v1,${sign(secret, `${id}.${seconds}.${body}`)}`).join(' '),
  }
}

/**
 * Signs like Standard Webhooks, but without its library, which hashes in JavaScript: this would take a tenth
 * of the time of a delivery.
 */
const sign = (secret: string, content: string) =>
  createHmac('sha256', Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'))
    .update(content)
    .digest('base64')

const SECRET_PREFIX = 'whsec_'

/** The first characters. The rest of a longer response is not read; a compressed one is not expanded. */
async function readStart({ headers, body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    size += chunk.byteLength
    // Leaving the loop cancels the body.
    if (size > MAX_RESPONSE_BYTES) break
  }
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity') return '(compressed)'
  const text = Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString('utf8')
  // PostgreSQL stores no NUL; the cut may fall within a surrogate pair. Control characters could command a terminal.
  const printable = text.slice(0, MAX_RESPONSE_LENGTH).replace(/[\p{Cc}\p{Cf}]/gu, ' ')
  return printable.toWellFormed().trim()
}

/** In our words: the message of an error may contain the URL, and with it a secret of the receiver. */
function reasonOf(error: unknown, deadlineMs: number): string {
  if (error instanceof LateError) return `no complete response within ${deadlineMs / 1000} s`
  if (error instanceof ForbiddenAddressError) return error.message
  const code = errorCode(error)
  return typeof code === 'string' && /^\w{1,60}$/.test(code)
    ? `the connection failed: ${code}`
    : 'the connection failed'
}
