/** Verifies webhooks as Standard Webhooks says (standardwebhooks.com), by Web Crypto. */
import type { Messages, Schemas } from '@matchday/client'
import { VerificationError } from './verification-error.ts'

interface Received<Kind extends string> {
  kind: Kind
  /** `webhook-id`: the same at every attempt. Store it, so that a repeat has no effect. */
  id: string
}

/** An event of Matchday: `type` narrows `data`. A release can add types, so keep a default branch. */
export type EventMessage = { [Type in keyof Messages]: Messages[Type] & Received<'event'> }[keyof Messages]

/** An event that another system has reported, such as `shop.purchase`: its content is `data.data`. */
export type ReportedMessage = Schemas['OtherMessage'] & Received<'reported'>

/** A message of `bun run webhooks test`: an example, or a message without a fan. It is not a real event. */
export interface TestMessage extends Received<'test'> {
  type: string
  timestamp: string
  data: Record<string, unknown>
}

export type WebhookMessage = EventMessage | ReportedMessage | TestMessage

/** The headers of a request: `Headers`, or the object of Node.js, whose names may have any case. */
export type RequestHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined }

export interface WebhookOptions {
  /** How far `webhook-timestamp` may be from now: 300 by default. */
  toleranceSeconds?: number | undefined
  /** In place of the clock, for tests. */
  now?: Date | undefined
}

const PREFIX = 'whsec_'
const VERSION = 'v1,'

/**
 * Verifies a request of Matchday, and reads its message.
 * @param body as it arrived: text or bytes, not the JSON that was parsed of it
 * @param secrets of the endpoint; several while you replace one
 * @throws VerificationError with `code` and the `status` to respond with; TypeError for a secret or a body that cannot be one
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: RequestHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: WebhookOptions = {},
): Promise<WebhookMessage> {
  const keys = await Promise.all([secrets].flat().map(importSecret))
  if (keys.length === 0) throw new TypeError('Pass at least one secret of the endpoint.')
  const id = requireHeader(headers, 'webhook-id')
  const timestamp = requireHeader(headers, 'webhook-timestamp')
  const signatures = requireHeader(headers, 'webhook-signature').split(' ').flatMap(readSignature)
  requireRecent(timestamp, toleranceSeconds, now)
  const bytes = bytesOf(body)
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  if (!(await isSignedByOne(keys, signatures, signed)))
    throw new VerificationError(
      'signature_mismatch',
      'No signature matches: the secret is of another endpoint or was replaced, or the body is not as it arrived.',
    )
  return readMessage(id, bytes)
}

async function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length)) : null
  if (bytes === null || bytes.length === 0)
    throw new TypeError('A secret is `whsec_` and base64, as `bun run webhooks add` prints it.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function requireHeader(headers: RequestHeaders, name: string): string {
  const value = readHeader(headers, name)
  if (value) return value
  throw new VerificationError(
    'headers_missing',
    `The header ${name} is missing: it is no request of Matchday.`,
  )
}

function readHeader(headers: RequestHeaders, name: string): string | null {
  if (typeof headers.get === 'function') return headers.get(name)
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  return typeof value === 'string' ? value : null
}

function requireRecent(timestamp: string, toleranceSeconds: number, now: Date): void {
  const age =
    Math.round(now.getTime() / 1000) - (/^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN)
  if (Math.abs(age) <= toleranceSeconds) return
  const when = age > 0 ? `${age} s ago` : `${-age} s ahead of now`
  throw new VerificationError(
    'timestamp_outside_tolerance',
    Number.isNaN(age)
      ? 'The header webhook-timestamp is no number of seconds.'
      : `The message was signed ${when}, and ${toleranceSeconds} s are tolerated: it is a replay, or a clock is wrong.`,
  )
}

const readSignature = (text: string) => {
  const bytes = text.startsWith(VERSION) ? decodeBase64(text.slice(VERSION.length)) : null
  return bytes === null ? [] : [bytes]
}

/** Each comparison takes the same time wherever the bytes differ. */
async function isSignedByOne(
  keys: CryptoKey[],
  signatures: Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const signature of signatures)
    for (const key of keys) if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true
  return false
}

function readMessage(id: string, bytes: Uint8Array<ArrayBuffer>): WebhookMessage {
  const message = parse(new TextDecoder().decode(bytes))
  if (!isMessage(message))
    throw new VerificationError('message_unreadable', 'The signed body is no message of Matchday.')
  const isTest = id.startsWith('test_')
  const kind = isTest ? 'test' : message.data.source === 'matchday' ? 'event' : 'reported'
  // Guarantee of the cast: Matchday has signed it, and writes messages as its OpenAPI document says.
  return { kind, id, ...message } as WebhookMessage
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isMessage(value: unknown): value is { type: string; data: { source?: unknown } } {
  if (typeof value !== 'object' || value === null || !('type' in value) || !('data' in value)) return false
  return typeof value.type === 'string' && typeof value.data === 'object' && value.data !== null
}

function bytesOf(body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return new Uint8Array(body)
  throw new TypeError(
    'Pass the body as it arrived, as text or bytes: JSON that was parsed has lost what is signed.',
  )
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}

/** Null for what is no base64. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return null
  }
}
