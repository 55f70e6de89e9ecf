/**
 * Calendar windows in a time zone: days, ISO weeks and months, without gap or overlap also when clocks change. A window starts
 * at the first instant whose local date is its first day or a later one: a day without midnight starts after the gap, and an
 * hour that is repeated across midnight belongs to the later day.
 */
import { attempt } from './attempt.ts'

type WindowUnit = 'day' | 'week' | 'month' | 'ever'

interface Window {
  /** Like `2026-11-22`, `2026-W47`, `2026-11` or `ever`: unique among the windows of all units. */
  key: string
  /** Inclusive; null for `ever`. */
  startsAt: Date | null
  /** Exclusive; null for `ever`. */
  endsAt: Date | null
}

type CalendarWindow = { [Member in keyof Window]: NonNullable<Window[Member]> }

type Day = Temporal.PlainDate
type CalendarUnit = Exclude<WindowUnit, 'ever'>

const EVER: Window = { key: 'ever', startsAt: null, endsAt: null }

/** The window that contains an instant. `timeZone` is an IANA name. @throws RangeError for an unknown zone */
export function windowAt(unit: CalendarUnit, at: Date, timeZone: string): CalendarWindow
export function windowAt(unit: WindowUnit, at: Date, timeZone: string): Window
export function windowAt(unit: WindowUnit, at: Date, timeZone: string): Window {
  if (unit === 'ever') return EVER
  let first = firstDayOf(unit, localDay(at, timeZone))
  let next = nextFirstDay(unit, first)
  // A clock that was set back across midnight shows a day that is over.
  while (startOf(next, timeZone) <= at) {
    first = next
    next = nextFirstDay(unit, first)
  }
  return { key: keyOf(unit, first), startsAt: startOf(first, timeZone), endsAt: startOf(next, timeZone) }
}

/** Whether a name is an IANA time zone. Offsets like `+01:00` are not: they have no daylight saving time. */
export const isTimeZone = (name: string): boolean =>
  /^[A-Za-z]/.test(name) && attempt(() => localDay(new Date(0), name)) !== undefined

const localDay = (at: Date, timeZone: string): Day =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()

/** The first instant of a day; of the next day if clocks skip the whole day. */
const startOf = (day: Day, timeZone: string): Date =>
  new Date(day.toZonedDateTime({ timeZone }).epochMilliseconds)

function firstDayOf(unit: CalendarUnit, day: Day): Day {
  if (unit === 'day') return day
  return unit === 'week' ? day.subtract({ days: day.dayOfWeek - 1 }) : day.with({ day: 1 })
}

const nextFirstDay = (unit: CalendarUnit, first: Day): Day => first.add({ [`${unit}s`]: 1 })

function keyOf(unit: CalendarUnit, first: Day): string {
  if (unit === 'week')
    return `${String(first.yearOfWeek).padStart(4, '0')}-W${String(first.weekOfYear).padStart(2, '0')}`
  return unit === 'day' ? first.toString() : first.toPlainYearMonth().toString()
}
