/** Ensures that writing requests come from the console's own pages. */
import { DomainError } from '../../core/problems.ts'
import type { ConsoleConfig } from '../../platform/config/console.ts'
import { consoleProblems } from './problems.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Without CONSOLE_URL, the console is at the loopback address or at CONSOLE_HOST. Other names that resolve to it are not
 * trusted. @throws DomainError `csrf_failed`
 */
export function requireSameOrigin({ host, url }: ConsoleConfig, { headers }: Request): void {
  const origin = headers.get('origin')
  if (isOwn(origin === null ? null : URL.parse(origin))) return
  throw new DomainError(consoleProblems.csrf_failed, {
    detail: 'The Origin is not that of the console. CONSOLE_URL says where staff reach it.',
  })

  function isOwn(given: URL | null): boolean {
    if (given === null) return false
    if (url !== null) return given.origin === url
    return given.host === headers.get('host') && [...LOOPBACK, host].includes(given.hostname)
  }
}

/**
 * A page of the same site, for example on another port or subdomain, can make the browser send the cookie with pictures and
 * links. The read would be recorded as an action of the person. Clients other than browsers do not send this header. @throws
 * DomainError `csrf_failed`
 */
export function requireOwnPage({ headers }: Request): void {
  const site = headers.get('sec-fetch-site')
  if (site === null || site === 'same-origin' || site === 'none') return
  throw new DomainError(consoleProblems.csrf_failed, {
    detail: 'A page of another origin made this request.',
  })
}
