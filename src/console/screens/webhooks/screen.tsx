/** Webhooks: the endpoints that receive events, and their deliveries. */
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { formatCount } from '../../parts/format.ts'
import { Page } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Loaded, Note } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Time } from '../../parts/values.tsx'
import { useChoice } from '../../router.tsx'
import { may } from '../../session.ts'
import { Deliveries } from './deliveries.tsx'
import { EditDialog } from './edit.tsx'
import { Endpoints } from './endpoints.tsx'

const TABS = ['endpoints', 'deliveries'] as const
const POLL_MS = 3_000

export function Screen() {
  const [tab, setTab] = useChoice('tab', TABS)
  const [isAdding, setAdding] = useState(false)
  const webhooks = useResource('webhooks', signal => api.listWebhooks({}, { signal }), {
    pollMs: POLL_MS,
  })
  const blocked = !may('webhooks.write') && 'Your role cannot change endpoints.'
  return (
    <Page
      title="Webhooks"
      about="Other systems of the club receive events here, signed and in order."
      actions={
        <Button kind="primary" icon="add" blocked={blocked} onClick={() => setAdding(true)}>
          Add endpoint
        </Button>
      }
    >
      <Loaded of={webhooks}>
        {data => (
          <>
            {data.awaiting.oldestAt !== null && data.awaiting.pending >= AWAITING_SHOWN && (
              <Note>
                {formatCount(data.awaiting.pending)} events are on their way to the endpoints, the oldest from{' '}
                <Time at={data.awaiting.oldestAt} relative />.
              </Note>
            )}
            <Tabs
              label="Webhooks"
              current={tab}
              onChange={setTab}
              tabs={[
                { id: 'endpoints', title: 'Endpoints', count: data.endpoints.length },
                { id: 'deliveries', title: 'Deliveries' },
              ]}
            >
              {tab === 'endpoints' ? (
                <Endpoints of={data} onChange={webhooks.reload} onAdd={() => setAdding(true)} />
              ) : (
                <Deliveries of={data} />
              )}
            </Tabs>
            {isAdding && (
              <EditDialog types={data.types} onDone={webhooks.reload} onClose={() => setAdding(false)} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** The number is shown from here on: fewer events are distributed within a second. */
const AWAITING_SHOWN = 100
