/** Sent and waiting deliveries, and one delivery with its attempts. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Button, Copy } from '../../parts/button.tsx'
import { Dialog, ReasonDialog } from '../../parts/dialog.tsx'
import { Facts, Toolbar } from '../../parts/page.tsx'
import { Payload } from '../../parts/payload.tsx'
import { usePages, useResource } from '../../parts/resource.ts'
import { SavedViews } from '../../parts/saved-views.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { DataTable } from '../../parts/table.tsx'
import { Choice } from '../../parts/tabs.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { toast } from '../../parts/toast.tsx'
import { None, Time } from '../../parts/values.tsx'
import { useChoice, useParameter } from '../../router.tsx'
import { may } from '../../session.ts'
import { typeInWords } from './event-types.tsx'
import type { WebhooksData } from './types.ts'

type ListedDelivery = Data<'listWebhookDeliveries'>['deliveries'][number]
type Attempt = NonNullable<ListedDelivery['last']>

const STATES = ['all', 'pending', 'failed', 'delivered'] as const
const TITLES = { all: 'All', pending: 'Waiting', failed: 'Failed', delivered: 'Delivered' }
const TONES: Record<ListedDelivery['state'], Tone> = { pending: 'warn', failed: 'bad', delivered: 'good' }

const keyOf = ({ endpointId, lane, sequence }: ListedDelivery) => `${endpointId} ${lane} ${sequence}`
const hostOf = (url: string | undefined) => (url === undefined ? 'removed' : (URL.parse(url)?.host ?? url))

export function Deliveries({ of: { endpoints, types } }: { of: WebhooksData }) {
  const [state, setState] = useChoice('state', STATES)
  const [type, setType] = useParameter('type')
  const [endpointId, setEndpointId] = useParameter('endpoint')
  const [chosen, setChosen] = useState<ListedDelivery | null>(null)
  const query = {
    endpointId: endpointId || undefined,
    type: type.trim() || undefined,
    state: state === 'all' ? undefined : state,
  }
  const pages = usePages(`deliveries ${JSON.stringify(query)}`, async (cursor, signal) => {
    const page = await api.listWebhookDeliveries({ ...query, cursor }, { signal })
    return { items: page.deliveries, nextCursor: page.nextCursor }
  })
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]))
  const isFiltered = state !== 'all' || type !== '' || endpointId !== ''
  return (
    <>
      <Toolbar>
        <Choice
          label="State"
          value={state}
          onChange={setState}
          options={STATES.map(value => ({ value, title: TITLES[value] }))}
        />
        <select
          class="control"
          aria-label="Event"
          value={type}
          onChange={event => setType(event.currentTarget.value)}
        >
          <option value="">All events</option>
          {[...new Set([...types, ...(type === '' ? [] : [type])])].map(value => (
            <option key={value} value={value}>
              {typeInWords(value)}
            </option>
          ))}
        </select>
        {endpoints.length > 1 && (
          <select
            aria-label="Endpoint"
            value={endpointId}
            onChange={event => setEndpointId(event.currentTarget.value)}
          >
            <option value="">All endpoints</option>
            {endpoints.map(({ id, url }) => (
              <option key={id} value={id}>
                {hostOf(url)}
              </option>
            ))}
          </select>
        )}
        <Button icon="retry" busy={pages.isLoading} onClick={pages.reload}>
          Refresh
        </Button>
        <SavedViews area="deliveries" />
      </Toolbar>
      <DataTable
        label="Deliveries"
        pages={pages}
        rowKey={keyOf}
        onOpen={setChosen}
        selected={row => chosen !== null && keyOf(row) === keyOf(chosen)}
        columns={[
          { id: 'type', title: 'Type', cell: row => <bdi title={row.type}>{typeInWords(row.type)}</bdi> },
          {
            id: 'time',
            title: 'Recorded',
            width: '11rem',
            hide: 'narrow',
            under: true,
            cell: row => <Time at={row.createdAt} />,
          },
          {
            id: 'to',
            title: 'To',
            hide: 'middle',
            under: true,
            cell: row => <bdi>{hostOf(urls.get(row.endpointId))}</bdi>,
          },
          {
            id: 'state',
            title: 'State',
            width: '7.5rem',
            cell: row => <Badge tone={TONES[row.state]}>{TITLES[row.state]}</Badge>,
          },
          {
            id: 'last',
            title: 'Last response',
            hide: 'narrow',
            cell: row => (row.last === null ? <None why="Not attempted" /> : <bdi>{wordsOf(row.last)}</bdi>),
          },
          {
            id: 'attempts',
            title: 'Attempts',
            width: '6rem',
            align: 'end',
            hide: 'middle',
            cell: row => row.attempts,
          },
        ]}
        empty={
          <Empty icon="send" title={isFiltered ? 'No deliveries match' : 'No deliveries yet'}>
            <p>
              {isFiltered
                ? 'Change the filters above.'
                : 'Deliveries are kept for 30 days after their event.'}
            </p>
          </Empty>
        }
      />
      {chosen && (
        <DeliveryDrawer
          of={chosen}
          url={urls.get(chosen.endpointId)}
          onChange={pages.reload}
          onClose={() => setChosen(null)}
        />
      )}
    </>
  )
}

/** The status, or why there was none. */
const wordsOf = ({ status, response }: Attempt) =>
  [status === null ? '' : String(status), response].filter(part => part !== '').join(' ')

interface DrawerProps {
  of: ListedDelivery
  url: string | undefined
  onChange: () => unknown
  onClose: () => unknown
}

function DeliveryDrawer({ of: row, url, onChange, onClose }: DrawerProps) {
  const [isResending, setResending] = useState(false)
  const { endpointId, lane, sequence } = row
  const place = { endpointId, lane, sequence: String(sequence) }
  const found = useResource(`delivery ${keyOf(row)}`, signal => api.readWebhookDelivery(place, { signal }), {
    pollMs: 2_000,
  })
  const isMatch = row.lane.startsWith('match:')
  return (
    <>
      <Dialog title="Delivery" kind="wide" onClose={onClose}>
        <div class="detail">
          <Loaded of={found}>
            {delivery => (
              <>
                <Facts
                  of={[
                    [
                      'State',
                      <Badge key="state" tone={TONES[delivery.state]}>
                        {TITLES[delivery.state]}
                      </Badge>,
                    ],
                    ['Type', delivery.type],
                    ['To', <bdi key="to">{url ?? 'a removed endpoint'}</bdi>],
                    [isMatch ? 'Match' : 'Fan', <Copy key="lane" value={row.lane.replace(/^match:/, '')} />],
                    ['Sequence number', String(delivery.sequence)],
                    [
                      'Message id',
                      <Copy key="message" value={delivery.messageId} label="Copy the message id" />,
                    ],
                    ['Recorded', <Time key="recorded" at={delivery.createdAt} />],
                    [
                      'Next attempt',
                      delivery.nextAttemptAt === null ? (
                        <None key="next" />
                      ) : (
                        <Time key="next" at={delivery.nextAttemptAt} />
                      ),
                    ],
                  ]}
                />
                <div class="actions">
                  <Button
                    small
                    icon="send"
                    blocked={!may('webhooks.write') && 'Your role cannot send deliveries again.'}
                    onClick={() => setResending(true)}
                  >
                    {delivery.state === 'pending' ? 'Send now' : 'Send again'}
                  </Button>
                </div>
                <section>
                  <h3>Attempts</h3>
                  {delivery.history.length === 0 ? (
                    <p class="quiet">None yet.</p>
                  ) : (
                    <Timeline entries={delivery.history.toReversed().map(entryOf)} />
                  )}
                </section>
                <section>
                  <h3>Message</h3>
                  <Payload label="Message" text={prettyOf(delivery.body)} />
                </section>
              </>
            )}
          </Loaded>
        </div>
      </Dialog>
      {isResending && (
        <ReasonDialog
          title={row.state === 'pending' ? 'Send now' : 'Send again'}
          action="Send"
          onConfirm={async reason => {
            await api.resendWebhookDelivery({ ...place, reason })
            toast('The delivery will be sent now.')
            await found.reload()
            onChange()
          }}
          onClose={() => setResending(false)}
        >
          <p>
            It is sent now, with the same message id. Earlier pending deliveries of this{' '}
            {isMatch ? 'match' : 'fan'} are sent first, and later ones wait for it.
          </p>
        </ReasonDialog>
      )}
    </>
  )
}

const entryOf = (attempt: Attempt, index: number) => {
  const isDelivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300
  return {
    id: `${attempt.attemptedAt} ${index}`,
    at: attempt.attemptedAt,
    icon: isDelivered ? ('check' as const) : ('alert' as const),
    tone: isDelivered ? ('good' as const) : ('bad' as const),
    title: attempt.status === null ? 'No response' : `Status ${attempt.status}`,
    detail: attempt.response === '' ? undefined : <bdi>{attempt.response}</bdi>,
  }
}

/** Returns text that is not JSON unchanged. */
function prettyOf(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
