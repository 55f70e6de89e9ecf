/** Figures by day: each chart has its sum and a comparison with the previous period. */
import type { Data } from '../../api.ts'
import { Chart } from '../../parts/chart.tsx'
import { formatCompact } from '../../parts/format.ts'
import { Columns, Section } from '../../parts/page.tsx'
import type { Series } from '../../parts/plot.ts'
import { Note } from '../../parts/states.tsx'

export type Overview = Data<'readOverview'>
type Days = Overview['days']
type Name = keyof NonNullable<Days[number]['figures']>

interface DayChartsProps {
  days: Days
  before: Overview['before']
  /** The day that is not over. */
  today: string
}

export function DayCharts({ days, before, today }: DayChartsProps) {
  const series = (names: [Name, string][]): Series[] =>
    names.map(([name, title]) => ({
      name: title,
      values: days.map(({ figures }) => figures?.[name] ?? null),
    }))
  const compared = (name: Name, title: string) => {
    if (before === null || before[name] === 0 || days.some(({ figures }) => figures === null))
      return undefined
    const sum = days.reduce((all, { figures }) => all + (figures?.[name] ?? 0), 0)
    const change = Math.round((100 * (sum - before[name])) / before[name])
    return `${title}: ${change < 0 ? '−' : '+'}${formatCompact(Math.abs(change))} % compared with the ${days.length} days before`
  }
  const labels = days.map(({ day }) => day)
  const missing = days.filter(({ figures }) => figures === null).length
  return (
    <>
      <h2 class="group-title">
        By day <span class="quiet">UTC</span>
      </h2>
      {missing > 0 && (
        <Note>
          {missing === 1 ? 'One day has' : `${missing} days have`} no figures: there were no fans yet, or the
          day is not counted yet.
        </Note>
      )}
      <Section title="Points" about={compared('pointsGranted', 'Granted')}>
        <Chart
          label="Points granted, spent and taken back a day"
          days={labels}
          openDay={today}
          series={series([
            ['pointsGranted', 'Granted'],
            ['pointsSpent', 'Spent'],
            ['pointsTaken', 'Taken back or expired'],
          ])}
        />
      </Section>
      <Columns>
        <Section title="Active fans" about="Fans who did something on the day.">
          <Chart
            kind="bars"
            total={false}
            label="Active fans a day"
            days={labels}
            openDay={today}
            series={series([['activeFans', 'Active fans']])}
          />
        </Section>
        <Section title="New fans" about={compared('newFans', 'New fans')}>
          <Chart
            label="New fans and completed onboardings a day"
            days={labels}
            openDay={today}
            series={series([
              ['newFans', 'New fans'],
              ['onboardings', 'Onboardings'],
            ])}
          />
        </Section>
        <Section title="Rewards" about={compared('claims', 'Claims')}>
          <Chart
            label="Claims and redemptions a day"
            days={labels}
            openDay={today}
            series={series([
              ['claims', 'Claims'],
              ['redemptions', 'Redemptions'],
            ])}
          />
        </Section>
        <Section title="Shop" about={compared('orders', 'Orders')}>
          <Chart
            label="Orders paid and packs bought a day"
            days={labels}
            openDay={today}
            series={series([
              ['orders', 'Orders'],
              ['packs', 'Packs'],
            ])}
          />
        </Section>
      </Columns>
    </>
  )
}
