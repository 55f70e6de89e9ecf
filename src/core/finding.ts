/** The findings of the verification. */

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

/** For columns where only the presence of a value is compared. */
export const isSet = (value: Value) => (value === null ? null : 'set')

/** Longer than a unit of work, in which the clock may be read several times. */
const MARGIN_MS = 60_000

/** Whether two times can belong to one unit of work. */
export const isAtOnce = (one: Date, other: Date) => Math.abs(one.getTime() - other.getTime()) <= MARGIN_MS

/** A finding if the times cannot belong to one unit of work. */
export const differsInTime = (
  userId: string | null,
  what: string,
  expected: Date | null,
  actual: Date | null,
): Finding[] =>
  expected && actual && isAtOnce(expected, actual) ? [] : differs(userId, what, expected, actual)

/** Parses the JSON of a column. Returns undefined for invalid JSON, so that one damaged row does not end a verification. */
export function readJson(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `fan ID, entry 3: points_entries.hash is …, must be …` */
export function describeFinding({ userId, what, seq, board, expected, actual }: Finding): string {
  const where = [
    ...(userId === null ? [] : [`fan ${userId}`]),
    ...(seq === undefined ? [] : [`entry ${seq}`]),
    ...(board === undefined ? [] : [`board ${board}`]),
  ].join(', ')
  return `${where === '' ? '' : `${where}: `}${what} is ${actual ?? 'missing'}, must be ${expected ?? 'absent'}`
}
