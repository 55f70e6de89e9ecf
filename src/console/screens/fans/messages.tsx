/** The messages of a fan, and why devices or the fan got none. */
import { api, type Data } from '../../api.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Section } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Empty, Loaded, Note } from '../../parts/states.tsx'
import { DataTable } from '../../parts/table.tsx'
import { None, Time } from '../../parts/values.tsx'

type Messages = Data<'explainFanMessages'>
type Message = Messages['messages'][number]

const STATES: Record<Message['pushes'][number]['state'], [string, Tone]> = {
  pending: ['Waits', 'info'],
  sent: ['Sent', 'good'],
  skipped: ['Not sent', 'neutral'],
  failed: ['Failed', 'bad'],
}

export function MessagesTab({ fanId }: { fanId: string }) {
  const found = useResource(`fan ${fanId} messages`, signal => api.explainFanMessages({ fanId }, { signal }))
  return (
    <Loaded of={found}>
      {({ now, messages, campaigns }) => (
        <>
          {now.map(words => (
            <Note key={words} tone="warn">
              {words}
            </Note>
          ))}
          <Section title="Messages">
            <DataTable
              label="Messages"
              rows={messages}
              rowKey={({ id }) => id}
              columns={[
                {
                  id: 'message',
                  title: 'Message',
                  cell: ({ title, notificationId }) => <bdi>{title ?? notificationId}</bdi>,
                },
                { id: 'inbox', title: 'Inbox', width: '7rem', hide: 'narrow', under: true, cell: inboxOf },
                { id: 'devices', title: 'Devices', hide: 'narrow', under: true, cell: devicesOf },
                {
                  id: 'at',
                  title: 'When',
                  width: '11rem',
                  hide: 'narrow',
                  under: true,
                  cell: ({ createdAt }) => <Time at={createdAt} />,
                },
              ]}
              empty={<Empty icon="send" title="The fan has no messages" />}
            />
          </Section>
          <Section title="Message campaigns">
            <DataTable
              label="Message campaigns"
              rows={campaigns}
              rowKey={({ id }) => id}
              columns={[
                { id: 'id', title: 'Campaign', width: '14rem', cell: ({ id }) => <bdi>{id}</bdi> },
                { id: 'why', title: 'Why', hide: 'narrow', under: true, cell: ({ words }) => words },
              ]}
              empty={<Empty icon="send" title="No campaign was started in the last 90 days" />}
            />
          </Section>
        </>
      )}
    </Loaded>
  )
}

const inboxOf = ({ inbox, readAt }: Message) =>
  inbox === 'off' ? 'Switched off' : inbox === 'deleted' ? 'Deleted' : readAt === null ? 'Not read' : 'Read'

const devicesOf = ({ pushes }: Message) =>
  pushes.length === 0 ? (
    <None why="No device, or the inbox only" />
  ) : (
    <ul class="plain-list">
      {pushes.map(({ service, state, words }) => (
        <li key={`${service} ${words}`}>
          <Badge tone={STATES[state][1]}>{STATES[state][0]}</Badge> {words}
        </li>
      ))}
    </ul>
  )
