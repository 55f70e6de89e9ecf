/** Steps of new fans, and how many come back. */
import { formatDayLabel } from '../../parts/chart.tsx'
import { ChartFrame } from '../../parts/chart-frame.tsx'
import { Bars, Heat } from '../../parts/drawing.tsx'
import { formatCount } from '../../parts/format.ts'
import { Section } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { fansOf, percent, type Season, sumOf } from './words.ts'

const STEPS = {
  signedIn: 'Signed in',
  onboarded: 'Completed the onboarding',
  predicted: 'Predicted a match',
  claimed: 'Claimed a reward',
  redeemed: 'Redeemed a reward',
  bought: 'Bought a pack or an order',
} satisfies Record<Season['funnel'][number]['step'], string>

export function Funnel({ of, days }: { of: Season['funnel']; days: number }) {
  const joined = of[0]?.fans ?? 0
  const bought = of.at(-1)?.fans ?? 0
  // The largest loss from a step to the next.
  const losses = of.slice(1).map(({ step, fans }, nth) => ({ step, lost: (of[nth]?.fans ?? 0) - fans }))
  const worst = losses.toSorted((a, b) => b.lost - a.lost)[0]
  const meaning =
    joined === 0
      ? 'Nobody has joined in these weeks.'
      : `Of ${fansOf(joined)} who joined in the weeks of these ${days} days, ${percent(bought, joined)} have bought something. The largest loss is before “${worst ? STEPS[worst.step] : ''}”: ${fansOf(worst?.lost ?? 0)}.`
  return (
    <Section title="Steps of new fans" about={meaning}>
      <ChartFrame
        label="Steps of fans who joined in the period"
        columns={['Step', 'Fans', 'Share of the first step']}
        rows={of.map(({ step, fans }) => [STEPS[step], fans, percent(fans, joined)])}
      >
        <Bars
          most={joined}
          of={of.map(({ step, fans }) => ({
            id: step,
            name: STEPS[step],
            value: fans,
            note: `${formatCount(fans)} · ${percent(fans, joined)}`,
          }))}
        />
      </ChartFrame>
    </Section>
  )
}

/** Weeks that fit on a screen: the table has all. */
const SHOWN = 13

export function Retention({ weeks }: { weeks: Season['retention']['weeks'] }) {
  const columns = Math.max(0, ...weeks.map(({ active }) => active.length))
  // The last week of each row is not over.
  const share = (nth: number) => {
    const old = weeks.filter(({ active }) => active.length > nth + 1)
    const fans = sumOf(old.map(week => week.fans))
    return fans === 0 ? null : { fans, part: sumOf(old.map(({ active }) => active[nth] ?? 0)) / fans }
  }
  const [next, later] = [share(1), share(4)]
  const say = (part: number) => `${Math.round(part * 100)} %`
  const meaning =
    next === null
      ? 'A week after the first fans have joined, this shows how many come back.'
      : `${say(next.part)} of new fans did something in the week after they joined${later ? `, and ${say(later.part)} in the fourth` : ''}. Each row is a week of joining; the last cell of a row is this week, which is not over.`
  const shown = weeks.slice(-SHOWN)
  return (
    <Section title="Fans who come back" about={meaning}>
      {weeks.length === 0 ? (
        <Empty title="Nobody has joined in the period" />
      ) : (
        <ChartFrame
          label="Active fans by week of joining"
          columns={[
            'Joined in the week of',
            'Fans',
            ...Array.from({ length: columns }, (_, nth) => `Week ${nth}`),
          ]}
          rows={weeks.map(({ week, fans, active }) => [
            formatDayLabel(week),
            fans,
            ...Array.from({ length: columns }, (_, nth) => active[nth] ?? null),
          ])}
        >
          <Heat
            most={1}
            format={value => String(Math.round(value * 100))}
            columns={Array.from({ length: Math.min(columns, SHOWN) }, (_, nth) => `+${nth}`)}
            rows={shown.map(({ week, fans, active }) => ({
              id: week,
              name: `${formatDayLabel(week)} · ${formatCount(fans)}`,
              values: active.slice(0, SHOWN).map(one => one / fans),
            }))}
          />
        </ChartFrame>
      )}
    </Section>
  )
}

export function TeamRetention({ teams }: { teams: Season['retention']['teams'] }) {
  const weeks = teams[0]?.active.map(({ week }) => week) ?? []
  const partOf = ({ active }: (typeof teams)[number], nth: number) => {
    const one = active[nth]
    return one && one.of > 0 ? one.fans / one.of : null
  }
  const known = teams.filter(team => partOf(team, 1) !== null)
  const best = known.toSorted((a, b) => (partOf(b, 1) ?? 0) - (partOf(a, 1) ?? 0))[0]
  const meaning = best
    ? `Four weeks after they joined, fans of ${best.name} are the most active: ${Math.round((partOf(best, 1) ?? 0) * 100)} %.`
    : 'Four weeks after the first fans have joined, this compares the teams.'
  return (
    <Section title="Fans who come back, by team" about={meaning}>
      {teams.length === 0 ? (
        <Empty title="No fan of the period has a team" />
      ) : (
        <ChartFrame
          label="Share of active fans by team, in percent"
          columns={['Team', 'Fans', ...weeks.map(week => `Week ${week}`)]}
          rows={teams.map(team => [
            team.name,
            team.fans,
            ...weeks.map((_, nth) => {
              const part = partOf(team, nth)
              return part === null ? null : Math.round(part * 100)
            }),
          ])}
        >
          <Heat
            most={1}
            format={value => `${Math.round(value * 100)} %`}
            columns={weeks.map(week => `Week ${week}`)}
            rows={teams.slice(0, 10).map(team => ({
              id: team.id,
              name: team.name,
              values: weeks.map((_, nth) => partOf(team, nth)),
            }))}
          />
        </ChartFrame>
      )}
    </Section>
  )
}
