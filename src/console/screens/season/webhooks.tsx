/** Whether other systems get what they asked for. */
import { Chart } from '../../parts/chart.tsx'
import { ChartFrame } from '../../parts/chart-frame.tsx'
import { formatRelative } from '../../parts/format.ts'
import { Section } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import type { Season } from './words.ts'

type Endpoint = NonNullable<Season['webhooks']>[number]

/** The colours of a chart. */
const SHOWN = 4

const stateOf = ({ disabledAt, failed, pending }: Endpoint) =>
  disabledAt !== null ? 'Disabled' : failed > 0 ? 'Failing' : pending > 0 ? 'Delivering' : 'Healthy'

export function Webhooks({ of, days }: { of: Endpoint[]; days: string[] }) {
  const ill = of.filter(one => one.disabledAt !== null || one.failed > 0)
  const meaning =
    ill.length === 0
      ? `${of.length === 1 ? 'The endpoint gets' : `All ${of.length} endpoints get`} what they asked for.`
      : `${ill.length} of ${of.length} need attention: ${ill.map(one => one.host).join(', ')}.`
  return (
    <Section title="Webhooks" about={of.length === 0 ? undefined : meaning}>
      {of.length === 0 ? (
        <Empty icon="webhooks" title="No system has subscribed to events" />
      ) : (
        <>
          <Chart
            label="Events for webhooks a day"
            kind="bars"
            days={days}
            series={of.slice(0, SHOWN).map(({ host, days: values }) => ({ name: host, values }))}
          />
          <ChartFrame
            label="Health of webhooks"
            columns={['Endpoint', 'State', 'Waiting', 'Oldest', 'Given up in 30 days']}
            rows={of.map(one => [
              ...[one.host, stateOf(one), one.pending],
              ...[one.since === null ? null : formatRelative(one.since, Date.now()), one.failed],
            ])}
          />
        </>
      )}
    </Section>
  )
}
