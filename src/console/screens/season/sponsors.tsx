/** What fans did with what each sponsor supports, by day: what the club shows the sponsor. It names no fan. */
import { Chart, formatDayLabel } from '../../parts/chart.tsx'
import { ChartFrame } from '../../parts/chart-frame.tsx'
import { formatCount } from '../../parts/format.ts'
import { Section } from '../../parts/page.tsx'
import { useParameter } from '../../router.tsx'
import { type Season, sumOf } from './words.ts'

type Sponsor = Season['sponsors'][number]

const ACTIONS = {
  claimed: 'Rewards claimed',
  redeemed: 'Rewards redeemed',
  completed: 'Quests completed',
  bought: 'Packs and products bought',
  checkedIn: 'Check-ins',
  voted: 'Votes in questions',
} satisfies Record<Sponsor['actions'][number]['action'], string>

const totalOf = ({ actions }: Sponsor) => sumOf(actions.flatMap(({ days }) => days))

const dayOf = ({ actions }: Sponsor, nth: number) => sumOf(actions.map(({ days }) => days[nth] ?? 0))

/** Nothing is shown until an entry of the catalogue names a sponsor and a fan does something with it. */
export function Sponsors({ of, days }: { of: Season['sponsors']; days: string[] }) {
  const [chosen, setChosen] = useParameter('sponsor')
  const ordered = of.toSorted((a, b) => totalOf(b) - totalOf(a))
  const sponsor = ordered.find(({ id }) => id === chosen) ?? ordered[0]
  if (sponsor === undefined) return null
  const [most] = sponsor.actions.toSorted((a, b) => sumOf(b.days) - sumOf(a.days))
  const meaning = `Fans did ${formatCount(totalOf(sponsor))} things with what ${sponsor.name} supported at that time${most ? `, most often “${ACTIONS[most.action]}”: ${formatCount(sumOf(most.days))}` : ''}.`
  return (
    <Section
      title="Sponsors by day"
      about={meaning}
      actions={
        <select
          aria-label="Which sponsor"
          value={sponsor.id}
          onChange={event => setChosen(event.currentTarget.value)}
        >
          {ordered.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      }
    >
      <Chart
        key={sponsor.id}
        kind="bars"
        label={`What fans did with ${sponsor.name} a day`}
        days={days}
        openDay={days.at(-1) ?? ''}
        series={[{ name: 'Actions of fans', values: days.map((_, nth) => dayOf(sponsor, nth)) }]}
      />
      <ChartFrame
        label={`Actions of fans with ${sponsor.name} by kind`}
        columns={['Day', ...sponsor.actions.map(({ action }) => ACTIONS[action])]}
        rows={days.map((day, nth) => [
          formatDayLabel(day),
          ...sponsor.actions.map(({ days: values }) => values[nth] ?? 0),
        ])}
      />
    </Section>
  )
}
