/** The overview: current figures, waiting work, and figures by day. */
import { api } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { formatCompact, formatCount } from '../../parts/format.ts'
import { Columns, Figure, Figures, Page } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Loaded, Skeleton } from '../../parts/states.tsx'
import { Choice } from '../../parts/tabs.tsx'
import { useChoice } from '../../router.tsx'
import { DayCharts, type Overview } from './charts.tsx'
import { type Connection, type LiveFigures, useLiveFigures } from './live.ts'
import { Waiting } from './waiting.tsx'

const PERIODS = ['30', '7', '90'] as const
const OPTIONS = [
  { value: '7', title: '7 days' },
  { value: '30', title: '30 days' },
  { value: '90', title: '90 days' },
] as const

export function Screen() {
  const [days, setDays] = useChoice<(typeof PERIODS)[number]>('days', PERIODS)
  const overview = useResource(`overview ${days}`, signal => api.readOverview({ days }, { signal }))
  const { figures, connection } = useLiveFigures()
  return (
    <Page
      title="Overview"
      head={
        <>
          Overview <LiveBadge connection={connection} />
        </>
      }
      actions={<Choice label="Period" options={OPTIONS} value={days} onChange={setDays} />}
    >
      <Loaded of={overview} skeleton={<Bones />}>
        {({ live, days: counted, before }) => {
          const now = figures ?? live
          const { day, ...today } = now.today
          const shown = counted.map(one => (one.day === day ? { day, figures: today } : one))
          return (
            <>
              <Today now={now} yesterday={counted.at(-2)?.figures ?? null} />
              <Waiting of={now} />
              <DayCharts days={shown} before={before} today={day} />
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

const Bones = () => (
  <>
    <Skeleton kind="tiles" lines={5} />
    <Skeleton kind="tiles" lines={5} />
    <Columns>
      <Skeleton kind="chart" />
      <Skeleton kind="chart" />
    </Columns>
  </>
)

/** Screen readers announce it only when it changes. */
const LiveBadge = ({ connection }: { connection: Connection }) => (
  <span role="status">
    {connection === 'live' && <Badge tone="good">Live</Badge>}
    {connection === 'lost' && <Badge tone="warn">Reconnecting</Badge>}
  </span>
)

type Day = NonNullable<Overview['days'][number]['figures']>

function Today({ now: { fans, today }, yesterday }: { now: LiveFigures; yesterday: Day | null }) {
  const note = (name: keyof Day) =>
    yesterday === null ? undefined : `${formatCompact(yesterday[name])} yesterday`
  return (
    <section aria-labelledby="today">
      <h2 id="today" class="group-title">
        Today <span class="quiet">UTC</span>
      </h2>
      <Figures>
        <Figure name="Fans" value={formatCount(fans)} note={`${formatCount(today.newFans)} new today`} />
        <Figure name="Active fans" value={formatCount(today.activeFans)} note={note('activeFans')} />
        <Figure name="Onboardings" value={formatCount(today.onboardings)} note={note('onboardings')} />
        <Figure name="Points granted" value={formatCount(today.pointsGranted)} note={note('pointsGranted')} />
        <Figure name="Points spent" value={formatCount(today.pointsSpent)} note={note('pointsSpent')} />
        <Figure name="Claims" value={formatCount(today.claims)} note={note('claims')} />
        <Figure name="Orders paid" value={formatCount(today.orders)} note={note('orders')} />
      </Figures>
    </section>
  )
}
