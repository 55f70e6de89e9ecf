/** Figures by day, each chart with its sum and how it compares with the days before. */
import type { Overview } from '../../../overview/schema.ts'
import { Chart, type Series } from '../../parts/chart.tsx'
import { formatCompact } from '../../parts/format.ts'
import { Columns, Section } from '../../parts/page.tsx'
import { Note } from '../../parts/states.tsx'

type Days = Overview['days']
type Name = keyof NonNullable<Days[number]['figures']>

export function DayCharts({ days, before }: { days: Days; before: Overview['before'] }) {
  const series = (names: [Name, string][]): Series[] =>
    names.map(([name, title]) => ({
      name: title,
      values: days.map(({ figures }) => figures?.[name] ?? null),
    }))
  const compared = (name: Name) => {
    if (before === null || before[name] === 0 || days.some(({ figures }) => figures === null))
      return undefined
    const sum = days.reduce((all, { figures }) => all + (figures?.[name] ?? 0), 0)
    const change = Math.round((100 * (sum - before[name])) / before[name])
    return `${change < 0 ? '−' : '+'}${formatCompact(Math.abs(change))} % on the ${days.length} days before`
  }
  const labels = days.map(({ day }) => day)
  const missing = days.filter(({ figures }) => figures === null).length
  return (
    <>
      {missing > 0 && (
        <Note>
          {missing === 1 ? 'One day has' : `${missing} days have`} no figures: before the first fan, or not
          counted yet.
        </Note>
      )}
      <Section title="Points" about={compared('pointsGranted')}>
        <Chart
          label="Points granted, spent and taken back a day"
          days={labels}
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
            series={series([['activeFans', 'Active fans']])}
          />
        </Section>
        <Section title="New fans" about={compared('newFans')}>
          <Chart
            label="New fans and completed onboardings a day"
            days={labels}
            series={series([
              ['newFans', 'New fans'],
              ['onboardings', 'Onboardings'],
            ])}
          />
        </Section>
        <Section title="Rewards" about={compared('claims')}>
          <Chart
            label="Claims and redemptions a day"
            days={labels}
            series={series([
              ['claims', 'Claims'],
              ['redemptions', 'Redemptions'],
            ])}
          />
        </Section>
        <Section title="Shop" about={compared('orders')}>
          <Chart
            label="Orders paid and packs bought a day"
            days={labels}
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
