/** Reads the bodies of requests, JSON but for a few of bytes, with the checks that precede their schemas. */

import { hash } from 'node:crypto'
import { withDeadline } from '../../../../db/deadline.ts'
import { findInexactNumbers } from '../../../core/exact-json.ts'
import { MAX_ERRORS, shorten } from '../../../core/faults.ts'
import { DomainError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import type { TSchema } from '../../../core/typebox.ts'
import { findUnsafe } from '../../../core/unsafe-text.ts'
import { noteErrors, refuseNoted } from '../contract/validation.ts'
import type { Arrival } from './unfinished-bodies.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })
/** Longer texts are not parsed a second time to find where they are wrong. Characters. */
const MAX_LOCATED = 4_096
/** Bytes. Larger bodies are read as they arrive. */
const MAX_READ_WHOLE = 65_536

interface BodyLimits {
  /** Bytes. */
  maxBodyBytes: number
  /** Nesting depth of objects and arrays. */
  maxBodyLevels: number
  /** Time to receive the body. Milliseconds. */
  bodyTimeoutMs: number
}

interface Receiving extends Pick<BodyLimits, 'maxBodyBytes' | 'bodyTimeoutMs'> {
  arrival: Arrival
}

/** Every route of the application has it in its context as `bodies`: see `server-hooks.ts`. */
export interface Bodies {
  /** Resolves when the body has arrived. @throws DomainError as `receiveBody`, and `overloaded` */
  receive(request: Request): Promise<void>
  /** As `receive`, for a body of any media type; resolves to its bytes. @throws DomainError as `receiveBytes` */
  readBytes(request: Request): Promise<Uint8Array>
  /** As `receive`; resolves to the value of the body. `schema`: see `parseBody`. @throws DomainError as `parseBody` */
  read(request: Request, schema?: TSchema): Promise<unknown>
}

interface Received {
  text: string
  /** Undefined until it is parsed. */
  value: unknown
}

const received = new WeakMap<Request, Received>()

/** The text of a body that was read, to verify a signature over it. Empty if there was none. */
export const rawBodyOf = (request: Request): string => received.get(request)?.text ?? ''

/** The value of a body that was parsed; undefined if there was none. */
export const bodyOf = (request: Request): unknown => received.get(request)?.value

/**
 * Receives the body as text, which `rawBodyOf` returns. A second call does nothing.
 * @throws DomainError `unsupported_media_type` (not JSON, or a content coding), `payload_too_large`, `request_timeout`,
 * `malformed_request` (not UTF-8)
 */
export async function receiveBody(request: Request, limits: Receiving): Promise<void> {
  if (received.has(request)) return
  const typed = request.headers.get('content-type') !== null
  if (typed) refuseMediaType(request.headers)
  const bytes = await readBytes(request, limits)
  if (!typed && bytes.length > 0) refuseMediaType(request.headers)
  // No body and no media type count as `{}`: optional members need no empty object.
  // RFC 8259 §8.1 lets a parser ignore a byte order mark, as TextDecoder does.
  received.set(request, { text: decode(bytes), value: typed ? undefined : {} })
}

/**
 * Receives the body as bytes. Its hash stands for it in the fingerprint of `Idempotency-Key`.
 * @throws DomainError `unsupported_media_type` (a content coding), `payload_too_large`, `request_timeout`
 */
export async function receiveBytes(request: Request, limits: Receiving): Promise<Uint8Array> {
  refuseCoding(request.headers)
  const bytes = await readBytes(request, limits)
  received.set(request, { text: '', value: hash('sha256', bytes, 'hex') })
  return bytes
}

/**
 * The value of a body that was received. Notes NUL, lone surrogates, inherited names, and numbers that are not exact. `schema`: of a body of another system, of
 * which only the members that it names are read.
 * @throws DomainError `malformed_request` (not JSON, nested too deeply), `validation_failed` with so many errors that the
 * schema could add none
 */
export async function parseBody(
  request: Request,
  { maxBodyLevels }: Pick<BodyLimits, 'maxBodyLevels'>,
  schema?: TSchema,
): Promise<unknown> {
  const body = received.get(request)
  if (!body) throw new Error('the body was not received')
  if (body.text === '' && body.value !== undefined) return body.value
  try {
    body.value = JSON.parse(body.text)
  } catch {
    throw new DomainError(transportProblems.malformed_request, {
      detail:
        body.text === ''
          ? 'The body is empty.'
          : `The body is not JSON${await locateSyntaxError(body.text)}.`,
    })
  }
  const errors = findUnsafe(body.value, maxBodyLevels)
  const inexact = findInexactNumbers(body.text, MAX_ERRORS)
    .filter(({ pointer }) => !schema || isNamedBy(schema, pointer))
    .map(({ pointer, message }) => ({ pointer: shorten(pointer), message }))
  errors.unshift(...inexact.slice(0, MAX_ERRORS - errors.length))
  noteErrors(request, errors)
  if (errors.length === MAX_ERRORS) refuseNoted({ request })
  return body.value
}

/** Whether the schema has each member that leads to a value. */
function isNamedBy(schema: TSchema, pointer: string): boolean {
  let current: TSchema | undefined = schema
  for (const name of pointer.split('/').slice(1)) current = current?.properties?.[name] ?? current?.items
  return current !== undefined
}

/** The position of a syntax error. The engine's message is not used: it may quote the body. */
async function locateSyntaxError(text: string): Promise<string> {
  if (text.length > MAX_LOCATED) return ''
  // Loaded for invalid bodies only.
  const { parse } = await import('@humanwhocodes/momoa')
  try {
    parse(text)
    return ''
  } catch (error) {
    // Guarantee of the cast: `parse` throws its own errors only.
    const { line, column } = error as { line?: number; column?: number }
    return line === undefined ? '' : `: line ${line}, column ${column}`
  }
}

function refuseMediaType(headers: Headers) {
  const [type, ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';')
  const charset = parameters
    .map(parameter => parameter.trim())
    .find(parameter => parameter.startsWith('charset='))
  if (type?.trim() !== 'application/json') throw unsupported('Send Content-Type: application/json.')
  if (charset && !/^charset="?utf-8"?$/.test(charset)) throw unsupported('JSON is UTF-8 (RFC 8259).')
  refuseCoding(headers)
}

function refuseCoding(headers: Headers) {
  const coding = headers.get('content-encoding')
  if (coding && coding.toLowerCase() !== 'identity')
    throw unsupported('Send the body without Content-Encoding.')
}

const unsupported = (detail: string) => new DomainError(transportProblems.unsupported_media_type, { detail })

const tooLarge = (maxBytes: number) =>
  new DomainError(transportProblems.payload_too_large, {
    detail: `The body must not exceed ${maxBytes} bytes.`,
  })

/**
 * The bytes that the head of a request announces: `maxBytes` for a chunked body, whose length is unknown; null without a body.
 * @throws DomainError `payload_too_large`
 */
export function announcedBytes({ headers }: Request, maxBytes: number): number | null {
  const length = headers.get('content-length')
  if (length === null) return headers.has('transfer-encoding') ? maxBytes : null
  if (Number(length) > maxBytes) throw tooLarge(maxBytes)
  return Number(length) || null
}

async function readBytes(request: Request, limits: Receiving): Promise<Uint8Array> {
  announcedBytes(request, limits.maxBodyBytes)
  try {
    if (request.body === null) return new Uint8Array()
    if (isReadWhole(request)) return await inTime(request.bytes(), limits)
    const reader = request.body.getReader()
    try {
      return await inTime(readChunks(reader, limits), limits)
    } finally {
      reader.cancel().catch(() => {})
    }
  } catch (error) {
    // The client has gone. Nobody reads the response, and it is no fault of the server.
    if (error instanceof Error && error.name === 'AbortError')
      throw new DomainError(transportProblems.malformed_request, { detail: 'The body is not complete.' })
    throw error
  }
}

/** Whether a body is read at once: the stream of a small one would cost more. */
export const isReadWhole = ({ headers }: Request): boolean =>
  Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY) <= MAX_READ_WHOLE

/** Bun closes idle connections; the deadline ends a request that sends a few bytes now and then, unless others need its place. */
function inTime<T>(work: Promise<T>, { bodyTimeoutMs, arrival }: Receiving): Promise<T> {
  const dropped = Promise.withResolvers<never>()
  arrival.onDropped(dropped.reject)
  const onLate = () => new DomainError(transportProblems.request_timeout)
  return withDeadline(Promise.race([work, dropped.promise]), bodyTimeoutMs, onLate)
}

/** The bytes are counted as they arrive: a chunked body announces no length. */
async function readChunks(
  reader: Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'>,
  { maxBodyBytes, arrival }: Receiving,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
    size += value.byteLength
    if (size > maxBodyBytes) throw tooLarge(maxBodyBytes)
    arrival.note(value.byteLength)
    chunks.push(value)
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new DomainError(transportProblems.malformed_request, { detail: 'The body is not UTF-8.' })
  }
}
