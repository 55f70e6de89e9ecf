/** Ids of the club's staff. Names at the provider do not identify a person, since people can edit them. */
import { nameKey } from './name-text.ts'

/**
 * The id for links with a name, which the operator chooses: different spellings of a name are the same
 * person.
 */
export const linkIdOf = (name: string): string => `link:${nameKey(name)}`

/** The id of a person at the provider of the staff: OpenID Connect Core 1.0 §5.7. An issuer has no `#`. */
export const providerIdOf = (issuer: string, subject: string): string => `provider:${issuer}#${subject}`

/** An id in the format of an earlier version: only the subject, which another issuer may have as well. */
export const hasNoIssuer = (id: string): boolean => id.startsWith('provider:') && !id.includes('#')

/**
 * Whether two ids belong to the same person. `unknown`: it cannot be known, for a link and an account at the
 * provider, or for accounts at two providers.
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
