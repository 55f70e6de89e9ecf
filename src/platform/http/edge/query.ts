/** Checks of the URL before the schemas. Elysia accepts repeated parameters and invalid UTF-8. */

import { shorten } from '../../../core/faults.ts'
import { DomainError, type FieldError } from '../../../core/problems.ts'
import { refuseField, transportProblems } from '../../../core/transport-problems.ts'
import { noteErrors } from '../contract/validation.ts'

/** The path of a request's URL, not decoded. A target without a path (`*`, `host:port`) is returned whole. */
export function pathOf(url: string): string {
  // The URL of an HTTP/1.0 request without a Host header is only a path.
  const scheme = url.startsWith('/') ? -1 : url.indexOf('://')
  const start = scheme === -1 ? 0 : url.indexOf('/', scheme + 3)
  const end = url.indexOf('?', start)
  return url.slice(start, end === -1 ? undefined : end)
}

/**
 * Requires one valid Host header (RFC 9112 §3.2). Bun joins two by a comma, and builds no absolute URL if the host is invalid.
 * @throws DomainError `malformed_request`
 */
export function requireHost({ headers, url }: Request): void {
  const valid = url.startsWith('http') && !headers.get('host')?.includes(',')
  if (!valid)
    throw new DomainError(transportProblems.malformed_request, { detail: 'Send one valid Host header.' })
}

/** No operation takes nearly so many, and to parse thousands takes milliseconds. */
const MAX_PARAMETERS = 100

/**
 * Notes repeated parameters, and NUL in the query.
 * @throws DomainError `malformed_request` (not UTF-8), `validation_failed` (NUL in the path, too many parameters)
 */
export function checkUrl(request: Request): void {
  const { url } = request
  if (url.includes('%')) refuseBadPath(url)
  const start = url.indexOf('?')
  if (start === -1) return
  const end = url.indexOf('#', start)
  const seen = new Set<string>()
  const errors: FieldError[] = []
  const pairs = url.slice(start + 1, end === -1 ? undefined : end).split('&', MAX_PARAMETERS + 1)
  if (pairs.length > MAX_PARAMETERS)
    refuseField({ parameter: 'query', message: `must have at most ${MAX_PARAMETERS} parameters` })
  for (const pair of pairs) {
    if (pair === '') continue
    const [name = '', value = ''] = pair.split(/=(.*)/s).map(part => decode(part))
    if (seen.has(name)) errors.push({ parameter: shorten(name), message: 'must not be repeated' })
    if (name.includes('\0') || value.includes('\0'))
      errors.push({ parameter: shorten(name), message: 'must not contain NUL' })
    seen.add(name)
  }
  noteErrors(request, errors)
}

function refuseBadPath(url: string): void {
  const path = url.split(/[?#]/, 1)[0] ?? ''
  if (decode(path, 'path').includes('\0')) refuseField({ parameter: 'path', message: 'must not contain NUL' })
}

function decode(text: string, where = 'query'): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new DomainError(transportProblems.malformed_request, {
      detail: `The ${where} is not percent-encoded UTF-8.`,
    })
  }
}
