/** The figures of the club: by day, and current. */
import type { Reader } from '../../../../db/index.ts'
import { readEndpointBacklogs } from '../../../delivery/webhooks/inspect.ts'
import { readAwaiting } from '../../../economy/events/distribute.ts'
import { countOpenReports } from '../../../fan/moderation/cases.ts'
import { countDay, countFans, type DailyFigures, dayOf, daysUntil } from '../../../figures/days/count-day.ts'
import { readDailyFigures } from '../../../figures/days/daily-figures.ts'
import { readRuns } from '../../../platform/jobs/maintenance.ts'
import { readOpenMoney } from '../../admin/open-money.ts'
import type { LiveFigures, Overview } from './schema.ts'

const VERIFICATIONS = ['verify-ledger', 'verify-quests'] as const

/** The caller reads and shares `live`. Yesterday is counted here until it is stored. */
export async function readOverview(reader: Reader, live: LiveFigures, length: number): Promise<Overview> {
  const { day: today, ...figures } = live.today
  const wanted = daysUntil(today, 2 * length)
  const kept = await readDailyFigures(reader, wanted[0] ?? today)
  const yesterday = wanted.at(-2)
  if (yesterday !== undefined && !kept.has(yesterday)) kept.set(yesterday, await countDay(reader, yesterday))
  kept.set(today, figures)
  return {
    days: wanted.slice(length).map(day => ({ day, figures: kept.get(day) ?? null })),
    before: sumOf(wanted.slice(0, length).map(day => kept.get(day))),
    live,
  }
}

/** Null if a day is missing. Active fans have no sum, since a fan can be active on several days. */
function sumOf(days: (DailyFigures | undefined)[]): DailyFigures | null {
  const [first, ...others] = days
  if (!first) return null
  const sum = { ...first, activeFans: 0 }
  for (const day of others) {
    if (!day) return null
    // Guarantee of the cast: a day has the members of its type alone.
    for (const name of Object.keys(sum) as (keyof DailyFigures)[])
      if (name !== 'activeFans') sum[name] += day[name]
  }
  return sum
}

export async function readLiveFigures(reader: Reader): Promise<LiveFigures> {
  const today = dayOf(reader.now())
  const endpoints = await readEndpointBacklogs(reader)
  const enabled = endpoints.filter(({ disabledAt }) => disabledAt === null)
  const awaiting = await readAwaiting(reader)
  const money = await readOpenMoney(reader)
  const reports = await countOpenReports(reader)
  const runs = await readRuns(reader)
  const writtenRun = (command: Parameters<typeof runs.get>[0]) => runs.get(command)?.toISOString() ?? null
  return {
    fans: await countFans(reader),
    today: { day: today, ...(await countDay(reader, today)) },
    webhooks: {
      count: enabled.reduce((sum, { pending }) => sum + pending, 0),
      since: oldestOf(enabled.map(({ since }) => since)),
      endpoints: enabled.length,
      disabled: endpoints.length - enabled.length,
    },
    events: { count: awaiting.pending, since: awaiting.since?.toISOString() ?? null },
    refundsDue: {
      sums: [...money.due].map(([currency, amount]) => ({ currency, amount })),
      since: money.dueSince?.toISOString() ?? null,
    },
    reports: { count: reports.open, since: reports.since?.toISOString() ?? null },
    backupAt: writtenRun('backup'),
    verifications: VERIFICATIONS.map(command => ({ command, finishedAt: writtenRun(command) })),
  }
}

function oldestOf(times: (Date | null)[]): string | null {
  const known = times.flatMap(time => (time === null ? [] : time.getTime()))
  return known.length === 0 ? null : new Date(Math.min(...known)).toISOString()
}
