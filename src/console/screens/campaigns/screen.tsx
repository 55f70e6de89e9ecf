/** Campaigns of messages: which there are, and how far each is. Their texts are written in the catalogue. */
import { api } from '../../api.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { formatCount } from '../../parts/format.ts'
import { Page } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { DataTable } from '../../parts/table.tsx'
import { None } from '../../parts/values.tsx'
import { addressOf, route } from '../../router.tsx'
import { may } from '../../session.ts'
import { CampaignScreen } from './campaign.tsx'
import { DueTime, StateBadge } from './words.tsx'

export function Screen() {
  const [, campaignId] = route.value
  return campaignId === undefined ? (
    <Campaigns />
  ) : (
    <CampaignScreen key={campaignId} campaignId={campaignId} />
  )
}

function Campaigns() {
  const found = useResource('campaigns', signal => api.listCampaigns({}, { signal }), { pollMs: 10_000 })
  const blocked = !may('catalogue.write') && 'Your role cannot write message campaigns.'
  return (
    <Page
      title="Message campaigns"
      about="Messages to all fans of a segment, at one time."
      actions={
        !blocked && (
          <ButtonLink kind="primary" icon="add" to={addressOf('catalogue', 'notification', 'new')}>
            New message campaign
          </ButtonLink>
        )
      }
    >
      <Loaded of={found}>
        {({ campaigns }) => (
          <DataTable
            label="Message campaigns"
            rows={campaigns}
            rowKey={({ id }) => id}
            href={({ id }) => addressOf('campaigns', id)}
            columns={[
              { id: 'title', title: 'Message', cell: ({ title }) => <bdi>{title}</bdi> },
              { id: 'state', title: 'State', width: '7rem', cell: one => <StateBadge of={one} /> },
              {
                id: 'at',
                title: 'Time',
                width: '14rem',
                hide: 'narrow',
                cell: one => <DueTime of={one} />,
              },
              {
                id: 'segment',
                title: 'Segment',
                hide: 'middle',
                under: true,
                cell: ({ segment }) => segment ?? <None why="All fans" />,
              },
              {
                id: 'sent',
                title: 'Fans who got it',
                width: '9rem',
                hide: 'narrow',
                under: true,
                cell: ({ fans, sent }) =>
                  fans === null ? <None why="None yet" /> : `${formatCount(sent)} of ${formatCount(fans)}`,
              },
            ]}
            empty={
              <Empty icon="send" title="There is no message campaign">
                <p>
                  In the catalogue, write a notification with a time of its own. Here you preview, start and
                  stop it.
                </p>
              </Empty>
            }
          />
        )}
      </Loaded>
    </Page>
  )
}
