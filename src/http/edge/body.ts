/** Reads a JSON body, with the checks that precede its schema. */
import { withDeadline } from '../../../db/deadline.ts'
import { DomainError, type FieldError } from '../../core/problems.ts'
import { noteErrors } from '../contract/validation.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

interface BodyLimits {
  /** Bytes. */
  maxBodyBytes: number
  /** Nesting depth of objects and arrays. */
  maxBodyLevels: number
  /** Time to receive the body. Milliseconds. */
  bodyTimeoutMs: number
}

const rawBodies = new WeakMap<Request, string>()

/** The text of a body that was read, to verify a signature over it. Empty if there was none. */
export const rawBodyOf = (request: Request): string => rawBodies.get(request) ?? ''

/**
 * No body and no media type count as `{}`: optional members need no empty object. Notes NUL, lone surrogates and inherited
 * names.
 * @throws DomainError `unsupported_media_type` (not JSON, or a content coding), `payload_too_large`, `request_timeout`,
 * `malformed_request` (not UTF-8, not JSON, nested too deeply)
 */
export async function readJsonBody(
  request: Request,
  { maxBodyBytes, maxBodyLevels, bodyTimeoutMs }: BodyLimits,
): Promise<unknown> {
  const typed = request.headers.get('content-type') !== null
  if (typed) refuseMediaType(request.headers)
  const bytes = await readBytes(request, maxBodyBytes, bodyTimeoutMs)
  if (!typed && bytes.length === 0) return {}
  if (!typed) refuseMediaType(request.headers)
  // RFC 8259 §8.1 lets a parser ignore a byte order mark, as TextDecoder does.
  const text = decode(bytes)
  rawBodies.set(request, text)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new DomainError('malformed_request', {
      detail: text === '' ? 'The body is empty.' : `The body is not JSON${await locateSyntaxError(text)}.`,
    })
  }
  const errors: FieldError[] = []
  findUnsafe(body, maxBodyLevels, errors)
  noteErrors(request, errors)
  return body
}

/** The position of a syntax error. The engine's message is not used: it may quote the body. */
async function locateSyntaxError(text: string): Promise<string> {
  // Loaded for invalid bodies only.
  const { parse } = await import('@humanwhocodes/momoa')
  try {
    parse(text)
    return ''
  } catch (error) {
    const { line, column } = error as { line?: number; column?: number }
    return line === undefined ? '' : `: line ${line}, column ${column}`
  }
}

function refuseMediaType(headers: Headers) {
  const [type, ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';')
  const charset = parameters
    .map(parameter => parameter.trim())
    .find(parameter => parameter.startsWith('charset='))
  const coding = headers.get('content-encoding')
  if (type?.trim() !== 'application/json') throw unsupported('Send Content-Type: application/json.')
  if (charset && !/^charset="?utf-8"?$/.test(charset)) throw unsupported('JSON is UTF-8 (RFC 8259).')
  if (coding && coding.toLowerCase() !== 'identity')
    throw unsupported('Send the body without Content-Encoding.')
}

const unsupported = (detail: string) => new DomainError('unsupported_media_type', { detail })

async function readBytes(request: Request, maxBytes: number, timeoutMs: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new DomainError('payload_too_large', { detail: `The body must not exceed ${maxBytes} bytes.` })
  const length = request.headers.get('content-length')
  if (Number(length) > maxBytes) throw tooLarge()
  // Bun closes idle connections; the deadline ends a request that sends a few bytes now and then.
  const onLate = () => new DomainError('request_timeout')
  // A body of a known length is read whole: its stream would cost more.
  if (length !== null) return withDeadline(request.bytes(), timeoutMs, onLate)
  if (request.body === null) return new Uint8Array()
  const reader = request.body.getReader()
  try {
    return await withDeadline(readChunks(reader, maxBytes, tooLarge), timeoutMs, onLate)
  } finally {
    reader.cancel().catch(() => {})
  }
}

/** A chunked body has no Content-Length: its bytes are counted as they arrive. */
async function readChunks(
  reader: Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
    size += value.byteLength
    if (size > maxBytes) throw tooLarge()
    chunks.push(value)
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new DomainError('malformed_request', { detail: 'The body is not UTF-8.' })
  }
}

/**
 * NUL and lone surrogates are valid in JSON, but the databases cannot store them. Members with the names that every object
 * inherits are removed, since a body with a member `toString` would break code that formats it.
 */
export function findUnsafe(
  value: unknown,
  levels: number,
  errors: FieldError[],
  pointer = '',
  level = 1,
): void {
  if (typeof value === 'string' && !isSafe(value)) errors.push(unsafeText(pointer))
  if (typeof value !== 'object' || value === null) return
  if (level > levels) {
    throw new DomainError('malformed_request', {
      detail: `The body is nested deeper than ${levels} levels.`,
    })
  }
  for (const [key, member] of Object.entries(value)) {
    const path = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const isInherited = key in Object.prototype
    if (isInherited) errors.push({ pointer: path, message: 'is not a member of this request' })
    if (!isSafe(key)) errors.push(unsafeText(pointer))
    if (isInherited || !isSafe(key)) Reflect.deleteProperty(value, key)
    findUnsafe(member, levels, errors, path, level + 1)
  }
}

const isSafe = (text: string) => !text.includes('\0') && text.isWellFormed()

const unsafeText = (pointer: string) => ({
  pointer: pointer.replaceAll('\0', '').toWellFormed(),
  message: 'must not contain NUL or lone surrogates',
})
