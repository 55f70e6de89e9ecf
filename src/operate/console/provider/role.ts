/** The role of a person, from a claim of the provider of the staff. */
import { attempt } from '../../../core/attempt.ts'
import { ROLES, type Role } from '../roles.ts'

/** Groups of a provider may be named for the console: `matchday-owner`. */
const PREFIX = /^matchday[-_:/]/

/**
 * A text, a list of texts, or a text with a list in JSON. Of several roles, the last one in the order of `ROLES` counts. Null
 * without a role.
 */
export function readRole(claims: Record<string, unknown>, path: string): Role | null {
  const value = claims[path] ?? path.split('.').reduce<unknown>(memberOf, claims)
  const values = listOf(value).map(text => text.replace(PREFIX, ''))
  return ROLES.findLast(role => values.includes(role)) ?? null
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? // Guarantee of the cast: it has a member of this name.
      (value as Record<string, unknown>)[name]
    : undefined

function listOf(value: unknown): string[] {
  if (typeof value === 'string') {
    const parsed: unknown = value.startsWith('[') ? attempt(() => JSON.parse(value)) : undefined
    return parsed === undefined ? value.split(/[\s,]+/) : listOf(parsed)
  }
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}
