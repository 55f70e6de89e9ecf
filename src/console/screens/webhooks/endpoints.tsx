/** The endpoints with their state and backlog, and one endpoint with its actions. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Button, Copy } from '../../parts/button.tsx'
import { Dialog, ReasonDialog } from '../../parts/dialog.tsx'
import { formatCount } from '../../parts/format.ts'
import { Facts } from '../../parts/page.tsx'
import { SecretDialog, useSecret } from '../../parts/secret.tsx'
import { Empty, Note } from '../../parts/states.tsx'
import { DataTable } from '../../parts/table.tsx'
import { toast } from '../../parts/toast.tsx'
import { None, Time } from '../../parts/values.tsx'
import { may } from '../../session.ts'
import { EditDialog } from './edit.tsx'
import { typeInWords } from './event-types.tsx'
import { ReplayDialog } from './replay.tsx'
import { TestDialog } from './test.tsx'
import type { ActProps, EndpointData, WebhooksData } from './types.ts'

const STATES: Record<EndpointData['state'], [string, Tone]> = {
  active: ['Active', 'good'],
  paused: ['Asked to wait', 'warn'],
  disabled: ['Paused', 'neutral'],
}
const REASONS: Record<string, string> = {
  operator: 'Paused by staff.',
  gone: 'The receiver answered 410: it is gone.',
  failing: 'No attempt succeeded for five days.',
}

const stateOf = ({ state, failingSince, disabledReason }: EndpointData): [string, Tone] =>
  state === 'active' && failingSince !== null
    ? ['Failing', 'bad']
    : state === 'disabled' && disabledReason !== 'operator'
      ? ['Disabled', 'bad']
      : STATES[state]

const State = ({ of }: { of: EndpointData }) => {
  const [words, tone] = stateOf(of)
  return <Badge tone={tone}>{words}</Badge>
}

const COUNTED = 10_000
const Pending = ({ of: { pending } }: { of: EndpointData }) =>
  `${formatCount(pending)}${pending >= COUNTED ? ' or more' : ''}`

interface EndpointsProps {
  of: WebhooksData
  onChange: () => unknown
  onAdd: () => unknown
}

export function Endpoints({ of: { endpoints, types }, onChange, onAdd }: EndpointsProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const endpoint = endpoints.find(({ id }) => id === chosen)
  return (
    <>
      <DataTable
        label="Endpoints"
        rows={endpoints}
        rowKey={({ id }) => id}
        onOpen={({ id }) => setChosen(id)}
        selected={({ id }) => id === chosen}
        columns={[
          { id: 'url', title: 'URL', cell: ({ url }) => <bdi>{url}</bdi> },
          {
            id: 'types',
            title: 'Types',
            hide: 'middle',
            width: '26%',
            cell: ({ types }) => types.map(typeInWords).join(', '),
          },
          { id: 'state', title: 'State', width: '7.5rem', cell: one => <State of={one} /> },
          {
            id: 'pending',
            title: 'Waiting',
            width: '8rem',
            align: 'end',
            hide: 'narrow',
            cell: one => <Pending of={one} />,
          },
          {
            id: 'oldest',
            title: 'Oldest',
            width: '9rem',
            hide: 'narrow',
            cell: ({ oldestAt }) => (oldestAt === null ? <None /> : <Time at={oldestAt} relative />),
          },
        ]}
        empty={
          <Empty icon="webhooks" title="No other system receives events yet">
            <p>Add an endpoint to send events to a CRM, a mail tool or a data platform.</p>
            {may('webhooks.write') && <Button onClick={onAdd}>Add endpoint</Button>}
          </Empty>
        }
      />
      {endpoint && (
        <EndpointDrawer of={endpoint} types={types} onChange={onChange} onClose={() => setChosen(null)} />
      )}
    </>
  )
}

type Act = 'test' | 'types' | 'rotate' | 'disable' | 'enable' | 'replay' | 'remove'

interface DrawerProps {
  of: EndpointData
  types: string[]
  onChange: () => unknown
  onClose: () => unknown
}

function EndpointDrawer({ of: endpoint, types, onChange, onClose }: DrawerProps) {
  const [act, setAct] = useState<Act | null>(null)
  const blocked = !may('webhooks.write') && 'Your role cannot change endpoints.'
  const { disabledReason, failingSince } = endpoint
  const isDisabled = endpoint.state === 'disabled'
  const end = () => setAct(null)
  const button = (name: Act, words: string, icon: Parameters<typeof Button>[0]['icon'], kind?: 'danger') => (
    <Button small icon={icon} kind={kind ?? 'plain'} blocked={blocked} onClick={() => setAct(name)}>
      {words}
    </Button>
  )
  return (
    <>
      <Dialog title="Endpoint" kind="wide" onClose={onClose}>
        <div class="detail">
          {isDisabled && (
            <Note tone={disabledReason === 'operator' ? 'info' : 'bad'}>
              {REASONS[disabledReason ?? ''] ?? 'Nothing is sent.'} Events are kept for 30 days, and sent in
              order once it is enabled.
            </Note>
          )}
          {failingSince !== null && !isDisabled && (
            <Note tone="bad">
              Every attempt has failed since <Time at={failingSince} />. It is disabled after five days.
            </Note>
          )}
          <Facts of={factsOf(endpoint)} />
          <div class="actions">
            {button('test', 'Send a test', 'send')}
            {button('types', 'Change types', 'edit')}
            {button('replay', 'Replay', 'history')}
            {button('rotate', 'Rotate secret', 'keys')}
            {isDisabled ? button('enable', 'Enable', 'play') : button('disable', 'Pause', 'pause')}
            {button('remove', 'Remove', 'remove', 'danger')}
          </div>
        </div>
      </Dialog>
      {act === 'test' && <TestDialog of={endpoint} types={types} onClose={end} />}
      {act === 'types' && <EditDialog endpoint={endpoint} types={types} onDone={onChange} onClose={end} />}
      {act === 'replay' && <ReplayDialog of={endpoint} onDone={onChange} onClose={end} />}
      {act === 'rotate' && <RotateDialog of={endpoint} onDone={onChange} onClose={end} />}
      {(act === 'disable' || act === 'enable' || act === 'remove') && (
        <SwitchDialog
          of={endpoint}
          act={act}
          onDone={() => {
            if (act === 'remove') onClose()
            return onChange()
          }}
          onClose={end}
        />
      )}
    </>
  )
}

function factsOf(endpoint: EndpointData): [string, ComponentChildren][] {
  const { id, url, types, disabledAt, pausedUntil, oldestAt, createdAt, previousSecretEndsAt } = endpoint
  const times: [string, string | null][] = [
    ['Paused since', disabledAt],
    ['Waits until', pausedUntil],
    ['Earlier secret signs until', previousSecretEndsAt],
    ['Added', createdAt],
  ]
  return [
    ['URL', <Copy key="url" value={url} label="Copy the URL" />],
    ['Id', <Copy key="id" value={id} label="Copy the id" />],
    ['State', <State key="state" of={endpoint} />],
    ['Events', types.map(typeInWords).join(', ')],
    ['Waiting', <Pending key="pending" of={endpoint} />],
    ['Oldest', oldestAt ? <Time key="oldest" at={oldestAt} relative /> : <None key="oldest" />],
    ...times.flatMap(([name, at]): [string, ComponentChildren][] =>
      at === null ? [] : [[name, <Time key={name} at={at} />]],
    ),
  ]
}

const SWITCHES = {
  disable: {
    title: 'Pause the endpoint',
    action: 'Pause',
    about: 'Nothing is sent to it. Events are kept for 30 days, and sent in order once it is enabled.',
    done: 'The endpoint is paused.',
    call: api.disableWebhookEndpoint,
  },
  enable: {
    title: 'Enable the endpoint',
    action: 'Enable',
    about: 'Pending events are sent at once, in order for each fan, and then new events.',
    done: 'The endpoint is enabled.',
    call: api.enableWebhookEndpoint,
  },
  remove: {
    title: 'Remove the endpoint',
    action: 'Remove it',
    about:
      'The endpoint and all of its deliveries are deleted, including pending ones. This cannot be undone.',
    done: 'The endpoint was removed.',
    call: api.removeWebhookEndpoint,
  },
} as const

const SwitchDialog = ({ of: { id }, act, onDone, onClose }: ActProps & { act: keyof typeof SWITCHES }) => {
  const { title, action, about, done, call } = SWITCHES[act]
  return (
    <ReasonDialog
      title={title}
      action={action}
      tone={act === 'remove' ? 'danger' : 'primary'}
      onConfirm={async reason => {
        await call({ endpointId: id, reason })
        toast(
          done,
          act === 'disable'
            ? async () => {
                await api.enableWebhookEndpoint({ endpointId: id, reason: 'Paused by mistake.' })
                await onDone()
                return SWITCHES.enable.done
              }
            : undefined,
        )
        onDone()
      }}
      onClose={onClose}
    >
      <p>{about}</p>
    </ReasonDialog>
  )
}

function RotateDialog({ of: { id }, onDone, onClose }: ActProps) {
  const { secret, show, close } = useSecret(onClose)
  if (secret !== null)
    return <SecretDialog title="The new secret" what="the new secret" value={secret} onClose={onClose} />
  return (
    <ReasonDialog
      title="Rotate the secret"
      action="Rotate"
      onConfirm={async reason => {
        show((await api.rotateWebhookSecret({ endpointId: id, reason })).secret)
        onDone()
      }}
      onClose={close}
    >
      <p>
        A new secret signs from now on. The old secret also signs for 24 hours, so that you can change the
        receiver.
      </p>
    </ReasonDialog>
  )
}
