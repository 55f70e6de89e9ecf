/** The role of a person, from a claim of the provider of the staff. */
import { ROLES, type Role } from '../roles.ts'

/** Groups of a provider may have a prefix, as in `matchday-owner`. */
const PREFIX = /^matchday[-_:/]/

/**
 * The claim is a list of texts, or one text. With several roles, the last one in the order of `ROLES` counts. Null without a
 * role.
 */
export function readRole(claims: Record<string, unknown>, path: string): Role | null {
  const value = claims[path] ?? path.split('.').reduce<unknown>(memberOf, claims)
  const values = [value].flat().map(one => (typeof one === 'string' ? one.replace(PREFIX, '') : null))
  return ROLES.findLast(role => values.includes(role)) ?? null
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? // Guarantee of the cast: it has a member of this name.
      (value as Record<string, unknown>)[name]
    : undefined
