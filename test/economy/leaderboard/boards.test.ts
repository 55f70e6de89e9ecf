/** Which week and month an instant belongs to: ISO 8601, UTC. */
import { expect, test } from 'bun:test'
import { boardAt, boardsAt, parseBoard, takesPart } from '../../../src/economy/leaderboard/boards.ts'

const week = (at: string) => boardAt('week', new Date(at)).id

test('weeks turn on Monday at midnight UTC, and belong to the year of their Thursday', () => {
  const weeks: [string, string][] = [
    ['2026-12-27T23:59:59.999Z', '2026-W52'],
    ['2026-12-28T00:00:00.000Z', '2026-W53'],
    ['2026-12-31T23:59:59.999Z', '2026-W53'],
    ['2027-01-01T00:00:00.000Z', '2026-W53'],
    ['2027-01-03T23:59:59.999Z', '2026-W53'],
    ['2027-01-04T00:00:00.000Z', '2027-W01'],
    ['2024-12-30T00:00:00.000Z', '2025-W01'],
    ['2024-12-29T23:59:59.999Z', '2024-W52'],
    ['2021-01-03T12:00:00.000Z', '2020-W53'],
    ['2022-01-02T12:00:00.000Z', '2021-W52'],
    ['1970-01-01T00:00:00.000Z', '1970-W01'],
    ['2026-11-21T10:00:00.000Z', '2026-W47'],
  ]
  for (const [at, id] of weeks) expect([at, week(at)]).toEqual([at, id])
})

test('every day of forty years lies in its week and month, and ids name the same boards again', () => {
  for (let day = Date.UTC(2000, 0, 1); day < Date.UTC(2040, 0, 1); day += 86_400_000) {
    for (const at of [new Date(day), new Date(day + 86_399_999)]) {
      for (const board of boardsAt(at).slice(1)) {
        const { period, id, startsAt, endsAt } = board
        if (!startsAt || !endsAt) throw new Error(`${id} has no bounds`)
        expect(startsAt <= at && at < endsAt).toBe(true)
        expect(parseBoard(period, id)).toEqual(board)
        if (period === 'week') {
          expect([startsAt.getUTCDay(), endsAt.getTime() - startsAt.getTime()]).toEqual([1, 7 * 86_400_000])
          const thursday = new Date(startsAt.getTime() + 3 * 86_400_000)
          expect(id.slice(0, 4)).toBe(String(thursday.getUTCFullYear()))
        }
      }
    }
  }
})

test('points count on three boards: of all time, of the month and of the week', () => {
  const ids = boardsAt(new Date('2027-01-01T00:00:00.000Z')).map(({ id }) => id)
  expect(ids).toEqual(['all', '2027-01', '2026-W53'])
})

test('there is a week 53 only in years that have one, no week 0, no month 0 or 13', () => {
  expect(parseBoard('week', '2026-W53')?.startsAt).toEqual(new Date('2026-12-28T00:00:00.000Z'))
  expect(parseBoard('week', '2020-W53')?.startsAt).toEqual(new Date('2020-12-28T00:00:00.000Z'))
  for (const id of ['2025-W53', '2027-W53', '2026-W54', '2026-W00', '2026-W99', '2026-47', '2026-11'])
    expect([id, parseBoard('week', id)]).toEqual([id, null])
  for (const id of ['2026-13', '2026-00', '2026-99', '2026-W11', '2026-W47', '2026-1', '', 'all'])
    expect([id, parseBoard('month', id)]).toEqual([id, null])
})

test('a fan who enrols in the last millisecond of a period takes part in it, one who enrols at its end does not', () => {
  const week = boardAt('week', new Date('2026-12-30T12:00:00.000Z'))
  const month = boardAt('month', new Date('2026-12-30T12:00:00.000Z'))
  expect(takesPart(new Date('2027-01-03T23:59:59.999Z'), week)).toBe(true)
  expect(takesPart(new Date('2027-01-04T00:00:00.000Z'), week)).toBe(false)
  expect(takesPart(new Date('2026-12-31T23:59:59.999Z'), month)).toBe(true)
  expect(takesPart(new Date('2027-01-01T00:00:00.000Z'), month)).toBe(false)
  expect(takesPart(new Date('2027-01-04T00:00:00.000Z'), boardAt('all', week.endsAt ?? new Date(0)))).toBe(
    true,
  )
})
