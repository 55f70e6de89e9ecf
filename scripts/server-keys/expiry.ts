import { parseInstant } from '../../src/core/instant.ts'

const DAY_MS = 86_400_000

/** `90d`, a date such as `2027-06-30` (its start in UTC), or an RFC 3339 instant. Null for any other text. */
export function parseExpiry(text: string, now: Date): Date | null {
  const days = /^([1-9]\d{0,4})d$/.exec(text)?.[1]
  if (days !== undefined) return new Date(now.getTime() + Number(days) * DAY_MS)
  return parseInstant(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)
}
