/** Ids of the club's staff. A name that they can edit says nothing of who somebody is. */
import { nameKey } from './name-text.ts'

/** Of the links of a name, which the operator gives: spellings of one name are one person. */
export const linkIdOf = (name: string): string => `link:${nameKey(name)}`

/** Of a person at the provider of the staff: OpenID Connect Core 1.0 §5.7. An issuer has no `#`. */
export const providerIdOf = (issuer: string, subject: string): string => `provider:${issuer}#${subject}`

/** As an earlier version stored it: the subject alone, which another issuer may have as well. */
export const hasNoIssuer = (id: string): boolean => id.startsWith('provider:') && !id.includes('#')

/**
 * Whether two ids are of one person. `unknown`: nothing tells whether the person of a link is the one of an account at the
 * provider, or of an account at another one.
 */
export function compareStaff(one: string, other: string): 'same' | 'different' | 'unknown' {
  if (one === other) return 'same'
  const [a, b] = [partsOf(one), partsOf(other)]
  if (a.way !== b.way) return 'unknown'
  const isOneIssuer = a.issuer === b.issuer || a.issuer === '' || b.issuer === ''
  if (!isOneIssuer) return 'unknown'
  return a.person === b.person ? 'same' : 'different'
}

function partsOf(id: string): { way: string; issuer: string; person: string } {
  const [, way = '', rest = ''] = /^(link|provider):(.*)$/s.exec(id) ?? []
  if (way !== 'provider') return { way, issuer: '', person: way === 'link' ? nameKey(rest) : id }
  const end = rest.indexOf('#')
  return { way, issuer: rest.slice(0, Math.max(end, 0)), person: rest.slice(end + 1) }
}
