/** Moderation by keyboard: the queue on the left, the case on the right. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { BulkBar } from '../../parts/bulk.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { formatDuration } from '../../parts/format.ts'
import { Figure, Figures, Page, Toolbar } from '../../parts/page.tsx'
import { Face } from '../../parts/picture.tsx'
import { type Paged, usePages, useResource } from '../../parts/resource.ts'
import { Empty, Loaded, Skeleton } from '../../parts/states.tsx'
import { More } from '../../parts/table.tsx'
import { Choice, Tabs } from '../../parts/tabs.tsx'
import { Time } from '../../parts/values.tsx'
import { drawnRows, useWindow } from '../../parts/window.ts'
import { route, useChoice, useParameter } from '../../router.tsx'
import { may } from '../../session.ts'
import { AppealList } from './appeals.tsx'
import { BULK_KINDS, DecideCases } from './bulk.tsx'
import { CaseView, DECISIONS, KEYS, useCase } from './case-view.tsx'
import { DecideDialog } from './decide-dialog.tsx'
import { LeagueList, LeagueScreen } from './leagues.tsx'
import { NoticeList } from './notices.tsx'
import { KINDS, type Kind, nameOf, PROMISE_MS, SUBJECTS } from './words.ts'

const POLL_MS = 15_000

export function Screen() {
  const [, place, id] = route.value
  return place === 'leagues' && id !== undefined ? <LeagueScreen key={id} leagueId={id} /> : <Moderation />
}

function Moderation() {
  const [tab, setTab] = useChoice('tab', ['queue', 'appeals', 'notices', 'leagues'])
  const open = useResource('moderation open', signal => api.countOpenCases({}, { signal }), {
    pollMs: POLL_MS,
  })
  return (
    <Page title="Moderation" about="Cases that fans reported. Decide each within a day.">
      {open.data && <Load of={open.data} />}
      <Tabs
        label="What is open"
        tabs={[
          { id: 'queue', title: 'Cases', count: open.data?.cases ?? null },
          { id: 'appeals', title: 'Appeals', count: open.data?.appeals ?? null },
          { id: 'notices', title: 'Notices', count: open.data?.notices ?? null },
          { id: 'leagues', title: 'Leagues' },
        ]}
        current={tab}
        onChange={setTab}
      >
        {tab === 'leagues' ? (
          <LeagueList />
        ) : tab === 'notices' ? (
          <NoticeList onDone={open.reload} />
        ) : tab === 'appeals' ? (
          <AppealList onDone={open.reload} />
        ) : (
          <CaseQueue onDone={open.reload} />
        )}
      </Tabs>
    </Page>
  )
}

function Load({ of: { reports, oldest, appeals } }: { of: Data<'countOpenCases'> }) {
  const age = oldest === null ? 0 : Date.now() - Date.parse(oldest)
  return (
    <Figures>
      <Figure name="Open reports" value={reports} />
      <Figure
        name="Oldest"
        value={oldest === null ? '–' : formatDuration(age)}
        note={age > PROMISE_MS ? 'Longer than the day that fans are promised.' : 'Within a day.'}
        tone={age > PROMISE_MS ? 'bad' : age > PROMISE_MS / 2 ? 'warn' : undefined}
      />
      <Figure name="Open appeals" value={appeals} />
    </Figures>
  )
}

type ListedCase = Data<'listCases'>['cases'][number]

const ORDERS = [
  { value: 'heaviest', title: 'Heaviest first' },
  { value: 'oldest', title: 'Oldest first' },
] as const

/** `onDone`: a decision changes the counts. */
function CaseQueue({ onDone }: { onDone: () => Promise<void> }) {
  const [order, setOrder] = useChoice('order', ['heaviest', 'oldest'])
  const pages = usePages<ListedCase>(
    `moderation queue ${order}`,
    async (cursor, signal) => {
      const { cases, nextCursor } = await api.listCases({ order, cursor, limit: 100 }, { signal })
      return { items: cases, nextCursor }
    },
    { pollMs: POLL_MS },
  )
  return (
    <>
      <Toolbar>
        <Choice label="Order" options={ORDERS} value={order} onChange={setOrder} />
      </Toolbar>
      <Loaded of={pages} skeleton={<Skeleton lines={8} />}>
        {cases => <Cases cases={cases} pages={pages} onDone={onDone} />}
      </Loaded>
    </>
  )
}

/** The value of `--case-row` in moderation.css. */
const ROW_REM = 4
/** Number of cases before the end of the list at which the next page is read, so that keyboard users do not wait. */
const AHEAD = 20

interface CasesProps {
  cases: ListedCase[]
  pages: Paged<ListedCase>
  onDone: () => Promise<void>
}

function Cases({ cases, pages, onDone }: CasesProps) {
  const list = useRef<HTMLUListElement>(null)
  const [chosenId, choose] = useParameter('case')
  const [deciding, setDeciding] = useState<Exclude<Kind, 'lift'> | null>(null)
  const [isHelpOpen, setHelpOpen] = useState(false)
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [bulk, setBulk] = useState<(typeof BULK_KINDS)[number] | null>(null)
  const several = cases.filter(({ caseId }) => picked.has(caseId))
  // Without a selection, the first case is open. It stays open when a heavier one arrives, so that a decision is not made
  // about the wrong case.
  const first = useRef<string | null>(null)
  if (deciding === null && !cases.some(({ caseId }) => caseId === first.current))
    first.current = cases[0]?.caseId ?? null
  const shownId = chosenId === '' ? first.current : chosenId
  const index = cases.findIndex(({ caseId }) => caseId === shownId)
  const current = cases[index]
  const shown = useCase(shownId)
  const sight = useWindow(list, cases.length, ROW_REM)
  useEffect(() => {
    const reached = Math.max(index, sight.last)
    if (pages.hasMore && !pages.isLoadingMore && pages.moreError === null && reached >= cases.length - AHEAD)
      void pages.more()
  })

  /** Opens the case that is now in the position of this one. */
  const goOn = async () => {
    const next = cases[index + 1] ?? cases[index - 1]
    choose(next?.caseId ?? '')
    await Promise.all([pages.reload(), onDone()])
  }
  const move = (step: number) => {
    const next = cases[Math.max(0, Math.min(cases.length - 1, index + step))]
    if (!next) return
    choose(next.caseId)
    // It is drawn before the next frame, wherever it is: see `drawnRows`.
    requestAnimationFrame(() =>
      document.getElementById(`case-${next.caseId}`)?.scrollIntoView({ block: 'nearest' }),
    )
  }
  const decide = (kind: Exclude<Kind, 'lift'>) => {
    if (shown.data && shown.error === null && may('moderation.write')) setDeciding(kind)
  }
  const isDialogOpen = deciding !== null || isHelpOpen || bulk !== null
  // A layout effect, so that a key pressed right after Escape is not lost.
  useLayoutEffect(() => {
    if (isDialogOpen) return
    const press = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element &&
        event.target.closest('input:not([type=checkbox]), textarea, select, dialog') !== null
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
          <span class="quiet">Cases</span>
          <Button small kind="quiet" onClick={() => setHelpOpen(true)}>
            Keys{' '}
            <span class="key-hint" aria-hidden="true">
              ?
            </span>
          </Button>
        </div>
        <BulkBar count={several.length} noun="cases" onClear={() => setPicked(new Set())}>
          {BULK_KINDS.map(kind => (
            <Button key={kind} small onClick={() => setBulk(kind)}>
              {KINDS[kind].action}
            </Button>
          ))}
        </BulkBar>
        <div class="case-rows">
          <ul ref={list}>
            {drawnRows(sight, cases.length, index < 0 ? null : index).map(drawn => {
              if (!('index' in drawn))
                return (
                  <li
                    key={`gap ${drawn.before}`}
                    class="gap"
                    aria-hidden="true"
                    style={{ height: `${drawn.gap * sight.rowHeight}px` }}
                  />
                )
              const row = cases[drawn.index]
              return (
                row && (
                  <CaseItem
                    key={row.caseId}
                    of={row}
                    place={drawn.index + 1}
                    count={pages.hasMore ? -1 : cases.length}
                    isChosen={row.caseId === shownId}
                    onChoose={() => choose(row.caseId)}
                    isPicked={may('moderation.write') ? picked.has(row.caseId) : undefined}
                    onPick={() => setPicked(picked.symmetricDifference(new Set([row.caseId])))}
                  />
                )
              )
            })}
          </ul>
        </div>
        <div class="table-foot">
          <More pages={pages} count={cases.length} />
        </div>
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
          caseId={shown.data.caseId}
          fanId={shown.data.record.fan.id}
          name={nameOf(shown.data.record.fan)}
          usual={deciding === 'dismiss' ? 'other' : (shown.data.reports[0]?.reason ?? 'other')}
          onClose={() => setDeciding(null)}
          onDone={kind => (kind === 'note' ? shown.reload() : goOn())}
        />
      )}
      {bulk !== null && (
        <DecideCases
          kind={bulk}
          cases={several}
          onDone={() => undefined}
          onClose={() => {
            setBulk(null)
            setPicked(new Set())
            void Promise.all([pages.reload(), onDone()])
          }}
        />
      )}
      {isHelpOpen && <Help onClose={() => setHelpOpen(false)} />}
    </div>
  )
}

interface CaseItemProps {
  of: ListedCase
  place: number
  /** Length of the whole list; -1 if unknown. */
  count: number
  isChosen: boolean
  onChoose: () => unknown
  /** Undefined: cases cannot be picked. */
  isPicked: boolean | undefined
  onPick: () => unknown
}

function CaseItem({
  of: { caseId, fan, subjectKind, reports, weight, since },
  place,
  count,
  isChosen,
  onChoose,
  isPicked,
  onPick,
}: CaseItemProps) {
  return (
    <li id={`case-${caseId}`} aria-posinset={place} aria-setsize={count}>
      {isPicked !== undefined && (
        <input
          type="checkbox"
          class="case-pick"
          aria-label={`Select the case about ${nameOf(fan)}`}
          checked={isPicked}
          onChange={onPick}
        />
      )}
      <button type="button" aria-current={isChosen} onClick={onChoose}>
        <span class="case-fan">
          <Face blurred fanId={fan.id} name={nameOf(fan)} />
          <bdi class="case-name">{nameOf(fan)}</bdi>
        </span>
        <Badge tone={weight >= 1_500 ? 'bad' : weight >= 1_000 ? 'warn' : 'neutral'}>
          {reports} {reports === 1 ? 'report' : 'reports'}
        </Badge>
        <span class="quiet">{SUBJECTS[subjectKind]}</span>
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
