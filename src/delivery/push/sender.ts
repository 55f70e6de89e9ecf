/** What all senders have in common: the message, and how a service answers. */
import { createHash } from 'node:crypto'
import { cutText } from '../../core/cut-text.ts'
import { readRetryAfter } from '../../core/retry-after.ts'
import type { Activity } from './activities.ts'
import type { PushContent } from './enqueue.ts'

export interface Message extends PushContent {
  id: string
  category: string
  /** Of the collapse key: a device shows one message of a tag. */
  tag: string | null
  /** Of a Live Activity, in place of a message. */
  activity?: Activity | null
}

export interface Attempt {
  /** `gone`: the device is no more. `retry`: later. `wrong`: the service refuses the configuration or the message. */
  outcome: 'sent' | 'gone' | 'retry' | 'wrong'
  /** Null: no complete response. */
  status: number | null
  /** What the service asked for, in seconds. */
  retryAfter?: number | undefined
  /** The service's word for it. */
  refusal?: string
}

/** Never rejects for what a service answers. */
type Send = (token: string, message: Message, signal: AbortSignal) => Promise<Attempt>

/** By the kind of a device; those that are not configured are left out. */
export type Senders = Partial<Record<string, Send>>

const MAX_RETRY_AFTER_SECONDS = 86_400
const TAG_LENGTH = 32

/** By the status of HTTP, unless the service is more exact. */
export function attemptOf(status: number, headers: Headers): Attempt {
  if (status >= 200 && status < 300) return { outcome: 'sent', status }
  if (status === 404 || status === 410) return { outcome: 'gone', status }
  if (status === 429 || status >= 500)
    return { outcome: 'retry', status, retryAfter: readRetryAfter(headers, MAX_RETRY_AFTER_SECONDS) }
  return { outcome: 'wrong', status, refusal: String(status) }
}

export const tagOf = (collapseKey: string | null): string | null =>
  collapseKey === null
    ? null
    : createHash('sha256').update(collapseKey).digest('base64url').slice(0, TAG_LENGTH)

/**
 * The message as JSON of at most so many bytes. A longer body is cut, then the title. A picture and a link that leave less than half for
 * the texts are left out: a part of them is of no use.
 */
export function fitted(message: Message, maxBytes: number): Buffer {
  const bytesLeft = (of: Message) => maxBytes - encode(of).length
  let fit = message
  for (const name of ['imageUrl', 'url'] as const)
    if (bytesLeft(fit) < 0 && bytesLeft({ ...fit, title: '', body: '' }) < maxBytes / 2)
      fit = { ...fit, [name]: null }
  for (const name of ['body', 'title'] as const) {
    if (bytesLeft(fit) >= 0) break
    const text = fit[name]
    let [kept, lost] = [1, Math.max(2, text.length)]
    while (lost - kept > 1) {
      const middle = Math.floor((kept + lost) / 2)
      if (bytesLeft({ ...fit, [name]: cutText(text, middle) }) >= 0) kept = middle
      else lost = middle
    }
    fit = { ...fit, [name]: cutText(text, kept) }
  }
  return encode(fit)
}

const encode = (message: Message) => Buffer.from(JSON.stringify(message))
