/** What the verification reports. */

/** One value that differs from what it must be. */
export interface Finding {
  /** Null if the finding does not concern a single fan. */
  userId: string | null
  /** Table and column; `.row` for a missing or superfluous row. */
  what: string
  /** The position of an entry in the fan's chain. */
  seq?: number
  board?: string
  expected: string | number | null
  actual: string | number | null
}

export type Value = string | number | boolean | Date | null

/** A finding if the values differ. */
export function differs(userId: string | null, what: string, expected: Value, actual: Value): Finding[] {
  const [must, is] = [shown(expected), shown(actual)]
  return must === is ? [] : [{ userId, what, expected: must, actual: is }]
}

export const isInstant = (at: Date) => !Number.isNaN(at.getTime())

export function shown(value: Value): string | number | null {
  if (value instanceof Date) return isInstant(value) ? value.toISOString() : 'no instant'
  return typeof value === 'boolean' ? String(value) : value
}

/** For columns of which only it matters whether they have a value. */
export const isSet = (value: Value) => (value === null ? null : 'set')

/** A unit of work takes less, within which several clocks are read. */
const MARGIN_MS = 60_000

/** Whether two times may be of one unit of work. */
export const isAtOnce = (one: Date, other: Date) => Math.abs(one.getTime() - other.getTime()) <= MARGIN_MS

/** A finding if the times are not of one unit of work. */
export const differsInTime = (
  userId: string | null,
  what: string,
  expected: Date | null,
  actual: Date | null,
): Finding[] =>
  expected && actual && isAtOnce(expected, actual) ? [] : differs(userId, what, expected, actual)

/** JSON of a column. Undefined for what is no JSON, so that one damaged row does not end a verification. */
export function readJson(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return undefined
  }
}
