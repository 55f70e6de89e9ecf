/** Which event types an endpoint asked for: a type, every type of a group (`quest.*`), or all (`*`). */
import { distance } from 'fastest-levenshtein'

const PATTERN = /^(\*|[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*\.\*)$/

/** States of a delivery. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Stored separated by spaces, which no type contains. */
export const parseTypes = (types: string): string[] => types.split(' ')

export const matchesType = (patterns: string[], type: string): boolean =>
  patterns.some(pattern => (pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type))

const TYPE = /^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)+$/
/** As `EventType` of the catalogue. */
const MAX_LENGTH = 100
const NEAR = 2

/**
 * Why no event can have a type or match a pattern, for operators; null if one can. Other systems may report any well-formed type, but
 * one that is nearly a type of the application is a typing error.
 */
export function typeFault(pattern: string, ofApplication: readonly string[]): string | null {
  if (PATTERN.test(pattern) || ofApplication.includes(pattern)) return null
  const near = ofApplication.find(type => distance(type, pattern) <= NEAR)
  if (near !== undefined) return `${pattern} is no type of the application: did you mean ${near}?`
  if (TYPE.test(pattern) && pattern.length <= MAX_LENGTH) return null
  return `${pattern} is no type: a type is dotted lower case such as shop.purchase, a pattern ends with .* or is *`
}
