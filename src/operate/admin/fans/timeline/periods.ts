/** Periods of quests, rounds and divisions in words. */

const DAY = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const
const MONTH = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const
const wordsOf = (date: Temporal.PlainDate, format: Intl.DateTimeFormatOptions) =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString('en-GB', format)

/** `2026-W48` as “the week of 23 Nov 2026”, `2026-11` as “November 2026”, and `2026-11-29` as “29 Nov 2026”. */
export function periodInWords(period: unknown): string {
  const [, year, week, month, day] = PERIOD.exec(String(period)) ?? []
  if (year === undefined) return String(period)
  if (week !== undefined) {
    // 4 January is in the first week of its year.
    const first = Temporal.PlainDate.from(`${year}-01-04`)
    const monday = first.add({ days: 7 * (Number(week) - 1) - (first.dayOfWeek - 1) })
    return `the week of ${wordsOf(monday, DAY)}`
  }
  const date = Temporal.PlainDate.from(`${year}-${month}-${day ?? '01'}`)
  return wordsOf(date, day === undefined ? MONTH : DAY)
}
const PERIOD = /^(\d{4})-(?:W(\d{2})|(\d{2})(?:-(\d{2}))?)$/

/** What follows the name of something that repeats; empty for what does not. */
export const ofPeriod = (period: unknown): string =>
  typeof period === 'string' && PERIOD.test(period) ? `, ${periodInWords(period)}` : ''
