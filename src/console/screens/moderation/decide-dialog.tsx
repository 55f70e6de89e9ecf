/** Decisions: of a case, about a fan, of an appeal; and the end of a sanction. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form } from '../../parts/form.tsx'
import { useAction } from '../../parts/resource.ts'
import { TimeField } from '../../parts/special-fields.tsx'
import { Choice } from '../../parts/tabs.tsx'
import { toast } from '../../parts/toast.tsx'
import { bodyOf, DecisionFields, type Written } from './decision-fields.tsx'
import { KINDS, type Kind, type ReasonName } from './words.ts'

const DAY_MS = 86_400_000
const DAYS = ['1', '3', '7', '30', '365'] as const

interface FrameProps {
  title: string
  about: string
  action: string
  tone?: 'primary' | 'danger'
  usual?: ReasonName
  /** A sanction states what happened. */
  asksFacts?: boolean
  /** A note has no effect without its text. */
  noteRequired?: boolean
  fields?: ComponentChildren
  send: (written: Written) => Promise<unknown>
  onClose: () => unknown
}

function Frame({
  title,
  about,
  action,
  tone = 'primary',
  usual = 'other',
  asksFacts = false,
  noteRequired = false,
  fields,
  ...props
}: FrameProps) {
  const [written, setWritten] = useState<Written>({ reason: usual, facts: '', note: '' })
  const send = useAction((decided: Written) => props.send(decided))
  const confirm = async () => {
    if (await send.run(written)) props.onClose()
  }
  return (
    <Dialog title={title} busy={send.isBusy} onClose={props.onClose}>
      <Form
        action={send}
        onSubmit={confirm}
        foot={
          <>
            <Button onClick={() => send.isBusy || props.onClose()}>Cancel</Button>
            <Button
              submit
              autofocus={!noteRequired}
              kind={tone}
              busy={send.isBusy}
              blocked={
                (noteRequired && written.note.trim() === '' && 'Write the note first.') ||
                (asksFacts && written.facts.trim() === '' && 'Write the facts first.')
              }
            >
              {action}
            </Button>
          </>
        }
      >
        <p class="dialog-text">{about}</p>
        {fields}
        <DecisionFields
          value={written}
          onChange={setWritten}
          asksFacts={asksFacts}
          noteRequired={noteRequired}
        />
      </Form>
    </Dialog>
  )
}

interface DecideProps {
  kind: Exclude<Kind, 'lift'>
  caseId: string
  fanId: string
  name: string
  usual: ReasonName
  onClose: () => unknown
  onDone: (kind: Kind) => unknown
}

export function DecideDialog({ kind, caseId, fanId, name, usual, onClose, onDone }: DecideProps) {
  const { action, about, done } = KINDS[kind]
  const [days, setDays] = useState<(typeof DAYS)[number] | ''>('7')
  const [until, setUntil] = useState<string | null>(null)
  const isSanction = kind === 'hide' || kind === 'mute' || kind === 'suspend'
  const end = () => (days === '' ? until : new Date(Date.now() + Number(days) * DAY_MS).toISOString())
  return (
    <Frame
      title={`${action} ${name}`}
      about={about}
      usual={usual}
      onClose={onClose}
      action={kind === 'note' ? 'Save the note' : action}
      tone={kind === 'suspend' || kind === 'hide' ? 'danger' : 'primary'}
      asksFacts={isSanction}
      noteRequired={kind === 'note'}
      fields={
        kind === 'suspend' && (
          <>
            <Choice
              label="For how long"
              options={[
                ...DAYS.map(value => ({ value, title: value === '1' ? '1 day' : `${value} days` })),
                { value: '' as const, title: 'Until …' },
              ]}
              value={days}
              onChange={setDays}
            />
            {days === '' && (
              <TimeField label="Until" pointer="/until" required value={until} onChange={setUntil} />
            )}
          </>
        )
      }
      send={async written => {
        const { decisionId } = await api.decideCase({
          caseId,
          kind,
          ...bodyOf(written),
          ...(kind === 'suspend' ? { until: end() ?? '' } : {}),
        })
        toast(
          kind === 'note' ? 'The note was saved.' : `${done}: ${name}.`,
          isSanction
            ? async () => {
                await api.liftSanction({
                  fanId,
                  sanctionId: decisionId,
                  reason: 'other',
                  note: 'Undone at once.',
                })
                return `Lifted: ${name}. The reports stay decided.`
              }
            : undefined,
        )
        onDone(kind)
      }}
    />
  )
}

interface LiftProps {
  fanId: string
  sanctionId: string
  onClose: () => unknown
  onDone: () => unknown
}

export const LiftDialog = ({ fanId, sanctionId, onClose, onDone }: LiftProps) => (
  <Frame
    title="Lift the sanction"
    about={KINDS.lift.about}
    action="Lift"
    onClose={onClose}
    send={async written => {
      await api.liftSanction({ fanId, sanctionId, ...bodyOf(written) })
      toast('The sanction was lifted.')
      onDone()
    }}
  />
)

interface AppealProps {
  appealId: string
  granted: boolean
  usual: ReasonName
  onClose: () => unknown
  onDone: () => unknown
}

export const AppealDialog = ({ appealId, granted, usual, onClose, onDone }: AppealProps) => (
  <Frame
    title={granted ? 'Grant the appeal' : 'Reject the appeal'}
    about={
      granted
        ? 'The sanction is lifted at once.'
        : 'The sanction stays. The fan cannot appeal against it again.'
    }
    action={granted ? 'Grant' : 'Reject'}
    tone={granted ? 'primary' : 'danger'}
    usual={usual}
    onClose={onClose}
    send={async written => {
      try {
        await api.decideAppeal({ appealId, granted, ...bodyOf(written) })
        toast(granted ? 'The appeal was granted.' : 'The appeal was rejected.')
      } finally {
        onDone()
      }
    }}
  />
)
