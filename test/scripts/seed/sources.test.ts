/** The joining times of fans. */
import { expect, test } from 'bun:test'
import { calendarOf } from '../../../scripts/seed/calendar.ts'
import { createSeedSources } from '../../../scripts/seed/sources.ts'
import { KICK_OFF } from '../../support/clock.ts'

test('the first ten thousand fans join at any time, later blocks of ten thousand one after another', () => {
  const sourcesOf = createSeedSources(7, calendarOf(new Date(KICK_OFF)))
  const joined = (crowd: number) =>
    Array.from({ length: 200 }, (_, at) =>
      sourcesOf(crowd * 10_000 + at * 50)
        .now()
        .getTime(),
    )
  const days = (times: number[]) => (Math.max(...times) - Math.min(...times)) / 86_400_000
  const season = joined(0)
  expect(days(season)).toBeGreaterThan(150)
  const crowds = [1, 2, 3, 50, 98, 99].map(joined)
  for (const [at, times] of crowds.entries()) {
    expect(days(times)).toBeLessThanOrEqual(1.8)
    for (const later of crowds.slice(at + 1)) {
      expect(Math.max(...times)).toBeLessThanOrEqual(Math.min(...later))
    }
  }
  expect(days([...season, ...crowds.flat()])).toBeLessThanOrEqual(176)
})
