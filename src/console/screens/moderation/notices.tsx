/** Notices of illegal content, of people without an account: decided with or without a sanction, and told to the notifier. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, Copy, CopyLines } from '../../parts/button.tsx'
import { Dialog, DialogFoot, ReasonDialog } from '../../parts/dialog.tsx'
import { CheckField, Form, SelectField, TextArea } from '../../parts/form.tsx'
import { Section, Toolbar } from '../../parts/page.tsx'
import { useAction, usePages } from '../../parts/resource.ts'
import { TimeField } from '../../parts/special-fields.tsx'
import { Empty, Loaded, Note } from '../../parts/states.tsx'
import { More } from '../../parts/table.tsx'
import { Choice } from '../../parts/tabs.tsx'
import { toast } from '../../parts/toast.tsx'
import { Time } from '../../parts/values.tsx'
import { addressOf, Link, useChoice } from '../../router.tsx'
import { may } from '../../session.ts'
import { Evidence } from './evidence.tsx'
import { KINDS, nameOf, REASONS, type ReasonName, SUBJECTS } from './words.ts'

const POLL_MS = 30_000

type Notice = Data<'listNotices'>['notices'][number]

const CATEGORIES: Record<Notice['category'], string> = {
  child_abuse: 'Sexual abuse of children',
  hate: 'Hate speech',
  threats: 'Threats',
  defamation: 'Defamation',
  privacy: 'Privacy',
  intellectual_property: 'Intellectual property',
  fraud: 'Fraud',
  other: 'Another law',
}

const STATES = [
  { value: 'open', title: 'Open' },
  { value: 'decided', title: 'Decided' },
] as const

/** `onDone`: a decision changes the counts. */
export function NoticeList({ onDone }: { onDone: () => unknown }) {
  const [state, setState] = useChoice('state', ['open', 'decided'])
  const [deciding, setDeciding] = useState<Notice | null>(null)
  const pages = usePages<Notice>(
    `notices ${state}`,
    async (cursor, signal) => {
      const { notices, nextCursor } = await api.listNotices({ state, cursor, limit: 50 }, { signal })
      return { items: notices, nextCursor }
    },
    { pollMs: POLL_MS },
  )
  return (
    <>
      <Toolbar>
        <Choice label="Show" options={STATES} value={state} onChange={setState} />
      </Toolbar>
      <Loaded of={pages}>
        {notices => (
          <>
            {notices.length === 0 && (
              <Empty icon="check" title={state === 'open' ? 'No notice is open' : 'No notice was decided'}>
                <p>People without an account report illegal content on the page /notice.</p>
              </Empty>
            )}
            {notices.map(notice => (
              <NoticeItem
                key={notice.id}
                of={notice}
                onDecide={() => setDeciding(notice)}
                onChange={pages.reload}
              />
            ))}
            <More pages={pages} count={notices.length} />
          </>
        )}
      </Loaded>
      {deciding && (
        <DecideNotice
          of={deciding}
          onClose={() => setDeciding(null)}
          onDone={async () => {
            await Promise.all([pages.reload(), onDone()])
          }}
        />
      )}
    </>
  )
}

interface ItemProps {
  of: Notice
  onDecide: () => unknown
  onChange: () => Promise<void>
}

function NoticeItem({ of, onDecide, onChange }: ItemProps) {
  const { category, fan, subjectKind, location, reference, explanation, evidence, repeats } = of
  const isOpen = of.decidedAt === null
  return (
    <Section
      title={CATEGORIES[category]}
      about={
        <>
          Received <Time at={of.createdAt} relative />
          {of.decidedAt && (
            <>
              , decided <Time at={of.decidedAt} relative />
              {of.decidedBy && (
                <>
                  {' '}
                  by <bdi>{of.decidedBy}</bdi>
                </>
              )}
            </>
          )}
        </>
      }
      actions={
        isOpen && (
          <Button
            kind="primary"
            blocked={!may('moderation.write') && 'Your role can read notices, but not decide them.'}
            onClick={onDecide}
          >
            Decide
          </Button>
        )
      }
    >
      <p>
        {of.actionTaken !== null && (
          <Badge tone={of.actionTaken ? 'warn' : 'neutral'}>
            {of.actionTaken ? 'Acted on' : 'Not acted on'}
          </Badge>
        )}{' '}
        {fan &&
          (may('fans.read') ? (
            <Link to={addressOf('fans', fan.id)}>
              <bdi>{nameOf(fan)}</bdi>
            </Link>
          ) : (
            <bdi>{nameOf(fan)}</bdi>
          ))}{' '}
        {subjectKind && <span class="quiet">{SUBJECTS[subjectKind]}</span>}{' '}
        {repeats > 0 && <Badge tone="warn">{`${repeats} more`}</Badge>}
      </p>
      {(location ?? reference) && (
        <p>
          <bdi class="written">{location ?? reference}</bdi>
        </p>
      )}
      {explanation === null ? (
        <Note>The texts were deleted.</Note>
      ) : (
        <blockquote>
          <bdi class="written">{explanation}</bdi>
        </blockquote>
      )}
      {evidence && <Evidence of={evidence} fanId={fan?.id ?? null} />}
      {of.reply !== null && <CopyLines value={of.reply} label="Copy the reply" />}
      <p class="quiet">
        Number <Copy value={of.id} label="Copy the number" short />
      </p>
      {of.hasNotifier && may('moderation.write') && <NotifierButtons noticeId={of.id} onChange={onChange} />}
    </Section>
  )
}

/** Who sent it is shown for a reason, which the audit log keeps. */
function NotifierButtons({ noticeId, onChange }: { noticeId: string; onChange: () => Promise<void> }) {
  const [asking, setAsking] = useState<'show' | 'delete' | null>(null)
  const [notifier, setNotifier] = useState<Data<'revealNotifier'> | null>(null)
  return (
    <div class="actions">
      {notifier?.email ? (
        <>
          <bdi>{notifier.name}</bdi> <Copy value={notifier.email} label="Copy the address" />
        </>
      ) : (
        <Button small kind="quiet" onClick={() => setAsking('show')}>
          Who sent it?
        </Button>
      )}
      <Button small kind="quiet" onClick={() => setAsking('delete')}>
        Delete who sent it
      </Button>
      {asking === 'show' && (
        <ReasonDialog
          title="See who sent the notice"
          action="Show the notifier"
          onConfirm={async reason => setNotifier(await api.revealNotifier({ noticeId, reason }))}
          onClose={() => setAsking(null)}
        >
          To write to them about the notice. The fan is never told.
        </ReasonDialog>
      )}
      {asking === 'delete' && (
        <ReasonDialog
          title="Delete who sent the notice"
          action="Delete name and address"
          tone="danger"
          onConfirm={async reason => {
            await api.deleteNotifier({ noticeId, reason })
            toast('The name and the e-mail address were deleted.')
            await onChange()
          }}
          onClose={() => setAsking(null)}
        >
          The notice stays. The notifier can no longer be told the decision.
        </ReasonDialog>
      )}
    </div>
  )
}

const SANCTIONS = [
  { value: 'none', title: 'None' },
  ...(['hide', 'mute', 'suspend'] as const).map(value => ({ value, title: KINDS[value].action })),
] as const

interface DecideProps {
  of: Notice
  onClose: () => unknown
  onDone: () => Promise<void>
}

function DecideNotice({ of: { id, fan }, onClose, onDone }: DecideProps) {
  const [actionTaken, setActionTaken] = useState(false)
  const [reason, setReason] = useState<ReasonName>('other')
  const [answer, setAnswer] = useState('')
  const [sanction, setSanction] = useState<(typeof SANCTIONS)[number]['value']>('none')
  const [facts, setFacts] = useState('')
  const [until, setUntil] = useState<string | null>(null)
  const isSanctioned = actionTaken && sanction !== 'none'
  const send = useAction(async () => {
    await api.decideNotice({
      noticeId: id,
      actionTaken,
      reason,
      answer: answer.trim(),
      ...(isSanctioned ? { sanction, facts: facts.trim() } : {}),
      ...(isSanctioned && sanction === 'suspend' ? { until: until ?? '' } : {}),
    })
    toast('The notice is decided. The reply to the notifier is in the list of decided notices.')
    await onDone()
  })
  const confirm = async () => {
    if (await send.run()) onClose()
  }
  return (
    <Dialog title="Decide the notice" busy={send.isBusy} onClose={onClose}>
      <Form
        action={send}
        onSubmit={confirm}
        foot={
          <DialogFoot
            busy={send.isBusy}
            blocked={
              (answer.trim() === '' && 'Write the answer first.') ||
              (isSanctioned && facts.trim() === '' && 'Write the facts first.')
            }
            onClose={onClose}
          >
            Decide
          </DialogFoot>
        }
      >
        <CheckField
          label="The club acts on the content"
          hint="Such as a sanction below, or another name of the fan."
          pointer="/actionTaken"
          value={actionTaken}
          onChange={setActionTaken}
        />
        {actionTaken && fan && (
          <SelectField
            label={`Sanction of ${nameOf(fan)}`}
            pointer="/sanction"
            value={sanction}
            options={SANCTIONS}
            onChange={setSanction}
          />
        )}
        {isSanctioned && sanction === 'suspend' && (
          <TimeField label="Until" pointer="/until" required value={until} onChange={setUntil} />
        )}
        {isSanctioned && (
          <TextArea
            label="Facts"
            pointer="/facts"
            hint="The fan sees them: what, where and when. Never who sent the notice."
            max={1_000}
            required
            value={facts}
            onChange={setFacts}
          />
        )}
        <SelectField
          label="Reason"
          pointer="/reason"
          required
          value={reason}
          options={REASONS}
          onChange={setReason}
        />
        <TextArea
          label="Answer"
          pointer="/answer"
          hint="Why, for the notifier, in their language. It becomes part of the reply."
          max={1_000}
          required
          value={answer}
          onChange={setAnswer}
        />
      </Form>
    </Dialog>
  )
}
