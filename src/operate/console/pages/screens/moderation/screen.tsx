/** Moderation by keyboard: the queue on the left, the case on the right. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Queue } from '../../../moderation/schema.ts'
import { read } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { formatDuration } from '../../parts/format.ts'
import { Figure, Figures, Page } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Empty, Failed, Skeleton } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Time } from '../../parts/values.tsx'
import { useChoice, useParameter } from '../../router.tsx'
import { may } from '../../session.ts'
import { AppealList, useAppeals } from './appeals.tsx'
import { CaseView, DECISIONS, KEYS, useCase } from './case-view.tsx'
import { DecideDialog } from './decide-dialog.tsx'
import { KINDS, type Kind, nameOf, PROMISE_MS } from './words.ts'

const POLL_MS = 15_000

export function Screen() {
  const [tab, setTab] = useChoice('tab', ['queue', 'appeals'])
  const appeals = useAppeals()
  const queue = useResource('moderation queue', signal => read<Queue>('/api/moderation/cases', { signal }), {
    pollMs: POLL_MS,
  })
  return (
    <Page title="Moderation" about="Cases that fans reported, the heaviest first. Decide each within a day.">
      {queue.data && <Load of={queue.data} appeals={appeals.data?.appeals.length ?? null} />}
      <Tabs
        label="What is open"
        tabs={[
          { id: 'queue', title: 'Cases', count: queue.data?.cases.length ?? null },
          { id: 'appeals', title: 'Appeals', count: appeals.data?.appeals.length ?? null },
        ]}
        current={tab}
        onChange={setTab}
      >
        {tab === 'appeals' ? (
          <AppealList of={appeals} />
        ) : (
          <>
            {queue.error !== null && (
              <Failed error={queue.error} onRetry={queue.reload} busy={queue.isLoading} />
            )}
            {queue.data ? (
              <Cases of={queue.data} onChange={queue.reload} />
            ) : (
              queue.error === null && <Skeleton lines={8} />
            )}
          </>
        )}
      </Tabs>
    </Page>
  )
}

function Load({ of: { openReports, oldest }, appeals }: { of: Queue; appeals: number | null }) {
  const age = oldest === null ? 0 : Date.now() - Date.parse(oldest)
  return (
    <Figures>
      <Figure name="Open reports" value={openReports} />
      <Figure
        name="Oldest"
        value={oldest === null ? '–' : formatDuration(age)}
        note={age > PROMISE_MS ? 'Longer than the day that fans are promised.' : 'Within a day.'}
        tone={age > PROMISE_MS ? 'bad' : age > PROMISE_MS / 2 ? 'warn' : undefined}
      />
      <Figure name="Open appeals" value={appeals ?? '–'} />
    </Figures>
  )
}

type ListedCase = Queue['cases'][number]

function Cases({ of: { cases }, onChange }: { of: Queue; onChange: () => Promise<void> }) {
  const [chosenId, choose] = useParameter('case')
  const [deciding, setDeciding] = useState<Exclude<Kind, 'lift'> | null>(null)
  const [isHelpOpen, setHelpOpen] = useState(false)
  // Without a choice the first one: it stays in sight when a heavier one comes, or a decision would be of that.
  const first = useRef<string | null>(null)
  if (deciding === null && !cases.some(({ caseId }) => caseId === first.current))
    first.current = cases[0]?.caseId ?? null
  const shownId = chosenId === '' ? first.current : chosenId
  const index = cases.findIndex(({ caseId }) => caseId === shownId)
  const current = cases[index]
  const shown = useCase(shownId)

  /** The case that stands where this one was. */
  const goOn = async () => {
    const next = cases[index + 1] ?? cases[index - 1]
    choose(next?.caseId ?? '')
    await onChange()
  }
  const move = (step: number) => {
    const next = cases[Math.max(0, Math.min(cases.length - 1, index + step))]
    if (!next) return
    choose(next.caseId)
    document.getElementById(`case-${next.caseId}`)?.scrollIntoView({ block: 'nearest' })
  }
  const decide = (kind: Exclude<Kind, 'lift'>) => {
    if (shown.data && shown.error === null && may('moderation.write')) setDeciding(kind)
  }
  const isDialogOpen = deciding !== null || isHelpOpen
  useEffect(() => {
    if (isDialogOpen) return
    const press = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest('input, textarea, select, dialog') !== null
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      const key = event.key.toUpperCase()
      const kind = DECISIONS.find(one => KEYS[one] === key)
      if (key === 'J') move(1)
      else if (key === 'K') move(-1)
      else if (key === '?') setHelpOpen(true)
      else if (kind) decide(kind)
      else return
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })

  if (cases.length === 0 && shownId === null)
    return (
      <Empty icon="check" title="Nothing is waiting">
        Reports of fans appear here.
      </Empty>
    )
  return (
    <div class="moderation">
      <div class="case-list">
        <div class="case-list-head">
          <span class="quiet">Heaviest first</span>
          <Button small kind="quiet" onClick={() => setHelpOpen(true)}>
            Keys{' '}
            <span class="key-hint" aria-hidden="true">
              ?
            </span>
          </Button>
        </div>
        <ul>
          {cases.map(row => (
            <CaseItem
              key={row.caseId}
              of={row}
              isChosen={row.caseId === shownId}
              onChoose={() => choose(row.caseId)}
            />
          ))}
        </ul>
      </div>
      <div class="case-shown">
        <p class="unseen" role="status">
          {shown.data && `Case about ${nameOf(shown.data.record.fan)}`}
        </p>
        <CaseView of={shown} onDecide={decide} />
        {shown.error !== null && !current && <Button onClick={() => choose('')}>Go to the first case</Button>}
      </div>
      {deciding !== null && shown.data && (
        <DecideDialog
          kind={deciding}
          path={`/api/moderation/cases/${encodeURIComponent(shown.data.caseId)}/decisions`}
          name={nameOf(shown.data.record.fan)}
          usual={deciding === 'dismiss' ? 'other' : (shown.data.reports[0]?.reason ?? 'other')}
          onClose={() => setDeciding(null)}
          onDone={kind => (kind === 'note' ? shown.reload() : goOn())}
        />
      )}
      {isHelpOpen && <Help onClose={() => setHelpOpen(false)} />}
    </div>
  )
}

interface CaseItemProps {
  of: ListedCase
  isChosen: boolean
  onChoose: () => unknown
}

function CaseItem({
  of: { caseId, fan, subjectKind, reports, weight, since },
  isChosen,
  onChoose,
}: CaseItemProps) {
  return (
    <li id={`case-${caseId}`}>
      <button type="button" aria-current={isChosen} onClick={onChoose}>
        <bdi class="case-name">{nameOf(fan)}</bdi>
        <Badge tone={weight >= 1_500 ? 'bad' : weight >= 1_000 ? 'warn' : 'neutral'}>
          {reports} {reports === 1 ? 'report' : 'reports'}
        </Badge>
        <span class="quiet">{subjectKind}</span>
        <span class="quiet">
          <Time at={since} relative />
        </span>
      </button>
    </li>
  )
}

const Help = ({ onClose }: { onClose: () => unknown }) => (
  <Dialog title="Keys" onClose={onClose}>
    <dl class="key-list">
      {[
        ['J', 'Next case'],
        ['K', 'Previous case'],
        ...DECISIONS.map(kind => [KEYS[kind], `${KINDS[kind].action}: ${KINDS[kind].about}`]),
        ['?', 'These keys'],
      ].map(([key, about]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{about}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
)
