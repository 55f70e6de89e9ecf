/** How a campaign of codes runs: its reach, what is left, and redemptions by day and by fan. It names no fan. */
import { api } from '../../api.ts'
import { ChartFrame } from '../../parts/chart-frame.tsx'
import { formatCount } from '../../parts/format.ts'
import { Figure, Figures, Section } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Empty, Loaded, Skeleton } from '../../parts/states.tsx'

export function CampaignReport({ id }: { id: string }) {
  const report = useResource(`campaign ${id}`, signal => api.readCampaignReport({ entryId: id }, { signal }))
  return (
    <Loaded of={report} skeleton={<Skeleton lines={6} />}>
      {({ redeemed, total, left, fans, times, generated, unused, voided, days }) => (
        <div class="stack">
          <Figures>
            <Figure name="Fans" value={formatCount(fans)} note="who have redeemed a code" />
            <Figure
              name="Redemptions"
              value={formatCount(redeemed)}
              note={total === null ? 'without a limit' : `of ${formatCount(total)}`}
            />
            {left !== null && <Figure name="Left" value={formatCount(left)} note="until the limit" />}
            {generated > 0 && (
              <Figure
                name="Unused codes"
                value={formatCount(unused)}
                note={`of ${formatCount(generated)}, ${formatCount(voided)} voided`}
              />
            )}
          </Figures>
          {days.length === 0 ? (
            <Empty title="Nobody has redeemed a code yet" />
          ) : (
            <>
              <Section title="By day">
                <ChartFrame
                  label="Redemptions by day"
                  columns={['Day', 'Redemptions', 'Fans']}
                  rows={days.map(({ day, redemptions, fans: own }) => [day, redemptions, own])}
                />
              </Section>
              <Section title="By fan">
                <ChartFrame
                  label="Fans by their redemptions"
                  columns={['Redemptions of a fan', 'Fans']}
                  rows={times.map(({ times: often, fans: own }) => [often, own])}
                />
              </Section>
            </>
          )}
        </div>
      )}
    </Loaded>
  )
}
