/** Streaks against a model of local dates, in every time zone and above all when clocks change. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { windowAt } from '../../src/core/windows.ts'
import { boundedPeriodAt } from '../../src/quests/periods.ts'
import { endOfStreak, presentStreak, type StreakRules, streakOf } from '../../src/quests/streak.ts'

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

/** By positions in the list of dates: days that the zone has not are no positions. */
function modelOf(completed: number[], graceDays: number): Run | undefined {
  let run: Run | undefined
  for (const at of completed) {
    const missed = run ? at - run.last - 1 : Number.POSITIVE_INFINITY
    const goesOn = run !== undefined && missed <= run.graceLeft
    const current = run && goesOn ? run.current + 1 : 1
    run = {
      current,
      best: Math.max(run?.best ?? 0, current),
      graceLeft: run && goesOn ? run.graceLeft - missed : graceDays,
      last: at,
    }
  }
  return run
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
          const endsAt = endOfStreak(streak, rules)
          expect(endsAt).toEqual(endOf(rules, last))
          // One millisecond decides.
          const shown = (ms: number) => presentStreak({ ...streak, endsAt }, rules, new Date(ms))
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
            let [current, left] = [1, graceDays]
            for (const [n, at] of picked.entries()) {
              const before = picked[n - 1]
              if (before === undefined) continue
              const missed = daysBetween(windows[before]?.endsAt ?? start, windows[at]?.startsAt ?? start)
              const goesOn = missed <= left
              current = goesOn ? current + 1 : 1
              left = goesOn ? left - missed : graceDays
            }
            const streak = streakOf(ends, rules)
            expect(streak).toMatchObject({ current, graceLeft: left })
            if (!streak) return
            // The last period that goes on does, and the one after it does not.
            const deadline = endOfStreak(streak, rules)
            const last = boundedPeriodAt(rules, new Date(deadline.getTime() - 1))
            expect(streakOf([...ends, last.endsAt], rules)?.current).toBe(current + 1)
            expect(streakOf([...ends, boundedPeriodAt(rules, deadline).endsAt], rules)?.current).toBe(1)
          },
        ),
        { numRuns: 400 },
      )
    },
  )
})
