/** Runs with their progress and result. */
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog, ReasonDialog } from '../../parts/dialog.tsx'
import { formatCount } from '../../parts/format.ts'
import type { IconName } from '../../parts/icon.tsx'
import { Payload } from '../../parts/payload.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { toast } from '../../parts/toast.tsx'
import { may } from '../../session.ts'
import { RunProgress } from './progress.tsx'
import { faultsOf, isDryRun, isImport, type RunData, summaryOf, titleOf } from './words.ts'

function stateOf(run: RunData): [string, Tone, IconName] {
  const { state, findings, isCancelling } = run
  if (state === 'running') return [isCancelling ? 'Ending' : 'Running', 'info', 'clock']
  if (state === 'failed') return ['Failed', 'bad', 'alert']
  if (state === 'cancelled') return ['Cancelled', 'neutral', 'close']
  const faults = faultsOf(run)
  if (faults > 0)
    return [`${formatCount(faults)} ${isDryRun(run) ? 'with errors' : 'not imported'}`, 'warn', 'alert']
  return findings ? [`${formatCount(findings)} found`, 'bad', 'alert'] : ['Done', 'good', 'check']
}

interface RunListProps {
  of: RunData[]
  onChange: () => unknown
  onReview: (runId: string) => unknown
}

export function RunList({ of: runs, onChange, onReview }: RunListProps) {
  const [cancelling, setCancelling] = useState<RunData | null>(null)
  const [shown, setShown] = useState<RunData | null>(null)
  return (
    <>
      <Timeline
        entries={runs.map(run => {
          const [words, tone, icon] = stateOf(run)
          return {
            id: run.id,
            at: run.startedAt,
            icon,
            tone,
            title: titleOf(run),
            detail: (
              <Detail
                of={run}
                onCancel={() => setCancelling(run)}
                onShow={() => setShown(run)}
                onReview={onReview}
              />
            ),
            end: <Badge tone={tone}>{words}</Badge>,
          }
        })}
      />
      {cancelling && (
        <ReasonDialog
          title={`Cancel: ${titleOf(cancelling)}`}
          action="Cancel the run"
          tone="danger"
          onConfirm={async reason => {
            await api.cancelJob({ runId: cancelling.id, reason })
            toast('The run is ending.')
            onChange()
          }}
          onClose={() => setCancelling(null)}
        >
          <p>
            It ends within seconds. A verification then has no result. An import keeps what it has written,
            and a replay keeps the deliveries that it has made pending.
          </p>
        </ReasonDialog>
      )}
      {shown && <Findings of={shown} onClose={() => setShown(null)} />}
    </>
  )
}

interface DetailProps {
  of: RunData
  onCancel: () => unknown
  onShow: () => unknown
  onReview: (runId: string) => unknown
}

function Detail({ of: run, onCancel, onShow, onReview }: DetailProps) {
  const { state, input, startedBy, startedAt, endedAt, error, counts, listed } = run
  const seconds = endedAt === null ? null : (Date.parse(endedAt) - Date.parse(startedAt)) / 1_000
  const summary = summaryOf(run)
  return (
    <div class="run">
      <span>
        by <bdi>{startedBy.name}</bdi>
        {seconds !== null && `, ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`}
        {input?.name !== undefined && (
          <>
            , <bdi class="file-name">{input.name}</bdi>
          </>
        )}
      </span>
      {summary !== '' && <span>{summary}</span>}
      {input?.reason !== undefined && (
        <span>
          <bdi>{input.reason}</bdi>
        </span>
      )}
      {state === 'running' && <RunProgress of={run} />}
      {error !== null && <span>{error}</span>}
      {run.kind === 'backup' && typeof counts.file === 'string' && (
        <span>
          <code>{counts.file}</code>
        </span>
      )}
      {typeof counts.digest === 'string' && (
        <span>
          Digest <code>{counts.digest.slice(0, 16)}…</code>
        </span>
      )}
      <div class="actions">
        {state === 'running' && (
          <Button
            small
            icon="close"
            blocked={
              run.isCancelling ? 'It is ending.' : !may('jobs.write') && 'Your role cannot cancel runs.'
            }
            onClick={onCancel}
          >
            Cancel
          </Button>
        )}
        {!isImport(run.kind) && listed.length > 0 && (
          <Button small icon="search" onClick={onShow}>
            Show what was found
          </Button>
        )}
        <ImportActions of={run} onReview={onReview} />
      </div>
    </div>
  )
}

function ImportActions({ of: run, onReview }: Pick<DetailProps, 'of' | 'onReview'>) {
  if (!isImport(run.kind)) return null
  const { id, state, input } = run
  const check = isDryRun(run) || state === 'running' || state === 'done' ? undefined : input?.check
  return (
    <>
      <Button small icon="search" onClick={() => onReview(id)}>
        {isDryRun(run) && state === 'done' ? 'Review and import' : 'Show details'}
      </Button>
      {check !== undefined && (
        <Button small icon="retry" onClick={() => onReview(check)}>
          Start it again
        </Button>
      )}
    </>
  )
}

const Findings = ({ of: run, onClose }: { of: RunData; onClose: () => unknown }) => (
  <Dialog title={`${formatCount(run.findings ?? 0)} findings`} kind="wide" onClose={onClose}>
    <div class="dialog-text">
      <p>
        {titleOf(run)}.
        {run.listed.length < (run.findings ?? 0) &&
          ` The first ${formatCount(run.listed.length)} are shown. An operator can list all of them on the server.`}
      </p>
      <Payload label="Findings" text={run.listed.map(finding => JSON.stringify(finding)).join('\n')} />
    </div>
  </Dialog>
)
