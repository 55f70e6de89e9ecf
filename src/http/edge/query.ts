/** What is wrong with a URL before any schema: Elysia would pick one of two, or decode what is no UTF-8. */
import { DomainError, refuseField } from '../../core/problems.ts'

/** The path of a request's URL, as it was written; of a URL that is none (`*`, `host:port`), the whole. */
export function pathOf(url: string): string {
  // A path alone is what an HTTP/1.0 request without a Host header has.
  const scheme = url.startsWith('/') ? -1 : url.indexOf('://')
  const start = scheme === -1 ? 0 : url.indexOf('/', scheme + 3)
  const end = url.indexOf('?', start)
  return url.slice(start, end === -1 ? undefined : end)
}

/**
 * Bun joins two Host headers by a comma, and builds no URL of a host that is none: RFC 9112 §3.2 wants 400.
 * @throws DomainError `malformed_request`
 */
export function requireHost({ headers, url }: Request): void {
  const sound = url.startsWith('http') && !headers.get('host')?.includes(',')
  if (!sound) throw new DomainError('malformed_request', { detail: 'One Host header must name this host.' })
}

/** @throws DomainError `malformed_request` (not UTF-8), `validation_failed` (given twice, NUL) */
export function refuseBadUrl(url: string): void {
  if (url.includes('%')) refuseBadPath(url)
  const start = url.indexOf('?')
  if (start === -1) return
  const end = url.indexOf('#', start)
  const seen = new Set<string>()
  for (const pair of url.slice(start + 1, end === -1 ? undefined : end).split('&')) {
    if (pair === '') continue
    const [name = '', value = ''] = pair.split(/=(.*)/s).map(part => decode(part))
    if (seen.has(name)) refuseField({ parameter: name, message: 'must be given once' })
    if (name.includes('\0') || value.includes('\0'))
      refuseField({ parameter: name.replaceAll('\0', ''), message: 'must be without NUL' })
    seen.add(name)
  }
}

function refuseBadPath(url: string): void {
  const path = url.split(/[?#]/, 1)[0] ?? ''
  if (decode(path, 'path').includes('\0')) refuseField({ parameter: 'path', message: 'must be without NUL' })
}

function decode(text: string, where = 'query'): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new DomainError('malformed_request', { detail: `The ${where} is not percent-encoded UTF-8.` })
  }
}
