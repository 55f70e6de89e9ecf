/** Actions that wait for a second person, and what was decided. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog, ReasonDialog } from '../../parts/dialog.tsx'
import { Facts, Page } from '../../parts/page.tsx'
import { useAction, usePages } from '../../parts/resource.ts'
import { SecretDialog } from '../../parts/secret.tsx'
import { Empty, Failed } from '../../parts/states.tsx'
import { type Column, DataTable } from '../../parts/table.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { toast } from '../../parts/toast.tsx'
import { None, Time } from '../../parts/values.tsx'
import { useChoice } from '../../router.tsx'
import { session } from '../../session.ts'
import { SubjectName, wordsOf } from '../audit/subject.tsx'
import { LinkDialog } from '../staff/invitation.tsx'

type Kept = Data<'listApprovals'>['approvals'][number]

const STATES = ['pending', 'decided', 'expired'] as const
const TONES: Record<Kept['state'], [title: string, tone: Tone]> = {
  pending: ['Waiting', 'warn'],
  confirmed: ['Confirmed', 'good'],
  refused: ['Refused', 'bad'],
  expired: ['Expired', 'neutral'],
}

const COLUMNS: Column<Kept>[] = [
  { id: 'operation', title: 'Action', cell: ({ operation }) => wordsOf(operation) },
  {
    id: 'subject',
    title: 'Of what',
    hide: 'narrow',
    under: true,
    cell: ({ subject }) => <SubjectName of={subject} link={false} />,
  },
  {
    id: 'reason',
    title: 'Why',
    hide: 'middle',
    cell: ({ reason }) => (reason === null ? <None /> : <bdi>{reason}</bdi>),
  },
  { id: 'by', title: 'Asked by', under: true, cell: ({ requestedBy }) => <bdi>{requestedBy.name}</bdi> },
  {
    id: 'at',
    title: 'When',
    hide: 'middle',
    under: true,
    cell: ({ requestedAt }) => <Time at={requestedAt} relative />,
  },
  {
    id: 'state',
    title: 'State',
    width: '8rem',
    cell: ({ state }) => <Badge tone={TONES[state][1]}>{TONES[state][0]}</Badge>,
  },
]

export function Screen() {
  const [state, setState] = useChoice('state', STATES)
  const [shown, setShown] = useState<Kept | null>(null)
  const pages = usePages<Kept>(`approvals ${state}`, async (cursor, signal) => {
    const page = await api.listApprovals({ state, cursor }, { signal })
    return { items: page.approvals, nextCursor: page.nextCursor }
  })
  const close = async () => {
    setShown(null)
    await pages.reload()
  }
  return (
    <Page title="Approvals" about="Actions that need the confirmation of a second person.">
      <Tabs
        label="Approvals"
        tabs={[
          { id: 'pending', title: 'Waiting' },
          { id: 'decided', title: 'Decided' },
          { id: 'expired', title: 'Expired' },
        ]}
        current={state}
        onChange={setState}
      >
        <DataTable
          label="Approvals"
          columns={COLUMNS}
          rowKey={({ id }) => id}
          pages={pages}
          onOpen={setShown}
          empty={
            <Empty
              icon="check"
              title={state === 'pending' ? 'Nothing is waiting for you' : 'Nothing here yet'}
            />
          }
        />
      </Tabs>
      {shown && <ApprovalDialog of={shown} onClose={close} />}
    </Page>
  )
}

function ApprovalDialog({ of: kept, onClose }: { of: Kept; onClose: () => unknown }) {
  const [isRefusing, setRefusing] = useState(false)
  const [key, setKey] = useState<string | null>(null)
  const [link, setLink] = useState<{ secret: string; expiresAt: string } | null>(null)
  const isOwn = kept.requestedBy.id === session.value?.staff.id
  const confirm = useAction(async () => {
    const { result } = await api.confirmApproval({ approvalId: kept.id })
    // A created server key, or the link of an invited person. The person who confirms must hand it over, since nothing else
    // shows it.
    const { key, secret, expiresAt } = Object(result)
    if (typeof key === 'string') return setKey(key)
    if (typeof secret === 'string' && typeof expiresAt === 'string') return setLink({ secret, expiresAt })
    toast(`${wordsOf(kept.operation)}: done.`)
    onClose()
  })
  if (key !== null)
    return <SecretDialog title={wordsOf(kept.operation)} what="the key" value={key} onClose={onClose} />
  if (link !== null) return <LinkDialog of={link} name={String(kept.input?.name)} onClose={onClose} />
  if (isRefusing)
    return (
      <ReasonDialog
        title={isOwn ? 'Withdraw the request?' : 'Refuse the request?'}
        action={isOwn ? 'Withdraw' : 'Refuse'}
        tone="danger"
        onConfirm={async reason => {
          await api.refuseApproval({ approvalId: kept.id, reason })
          toast(isOwn ? 'The request was withdrawn.' : 'The request was refused.')
        }}
        onClose={onClose}
      />
    )
  return (
    <Dialog title={wordsOf(kept.operation)} kind="wide" busy={confirm.isBusy} onClose={onClose}>
      <div class="dialog-text">
        <Facts
          of={[
            ['Of what', <SubjectName key="what" of={kept.subject} />],
            ...Object.entries(kept.input ?? {}).map(([name, value]): [string, ComponentChildren] => [
              wordsOf(name),
              <bdi key={name}>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>,
            ]),
            ['Why', <bdi key="why">{kept.reason ?? '–'}</bdi>],
            ['Asked by', <bdi key="by">{`${kept.requestedBy.name}, ${kept.requestedBy.role}`}</bdi>],
            ['Asked', <Time key="at" at={kept.requestedAt} />],
            kept.state === 'pending'
              ? ['Expires', <Time key="until" at={kept.expiresAt} relative />]
              : ['Decided by', kept.decidedBy ? <bdi key="d">{kept.decidedBy.name}</bdi> : <None key="d" />],
          ]}
        />
        {confirm.error !== null && <Failed error={confirm.error} />}
      </div>
      {kept.state === 'pending' && (
        <div class="form-foot">
          <Button onClick={() => setRefusing(true)}>{isOwn ? 'Withdraw' : 'Refuse'}</Button>
          <Button
            kind="primary"
            busy={confirm.isBusy}
            blocked={
              !kept.mayConfirm &&
              (isOwn
                ? 'Another person must confirm your request.'
                : 'You can confirm only requests of people who sign in the same way as you, with a link or with the provider, and only if neither of you got the link of the other.')
            }
            onClick={() => confirm.run()}
          >
            Confirm
          </Button>
        </div>
      )}
    </Dialog>
  )
}
