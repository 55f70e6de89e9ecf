import type { Calendar } from './calendar.ts'

/** From the begin of the season to that of the calendar's instant. */
const BEGUN_MS = 190 * 86_400_000

function startOf({ now }: Calendar): Date {
  const begun = new Date(now.getTime() - BEGUN_MS)
  return new Date(Date.UTC(begun.getUTCFullYear(), begun.getUTCMonth()))
}

const nameOf = (year: number) => `${year}/${String(year + 1).slice(2)}`

/** Such as `2026/27`. */
export const seasonOf = (calendar: Calendar) => nameOf(startOf(calendar).getUTCFullYear())

/** The demonstration seasons: two that are over, that of the matches, and the next. */
export function seasonsOf(calendar: Calendar) {
  const start = startOf(calendar)
  const year = start.getUTCFullYear()
  const startIn = (of: number) => new Date(Date.UTC(of, start.getUTCMonth())).toISOString()
  return [year - 2, year - 1, year, year + 1].map(one => ({
    id: nameOf(one).replace('/', '-'),
    name: nameOf(one),
    startsAt: startIn(one),
    endsAt: startIn(one + 1),
  }))
}
