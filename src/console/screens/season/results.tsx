/** What came of rules, quests, rewards, packs, products and sponsors, and how their stock sells. */
import { ChartFrame } from '../../parts/chart-frame.tsx'
import { Bars } from '../../parts/drawing.tsx'
import { formatCount, formatMoney } from '../../parts/format.ts'
import { Section } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { Choice } from '../../parts/tabs.tsx'
import { useChoice } from '../../router.tsx'
import { fansOf, percent, type Season, sumOf } from './words.ts'

const KINDS = ['rule', 'quest', 'reward', 'pack', 'product', 'sponsor'] as const
type Kind = (typeof KINDS)[number]
const TITLES = {
  rule: 'Rules',
  quest: 'Quests',
  reward: 'Rewards',
  pack: 'Packs',
  product: 'Products',
  sponsor: 'Sponsors',
} as const
/** What an occurrence is, as the head of a column. */
const TIMES = {
  rule: 'Grants',
  quest: 'Completions',
  reward: 'Claims',
  pack: 'Packs sold',
  product: 'Units sold',
  sponsor: 'Actions of fans',
} as const
/** Bars that fit on a screen: the table has all. */
const SHOWN = 8

type Result = Season['results'][number]

const moneyOf = (sums: Result['sums']) =>
  sums === null ? null : sums.map(({ amount, currency }) => formatMoney(amount, currency)).join(', ')

export function Results({ of, isMoneyHidden }: { of: Season['results']; isMoneyHidden: boolean }) {
  const [kind, setKind] = useChoice<Kind>('results', KINDS)
  const own = of.filter(result => result.kind === kind)
  const [first] = own
  const gives = kind === 'rule' || kind === 'quest' || kind === 'sponsor'
  const points = sumOf(own.map(result => result.points ?? 0))
  const meaning =
    first === undefined
      ? undefined
      : `${first.name} leads with ${formatCount(first.times)}: ${fansOf(first.fans)} in all, and ${percent(first.repeats, first.fans)} came back for more.${gives ? ` All ${TITLES[kind].toLowerCase()} together gave ${formatCount(points)} points.` : ''}`
  const sells = kind === 'pack' || kind === 'product' || kind === 'sponsor'
  return (
    <Section
      title="What came of it"
      about={meaning}
      actions={
        <Choice
          label="Of what"
          options={KINDS.map(value => ({ value, title: TITLES[value] }))}
          value={kind}
          onChange={setKind}
        />
      }
    >
      {own.length === 0 ? (
        <Empty
          title={
            kind === 'sponsor'
              ? 'Fans have done nothing with a sponsor yet'
              : `No ${TITLES[kind].toLowerCase()} were used yet`
          }
        />
      ) : (
        <ChartFrame
          label={`${TITLES[kind]} by ${TIMES[kind].toLowerCase()}`}
          columns={[
            ...['Name', TIMES[kind]],
            ...(gives ? ['Points given', 'Points each'] : []),
            ...(kind === 'reward' ? ['Redeemed'] : []),
            ...(sells && !isMoneyHidden ? ['Paid'] : []),
            ...['Fans, ever', 'Of them twice or more', 'Repeat'],
          ]}
          rows={own.map(({ name, times, points: given, redeemed, sums, fans, repeats }) => [
            ...[name, times],
            ...(gives ? [given, times === 0 ? null : Math.round((given ?? 0) / times)] : []),
            ...(kind === 'reward' ? [redeemed] : []),
            ...(sells && !isMoneyHidden ? [moneyOf(sums)] : []),
            ...[fans, repeats, percent(repeats, fans)],
          ])}
        >
          <Bars
            of={own.slice(0, SHOWN).map(result => ({
              id: result.id,
              name: result.name,
              value: result.times,
              note: `${formatCount(result.times)} · ${fansOf(result.fans)}`,
            }))}
          />
        </ChartFrame>
      )}
    </Section>
  )
}

/** Nobody plans by a pace for longer than a year. */
const leftFor = (days: number | null) => {
  if (days === null) return ''
  return days > 365 ? ' · over a year' : ` · ${formatCount(days)} ${days === 1 ? 'day' : 'days'} left`
}

const STOCK_KINDS = { reward: 'Reward', pack: 'Pack', product: 'Product' } as const

export function Stock({ of }: { of: Season['stock'] }) {
  const limited = of
    .filter(({ total }) => total !== null && total > 0)
    .toSorted((a, b) => (a.daysLeft ?? Infinity) - (b.daysLeft ?? Infinity))
  const soon = limited.filter(({ daysLeft, left }) => left !== 0 && daysLeft !== null && daysLeft <= 14)
  const out = limited.filter(({ left }) => left === 0)
  const slow = limited.filter(({ inPeriod, left }) => left !== 0 && inPeriod === 0)
  const meaning =
    limited.length === 0
      ? 'Nothing active has a limited stock.'
      : `Of ${limited.length} with a limited stock, ${out.length} are sold out, ${soon.length} last two weeks or less at this pace${soon[0] ? ` (first ${soon[0].name})` : ''}, and ${slow.length} did not sell in the period.`
  return (
    <Section title="Stock" about={meaning}>
      {of.length === 0 ? (
        <Empty title="Nothing active has a stock" />
      ) : (
        <ChartFrame
          label="Sold share of each limited stock"
          columns={['Name', 'Kind', 'Total', 'Left', 'Sold or claimed', 'In the period', 'Days left']}
          rows={of.map(one => [
            ...[one.name, STOCK_KINDS[one.kind], one.total, one.left, one.gone, one.inPeriod, one.daysLeft],
          ])}
        >
          <Bars
            most={1}
            of={limited.slice(0, 12).map(({ kind, id, name, total, gone, left, daysLeft }) => ({
              id: `${kind} ${id}`,
              name,
              value: gone / (total ?? 1),
              note: left === 0 ? 'Sold out' : `${percent(gone, total ?? 0)}${leftFor(daysLeft)}`,
            }))}
          />
        </ChartFrame>
      )}
    </Section>
  )
}
