/** Windows of limits and periods: days, weeks and months of any time zone, above all when clocks change. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isTimeZone, windowAt } from '../../src/core/windows.ts'

const ZONES = Intl.supportedValuesOf('timeZone')
const UNITS = [{ unit: 'day' }, { unit: 'week' }, { unit: 'month' }] as const
type Unit = (typeof UNITS)[number]['unit']
const FROM = Date.parse('1970-01-02T00:00:00.000Z')
const TO = Date.parse('2040-01-01T00:00:00.000Z')
const DAY = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** A local date, by `Intl`: not by the implementation under test. */
function localDate(ms: number, timeZone: string): string {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' })
  formats.set(timeZone, format)
  return format.format(ms)
}

/** The window of a local date, which has no time zone. */
function windowOf(unit: Unit, date: string): string {
  if (unit === 'day') return date
  if (unit === 'month') return date.slice(0, 7)
  const thursday = new Date(`${date}T00:00:00Z`)
  thursday.setUTCDate(thursday.getUTCDate() + 3 - ((thursday.getUTCDay() + 6) % 7))
  const year = thursday.getUTCFullYear()
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0)) / (7 * DAY))
  return `${year}-W${String(week).padStart(2, '0')}`
}

/** Compares instead of `expect`: a million comparisons are fast. Throws with the first contradiction. */
function check(unit: Unit, ms: number, timeZone: string) {
  const at = (instant: number) => windowAt(unit, new Date(instant), timeZone)
  const window = at(ms)
  const { key } = window
  const [start, end] = [Number(window.startsAt), Number(window.endsAt)]
  const shown = (instant: number) => windowOf(unit, localDate(instant, timeZone))
  const rules = {
    'contains its instant': start <= ms && ms < end,
    'is the same from its first instant': isSame(at(start), window),
    'is the same from its last instant': isSame(at(end - 1), window),
    'begins where the previous one ends': Number(at(start - 1).endsAt) === start,
    'ends where the next begins': Number(at(end).startsAt) === end,
    'begins with an instant of its own date': shown(start) === key,
    'begins after a date that is earlier': shown(start - 1) < key,
    'shows no later date before its end': shown(ms) <= key && shown(end - 1) <= key,
  }
  for (const [rule, holds] of Object.entries(rules)) {
    if (!holds) throw new Error(`the ${unit} of ${new Date(ms).toISOString()} in ${timeZone} ${rule}: false`)
  }
}

const isSame = (a: ReturnType<typeof windowAt>, b: ReturnType<typeof windowAt>) =>
  a.key === b.key && Number(a.startsAt) === Number(b.startsAt) && Number(a.endsAt) === Number(b.endsAt)

/** The instants at which a zone changes its clock. */
function changesOf(timeZone: string, from: number): number[] {
  const found: number[] = []
  let at = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timeZone)
  for (;;) {
    const next = at.getTimeZoneTransition('next')
    if (!next || next.epochMilliseconds > TO) return found
    found.push(next.epochMilliseconds)
    at = next
  }
}

describe('windows of time', () => {
  test.each(UNITS)('a $unit contains its instant, without gap or overlap, in every zone', ({ unit }) => {
    const instant = fc.integer({ min: FROM, max: TO })
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), instant, (timeZone, ms) => check(unit, ms, timeZone)),
      { numRuns: 2_000 },
    )
  })

  test('a day is exact around every change of the clock of every zone since 1970', () => {
    let changes = 0
    for (const timeZone of ZONES) {
      for (const at of changesOf(timeZone, FROM)) {
        check('day', at - 1, timeZone)
        check('day', at, timeZone)
        changes++
      }
    }
    expect(changes).toBeGreaterThan(15_000)
  })

  test.each(UNITS)('a $unit is exact around every change of the clock since 2024', ({ unit }) => {
    for (const timeZone of ZONES)
      for (const at of changesOf(timeZone, Date.parse('2024-01-01T00:00:00.000Z')))
        for (const ms of [at - 1, at]) check(unit, ms, timeZone)
  })

  test.each([
    {
      what: 'a day of 23 hours',
      zone: 'Europe/London',
      at: '2026-03-29T12:00:00Z',
      day: ['2026-03-29', '2026-03-29T00:00:00.000Z', '2026-03-29T23:00:00.000Z'],
    },
    {
      what: 'a day of 25 hours',
      zone: 'Europe/London',
      at: '2026-10-25T12:00:00Z',
      day: ['2026-10-25', '2026-10-24T23:00:00.000Z', '2026-10-26T00:00:00.000Z'],
    },
    {
      what: 'a day without midnight',
      zone: 'America/Sao_Paulo',
      at: '2018-11-04T12:00:00Z',
      day: ['2018-11-04', '2018-11-04T03:00:00.000Z', '2018-11-05T02:00:00.000Z'],
    },
    {
      what: 'the day before a day that a zone skipped',
      zone: 'Pacific/Apia',
      at: '2011-12-29T12:00:00Z',
      day: ['2011-12-29', '2011-12-29T10:00:00.000Z', '2011-12-30T10:00:00.000Z'],
    },
    {
      what: 'the day after a day that a zone skipped',
      zone: 'Pacific/Apia',
      at: '2011-12-30T10:00:00Z',
      day: ['2011-12-31', '2011-12-30T10:00:00.000Z', '2011-12-31T10:00:00.000Z'],
    },
    {
      what: 'an hour repeated across midnight, as the later day',
      zone: 'America/St_Johns',
      at: '2009-11-01T02:45:00Z',
      day: ['2009-11-01', '2009-11-01T02:30:00.000Z', '2009-11-02T03:30:00.000Z'],
    },
  ])('finds $what', ({ zone, at, day: [key, startsAt, endsAt] }) => {
    const window = windowAt('day', new Date(at), zone)
    expect([window.key, window.startsAt?.toISOString(), window.endsAt?.toISOString()]).toEqual([
      key,
      startsAt,
      endsAt,
    ])
  })

  test.each([
    { at: '2026-12-31T12:00:00Z', week: '2026-W53', month: '2026-12' },
    { at: '2027-01-03T12:00:00Z', week: '2026-W53', month: '2027-01' },
    { at: '2027-01-04T12:00:00Z', week: '2027-W01', month: '2027-01' },
    { at: '2024-12-30T12:00:00Z', week: '2025-W01', month: '2024-12' },
  ])('the week of $at is $week, by its Thursday', ({ at, week, month }) => {
    expect(windowAt('week', new Date(at), 'UTC').key).toBe(week)
    expect(windowAt('month', new Date(at), 'UTC').key).toBe(month)
  })

  test('an unknown time zone throws', () => {
    expect(() => windowAt('day', new Date(0), 'Europe/Atlantis')).toThrow(RangeError)
  })

  test('a window of the unit `ever` has no bounds', () => {
    expect(windowAt('ever', new Date(0), 'UTC')).toEqual({ key: 'ever', startsAt: null, endsAt: null })
  })

  test.each([
    { name: 'Europe/London', is: true },
    { name: 'UTC', is: true },
    { name: 'Asia/Kolkata', is: true },
    { name: 'Europe/Atlantis', is: false },
    { name: '+01:00', is: false },
    { name: '', is: false },
    { name: 'Europe/London\n', is: false },
  ])('"$name" is a time zone: $is', ({ name, is }) => {
    expect(isTimeZone(name)).toBe(is)
  })
})
