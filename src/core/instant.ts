/** Instants of requests (RFC 3339). Responses always contain the canonical form: UTC, milliseconds, `Z`. */

const RFC_3339 =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/
const MINUTE_MS = 60_000

/**
 * Null for what is no instant of the years 1 to 9999. A fraction finer than a millisecond is rounded up: stored times are
 * whole milliseconds, so that comparisons with the result are exact.
 */
export function parseInstant(text: string): Date | null {
  const [, date = '', time = '', seconds = '', fraction = '', sign, hours = '', minutes = ''] =
    RFC_3339.exec(text) ?? []
  // `Date` accepts 30 February as 2 March, and 24:00 as the next day.
  const minute = new Date(`${date}T${time}:00.000Z`)
  if (Number.isNaN(minute.getTime()) || !minute.toISOString().startsWith(`${date}T${time}`)) return null
  if (Number(hours) > 23 || Number(minutes) > 59) return null
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  const start = minute.getTime() - offset * MINUTE_MS
  if (Number(seconds) > 59 && !(seconds === '60' && endsMonth(start))) return null
  const milliseconds = Math.ceil(Number(fraction.padEnd(9, '0')) / 1_000_000)
  const instant = new Date(start + Number(seconds) * 1000 + milliseconds)
  return /^(?!0000)\d{4}-/.test(instant.toISOString()) ? instant : null
}

/** The instant of a member that its schema has validated. */
export function instantIn(text: string): Date {
  const instant = parseInstant(text)
  if (!instant) throw new Error('the instant was not validated')
  return instant
}

/** A leap second is the 60th of the last minute of a month in UTC. */
const endsMonth = (minute: number) => new Date(minute + MINUTE_MS).toISOString().includes('-01T00:00:')

/** As `parseInstant`, for a query: an unencoded `+` of an offset arrives as a space. */
export const parseQueryInstant = (text: string) => parseInstant(text.replace(/ (?=\d{2}:\d{2}$)/, '+'))
