/** Streaks against a model of local dates, in every time zone and above all when clocks change. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { windowAt } from '../../../src/core/windows.ts'
import { boundedPeriodAt } from '../../../src/play/quests/periods.ts'
import {
  endOfRun,
  endOfStreak,
  extendStreak,
  presentStreak,
  type StreakRules,
  streakAt,
  streakOf,
} from '../../../src/play/quests/streak.ts'

const ZONES = Intl.supportedValuesOf('timeZone')
const HOUR = 3_600_000
const DAY = 24 * HOUR
const FROM = Date.parse('2010-01-01T00:00:00.000Z')
const TO = Date.parse('2028-01-01T00:00:00.000Z')

const formats = new Map<string, Intl.DateTimeFormat>()

/** A local date, by `Intl`: not by the implementation under test. */
function localDate(ms: number, timeZone: string): string {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' })
  formats.set(timeZone, format)
  return format.format(ms)
}

/** The instants at which a zone changes its clock. */
function changesOf(timeZone: string): number[] {
  const found: number[] = []
  const zoned = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone)
  let next = zoned(FROM).getTimeZoneTransition('next')
  while (next && next.epochMilliseconds < TO) {
    found.push(next.epochMilliseconds)
    next = next.getTimeZoneTransition('next')
  }
  return found
}
const changes = new Map(ZONES.map(zone => [zone, changesOf(zone)]))

/** The dates that a zone has around an instant, each with an instant of it. A zone that changes its date leaves one out. */
function datesAround(ms: number, days: number, timeZone: string): number[] {
  const instants: number[] = []
  let last = ''
  for (let at = ms - days * DAY; at <= ms + days * DAY; at += HOUR) {
    const date = localDate(at, timeZone)
    if (date > last) {
      instants.push(at)
      last = date
    }
  }
  return instants
}

interface Run {
  current: number
  best: number
  graceLeft: number
  last: number
}

/**
 * By positions in the list of dates: days that the zone has not are no positions. Of every stretch between two completed days,
 * those that miss at most `graceDays` count.
 */
function modelOf(completed: number[], graceDays: number): Run | undefined {
  const last = completed.at(-1)
  if (last === undefined) return undefined
  const missed = (from: number, to: number) => (completed[to] ?? 0) - (completed[from] ?? 0) - (to - from)
  const runEndingAt = (to: number) => {
    const from = completed.findIndex((_, at) => missed(at, to) <= graceDays)
    return { current: to - from + 1, graceLeft: graceDays - missed(from, to) }
  }
  const lengths = completed.map((_, to) => runEndingAt(to).current)
  return { ...runEndingAt(completed.length - 1), best: Math.max(...lengths), last }
}

const daily = (timeZone: string, graceDays: number): StreakRules => ({ period: 'day', timeZone, graceDays })
const endOf = (rules: StreakRules, ms: number) => boundedPeriodAt(rules, new Date(ms)).endsAt

test('there are zones that change their clocks, and one that left a day out', () => {
  expect(ZONES.length).toBeGreaterThan(400)
  expect([...changes.values()].filter(({ length }) => length > 0).length).toBeGreaterThan(200)
  const dates = datesAround(Date.parse('2011-12-30T12:00:00Z'), 2, 'Pacific/Apia')
  expect(dates.map(at => localDate(at, 'Pacific/Apia'))).not.toContain('2011-12-30')
})

describe('A daily streak', () => {
  test('of a fan who misses no day has no gap at any change of the clock of any zone', () => {
    for (const [zone, instants] of changes) {
      for (const change of instants) {
        const dates = datesAround(change, 3, zone)
        const rules = daily(zone, 0)
        const streak = streakOf(
          dates.map(at => endOf(rules, at)),
          rules,
        )
        if (streak?.current !== dates.length)
          throw new Error(
            `${zone} at ${new Date(change).toISOString()}: ${streak?.current} of ${dates.length}`,
          )
      }
    }
  })

  test('equals the model of local dates around changes of clocks, with any days missed', () => {
    const around = fc
      .constantFrom(...[...changes].filter(([, instants]) => instants.length > 0))
      .chain(([zone, instants]) => fc.tuple(fc.constant(zone), fc.constantFrom(...instants)))
    fc.assert(
      fc.property(
        around,
        fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
        fc.nat({ max: 4 }),
        ([zone, change], isDone, graceDays) => {
          const dates = datesAround(change, 9, zone)
          const done = dates.flatMap((_, at) => (at < 12 && isDone[at] ? [at] : []))
          const rules = daily(zone, graceDays)
          const streak = streakOf(
            done.map(at => endOf(rules, dates[at] ?? 0)),
            rules,
          )
          const model = modelOf(done, graceDays)
          if (!streak || !model) return void expect(streak === undefined).toBe(model === undefined)
          const { current, best, graceLeft } = model
          expect(streak).toMatchObject({ current, best, graceLeft })
          const last = dates[model.last + 1 + graceLeft]
          if (last === undefined) throw new Error('the dates end too early')
          const endsAt = endOfRun(streak, rules)
          expect(endsAt).toEqual(endOf(rules, last))
          // One millisecond decides.
          const shown = (ms: number) => presentStreak(streak, rules, new Date(ms))
          expect(shown(endsAt.getTime() - 1)).toEqual({
            ...{ current, best, atRiskUntil: endsAt.toISOString() },
            graceLeft: 0,
          })
          expect(shown(endsAt.getTime())).toEqual({
            current: 0,
            best,
            atRiskUntil: null,
            graceLeft: graceDays,
          })
          expect(shown(streak.lastEndsAt.getTime() - 1)).toMatchObject({ current, graceLeft })
        },
      ),
      { numRuns: 1_500 },
    )
  })
})

describe('A weekly or monthly streak', () => {
  test.each([{ period: 'week' as const }, { period: 'month' as const }])(
    'by the $period misses days, not hours, in every zone',
    ({ period }) => {
      fc.assert(
        fc.property(
          fc.constantFrom(...ZONES),
          fc.date({ min: new Date(FROM), max: new Date(TO), noInvalidDate: true }),
          fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 6 }),
          fc.nat({ max: 31 }),
          (timeZone, start, steps, graceDays) => {
            const rules = { period, timeZone, graceDays }
            const windows = [boundedPeriodAt(rules, start)]
            for (let at = 0; at < 30; at++)
              windows.push(boundedPeriodAt(rules, windows.at(-1)?.endsAt ?? start))
            const picked = [0]
            for (const step of steps) picked.push((picked.at(-1) ?? 0) + step)
            const ends = picked.map(at => windows[at]?.endsAt ?? start)
            // Days of the zone between two periods, counted by the windows of days.
            const daysBetween = (from: Date, to: Date) => {
              let days = 0
              for (let at = from; at < to; days++) at = windowAt('day', at, timeZone).endsAt ?? to
              return days
            }
            let [current, left] = [0, graceDays]
            for (let n = picked.length - 1; n >= 0; n--) {
              const [at, after] = [picked[n] ?? 0, picked[n + 1]]
              const from = windows[at]?.endsAt ?? start
              const missed = after === undefined ? 0 : daysBetween(from, windows[after]?.startsAt ?? start)
              if (missed > left) break
              current++
              left -= missed
            }
            const streak = streakOf(ends, rules)
            expect(streak).toMatchObject({ current, graceLeft: left })
            if (!streak) return
            // The last period that continues does, and the one after it does not.
            const deadline = endOfRun(streak, rules)
            const last = boundedPeriodAt(rules, new Date(deadline.getTime() - 1))
            expect(streakOf([...ends, last.endsAt], rules)?.current).toBe(current + 1)
            const late = boundedPeriodAt(rules, deadline).endsAt
            expect(streakOf([...ends, late], rules)?.current).toBeLessThanOrEqual(current)
            // Without a period within the grace nothing of the run is left.
            const end = endOfStreak(streak, rules)
            expect(streakOf([...ends, boundedPeriodAt(rules, end).endsAt], rules)?.current).toBe(1)
          },
        ),
        { numRuns: 400 },
      )
    },
  )
})

describe('The streak of a set of days', () => {
  const start = Date.parse('2026-08-01T12:00:00.000Z')
  const sets = fc.uniqueArray(fc.nat({ max: 24 }), { minLength: 1, maxLength: 16 })
  const grace = fc.nat({ max: 4 })
  const endsOf = (rules: StreakRules, days: number[]) =>
    days.toSorted((a, b) => a - b).map(day => endOf(rules, start + day * DAY))

  test('is what each day in order extends', () => {
    fc.assert(
      fc.property(sets, grace, (days, graceDays) => {
        const rules = daily('Europe/London', graceDays)
        const ends = endsOf(rules, days)
        let streak = streakOf([], rules)
        for (const [at, endsAt] of ends.entries()) {
          const { startsAt } = boundedPeriodAt(rules, new Date(endsAt.getTime() - 1))
          streak = extendStreak(streak, { startsAt, endsAt }, rules) ?? streakOf(ends.slice(0, at + 1), rules)
        }
        expect(streak).toEqual(streakOf(ends, rules))
      }),
      { numRuns: 500 },
    )
  })

  test('does not become shorter or end when a day is reported late', () => {
    fc.assert(
      fc.property(sets, grace, fc.nat({ max: 24 }), fc.nat({ max: 6 }), (days, graceDays, late, since) => {
        const rules = daily('Europe/London', graceDays)
        const now = new Date(start + (Math.max(...days) + since) * DAY)
        const shown = (all: number[]) => presentStreak(streakAt(endsOf(rules, all), rules, now), rules, now)
        const before = shown(days)
        const after = shown([...new Set([...days, Math.min(late, Math.max(...days))])])
        expect(after.current).toBeGreaterThanOrEqual(before.current)
        expect(after.best).toBeGreaterThanOrEqual(before.best)
        if (before.current > 0) expect(after.atRiskUntil).not.toBeNull()
      }),
      { numRuns: 1_000 },
    )
  })

  test('is, on each day, the longest run up to that day with at most the days of grace missed', () => {
    fc.assert(
      fc.property(sets, grace, fc.nat({ max: 7 }), (days, graceDays, since) => {
        const rules = daily('Europe/London', graceDays)
        const today = Math.max(...days) + since
        const now = new Date(start + today * DAY)
        const { current } = presentStreak(streakAt(endsOf(rules, days), rules, now), rules, now)
        const done = new Set(days)
        let [expected, missed] = [0, 0]
        // Today is not missed yet.
        for (let day = today, length = 0; day >= 0; day--) {
          if (done.has(day)) expected = ++length
          else if (day < today && ++missed > graceDays) break
        }
        expect(current).toBe(expected)
      }),
      { numRuns: 500 },
    )
  })
})
