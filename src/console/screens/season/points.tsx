/** What points are issued and spent, what fans have, and who can afford what. */
import { Chart } from '../../parts/chart.tsx'
import { ChartFrame } from '../../parts/chart-frame.tsx'
import { Histogram } from '../../parts/drawing.tsx'
import { formatCount, formatMoney } from '../../parts/format.ts'
import { Section } from '../../parts/page.tsx'
import { fansOf, percent, type Season, sumOf } from './words.ts'

interface PointsProps {
  of: Season['points']
  days: string[]
}

export function Points({ of: { issued, spent, ended }, days }: PointsProps) {
  const [all, used, gone] = [sumOf(issued), sumOf(spent), sumOf(ended)]
  const meaning =
    all + used + gone === 0
      ? 'No points were issued or spent in the period.'
      : `For each 100 points that were issued, ${all === 0 ? '–' : Math.round((100 * used) / all)} were spent and ${all === 0 ? '–' : Math.round((100 * gone) / all)} ended.`
  return (
    <Section title="Issued, spent and ended" about={meaning}>
      <Chart
        label="Points issued, spent and ended a day"
        days={days}
        openDay={days.at(-1) ?? ''}
        series={[
          { name: 'Issued', values: issued },
          { name: 'Spent', values: spent },
          { name: 'Ended', values: ended },
        ]}
      />
    </Section>
  )
}

export function Outstanding({ of: { outstanding, held, worth, isMoneyHidden }, days }: PointsProps) {
  const [first, now] = [outstanding[0] ?? 0, outstanding.at(-1) ?? 0]
  const change =
    now === first
      ? 'as many as'
      : `${formatCount(Math.abs(now - first))} ${now > first ? 'more' : 'fewer'} than`
  const money = worth
    ? ` If all were used, they would cost the club ${formatMoney(worth.amount, worth.currency)}.`
    : isMoneyHidden
      ? ''
      : ' What they cost the club appears here once the settings have “pointValue” and “currency”.'
  return (
    <Section
      title="Points that fans have"
      about={`Fans have ${formatCount(now)} points, ${change} at the beginning of the period; ${formatCount(held)} of them are held for purchases.${money}`}
    >
      <Chart
        label="Points that fans have at the end of each day"
        days={days}
        total={false}
        series={[{ name: 'Points', values: outstanding }]}
      />
    </Section>
  )
}

const KINDS = { reward: 'Reward', pack: 'Pack', product: 'Product' } as const

export function Balances({ of: { bars, prices } }: { of: Season['balances'] }) {
  const fans = sumOf(bars.map(bar => bar.fans))
  const most = prices.at(-1)
  const nobody = prices.filter(price => price.fans === 0).length
  const meaning =
    most === undefined
      ? 'Nothing active has a price or a threshold in points.'
      : `${percent(prices[0]?.fans ?? 0, fans)} of ${fansOf(fans)} can afford the least expensive, ${prices[0]?.name ?? ''}; ${percent(most.fans, fans)} the most expensive, ${most.name}.${nobody > 0 ? ` ${nobody === 1 ? 'One price is' : `${nobody} prices are`} out of reach for everyone.` : ''}`
  const rangeOf = ({ from, to }: (typeof bars)[number]) =>
    to === null
      ? `${formatCount(from)} or more`
      : to - from === 1
        ? formatCount(from)
        : `${formatCount(from)} to ${formatCount(to - 1)}`
  return (
    <Section title="Who can afford what" about={meaning}>
      <ChartFrame
        label="Fans by their points"
        columns={['Points', 'Fans']}
        rows={bars.map(bar => [rangeOf(bar), bar.fans])}
      >
        <Histogram
          bars={bars.map(({ from, to, fans: value }) => ({ from, to, value }))}
          marks={prices.map(({ kind, id, points }) => ({ id: `${kind} ${id}`, at: points }))}
        />
      </ChartFrame>
      {prices.length > 0 && (
        <ChartFrame
          label="Fans who can afford each reward, pack and product"
          columns={['Number in the chart', 'Name', 'Kind', 'Points', 'Fans', 'Of all fans']}
          rows={prices.map(({ kind, name, points, fans: able }, nth) => [
            ...[nth + 1, name, KINDS[kind], points, able, percent(able, fans)],
          ])}
        />
      )}
    </Section>
  )
}
