/** The memberships of a fan: written and ended with a reason, and what has happened to them. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/form.tsx'
import { Section } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { TimeField } from '../../parts/special-fields.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { DataTable } from '../../parts/table.tsx'
import { toast } from '../../parts/toast.tsx'
import { None, Time } from '../../parts/values.tsx'
import { may } from '../../session.ts'
import { FanTimeline } from './timeline.tsx'

type Listed = Data<'listFanMemberships'>
type Membership = Listed['memberships'][number]

const STATES: Record<Membership['state'], [string, Tone]> = {
  upcoming: ['Upcoming', 'info'],
  active: ['Active', 'good'],
  ended: ['Ended', 'neutral'],
}

export function MembershipsTab({ fanId, isClosed }: { fanId: string; isClosed: boolean }) {
  const list = useResource(`fan ${fanId} memberships`, signal =>
    api.listFanMemberships({ fanId }, { signal }),
  )
  const [changes, setChanges] = useState(0)
  const [writing, setWriting] = useState<Membership | 'new' | null>(null)
  const [ending, setEnding] = useState<Membership | null>(null)
  const done = () => {
    setChanges(count => count + 1)
    return list.reload()
  }
  const mayWrite = may('fans.write') && !isClosed
  return (
    <Loaded of={list}>
      {({ memberships, kinds }) => (
        <>
          {mayWrite && (
            <div class="toolbar">
              <Button
                icon="add"
                blocked={kinds.length === 0 && 'The catalogue has no kind of membership.'}
                onClick={() => setWriting('new')}
              >
                Add membership
              </Button>
            </div>
          )}
          <DataTable
            label="Memberships"
            rows={memberships}
            rowKey={({ ref }) => ref}
            columns={[
              { id: 'name', title: 'Membership', cell: ({ name }) => <bdi title={name}>{name}</bdi> },
              {
                id: 'state',
                title: 'State',
                width: '6.5rem',
                under: true,
                cell: ({ state }) => <Badge tone={STATES[state][1]}>{STATES[state][0]}</Badge>,
              },
              {
                id: 'number',
                title: 'Number',
                width: '8rem',
                hide: 'narrow',
                cell: ({ number }) => (number === null ? <None /> : <bdi>{number}</bdi>),
              },
              {
                id: 'holder',
                title: 'Holder',
                hide: 'middle',
                cell: ({ holder }) => (holder === null ? <None /> : <bdi>{holder}</bdi>),
              },
              {
                id: 'starts',
                title: 'From',
                width: '10rem',
                hide: 'middle',
                cell: ({ startsAt }) => <Time at={startsAt} />,
              },
              {
                id: 'ends',
                title: 'Until',
                width: '10rem',
                hide: 'narrow',
                under: true,
                cell: ({ endsAt }) => <Time at={endsAt} />,
              },
              {
                id: 'since',
                title: 'Since',
                width: '10rem',
                hide: 'middle',
                cell: ({ since }) => <Time at={since} />,
              },
              ...(mayWrite
                ? [
                    {
                      id: 'actions',
                      title: 'Actions',
                      width: '11rem',
                      cell: (one: Membership) => (
                        <>
                          <Button small onClick={() => setWriting(one)}>
                            Change
                          </Button>{' '}
                          {one.state !== 'ended' && (
                            <Button small kind="danger" onClick={() => setEnding(one)}>
                              End
                            </Button>
                          )}
                        </>
                      ),
                    },
                  ]
                : []),
            ]}
            empty={
              <Empty icon="card" title="The fan has no memberships">
                The ticket office writes them, or imports its file on the page Jobs.
              </Empty>
            }
          />
          <Section title="History">
            <FanTimeline key={changes} fanId={fanId} only="memberships" />
          </Section>
          {writing !== null && (
            <WriteMembership
              fanId={fanId}
              kinds={kinds}
              of={writing === 'new' ? null : writing}
              onDone={done}
              onClose={() => setWriting(null)}
            />
          )}
          {ending !== null && (
            <ReasonDialog
              title={`End ${ending.name}`}
              action="End the membership"
              tone="danger"
              onConfirm={async reason => {
                await api.endMembershipOfFan({ fanId, ref: ending.ref, reason })
                toast('The membership has ended.')
                await done()
              }}
              onClose={() => setEnding(null)}
            >
              <p>
                It ends now. A later membership of this kind then has a new start. To take it back, change the
                membership and write its former end.
              </p>
            </ReasonDialog>
          )}
        </>
      )}
    </Loaded>
  )
}

interface WriteProps {
  fanId: string
  kinds: Listed['kinds']
  /** Null: a new one. */
  of: Membership | null
  onDone: () => unknown
  onClose: () => unknown
}

function WriteMembership({ fanId, kinds, of, onDone, onClose }: WriteProps) {
  const [kindId, setKind] = useState(of?.kindId ?? kinds[0]?.id ?? '')
  const [ref, setRef] = useState(of?.ref ?? '')
  const [number, setNumber] = useState(of?.number ?? '')
  const [holder, setHolder] = useState(of?.holder ?? '')
  const [startsAt, setStartsAt] = useState<string | null>(of?.startsAt ?? null)
  const [endsAt, setEndsAt] = useState<string | null>(of?.endsAt ?? null)
  const isListed = kinds.some(({ id }) => id === kindId)
  const options = [
    ...kinds.map(({ id, name }) => ({ value: id, title: name })),
    ...(of && !isListed ? [{ value: of.kindId, title: of.name }] : []),
  ]
  return (
    <ReasonDialog
      title={of ? `Change ${of.name}` : 'Add membership'}
      action={of ? 'Save' : 'Add'}
      blocked={(startsAt === null || endsAt === null) && 'State when it starts and ends.'}
      fields={
        <>
          <SelectField
            label="Kind"
            pointer="/kindId"
            required
            value={kindId}
            options={options}
            onChange={setKind}
          />
          {of === null && (
            <TextField
              label="Reference"
              pointer="/ref"
              hint="Id in the ticket office, which a later import then finds. Empty: an id of its own."
              max={128}
              value={ref}
              onChange={setRef}
            />
          )}
          <TextField label="Number" pointer="/number" max={64} value={number} onChange={setNumber} />
          <TextField label="Holder" pointer="/holder" max={100} value={holder} onChange={setHolder} />
          <TimeField label="Starts" pointer="/startsAt" required value={startsAt} onChange={setStartsAt} />
          <TimeField
            label="Ends"
            pointer="/endsAt"
            hint="Exclusive. A later end than before renews it."
            required
            value={endsAt}
            onChange={setEndsAt}
          />
        </>
      }
      onConfirm={async reason => {
        await api.writeMembershipOfFan({
          fanId,
          kindId,
          startsAt: startsAt ?? '',
          endsAt: endsAt ?? '',
          reason,
          ...(ref.trim() === '' ? {} : { ref: ref.trim() }),
          ...(number.trim() === '' ? {} : { number: number.trim() }),
          ...(holder.trim() === '' ? {} : { holder: holder.trim() }),
        })
        toast(of ? 'The membership was changed.' : 'The membership was added.')
        await onDone()
      }}
      onClose={onClose}
    />
  )
}
