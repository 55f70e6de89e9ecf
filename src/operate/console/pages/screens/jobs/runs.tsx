/** Runs with their progress and result. */
import { useState } from 'preact/hooks'
import { write } from '../../api.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog, ReasonDialog } from '../../parts/dialog.tsx'
import { formatCount } from '../../parts/format.ts'
import type { IconName } from '../../parts/icon.tsx'
import { Payload } from '../../parts/payload.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { toast } from '../../parts/toast.tsx'
import { may } from '../../session.ts'
import type { RunData } from './screen.tsx'

const KINDS: Record<string, string> = {
  'verify-ledger': 'Verification of the ledger',
  'verify-quests': 'Verification of quests',
  'verify-provenance': 'Verification of items',
  'replay-webhooks': 'Replay of webhooks',
}
const titleOf = (kind: string) => KINDS[kind] ?? kind

function stateOf({ state, findings, isCancelling }: RunData): [string, Tone, IconName] {
  if (state === 'running') return [isCancelling ? 'Ending' : 'Running', 'info', 'clock']
  if (state === 'failed') return ['Failed', 'bad', 'alert']
  if (state === 'cancelled') return ['Cancelled', 'neutral', 'close']
  return findings ? [`${formatCount(findings)} found`, 'bad', 'alert'] : ['Done', 'good', 'check']
}

export function RunList({ of: runs, onChange }: { of: RunData[]; onChange: () => unknown }) {
  const [cancelling, setCancelling] = useState<RunData | null>(null)
  const [shown, setShown] = useState<RunData | null>(null)
  return (
    <>
      <Timeline
        entries={runs.map(run => {
          const [words, tone, icon] = stateOf(run)
          return {
            ...{ id: run.id, at: run.startedAt, icon, tone, title: titleOf(run.kind) },
            detail: <Detail of={run} onCancel={() => setCancelling(run)} onShow={() => setShown(run)} />,
            end: <Badge tone={tone}>{words}</Badge>,
          }
        })}
      />
      {cancelling && (
        <ReasonDialog
          title={`Cancel: ${titleOf(cancelling.kind)}`}
          action="Cancel the run"
          tone="danger"
          onConfirm={async reason => {
            await write('POST', `/api/jobs/${cancelling.id}/cancel`, { reason })
            toast('The run ends within seconds.')
            onChange()
          }}
          onClose={() => setCancelling(null)}
        >
          <p>
            It ends within seconds. A verification has no result then; a replay keeps what it made pending.
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
}

function Detail({ of: run, onCancel, onShow }: DetailProps) {
  const { state, done, total, unit, startedBy, startedAt, endedAt, error, counts, listed } = run
  const seconds = endedAt === null ? null : (Date.parse(endedAt) - Date.parse(startedAt)) / 1_000
  const numbers = Object.entries(counts).filter(([, value]) => typeof value === 'number')
  return (
    <div class="run">
      <span>
        by <bdi>{startedBy.name}</bdi>
        {seconds !== null && `, ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`}
        {numbers.map(([name, value]) => `, ${formatCount(Number(value))} ${name}`)}
      </span>
      {state === 'running' && (
        <>
          <progress
            aria-label={`Progress of ${titleOf(run.kind)}`}
            {...(total ? { value: Math.min(done, total), max: total } : {})}
          />
          <span>
            {formatCount(done)}
            {total !== null && ` of about ${formatCount(total)}`} {unit}
          </span>
          <div>
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
          </div>
        </>
      )}
      {error !== null && <span>{error}</span>}
      {typeof counts.digest === 'string' && (
        <span>
          Digest <code>{counts.digest.slice(0, 16)}…</code>
        </span>
      )}
      {listed.length > 0 && (
        <div>
          <Button small icon="search" onClick={onShow}>
            Show what was found
          </Button>
        </div>
      )}
    </div>
  )
}

const Findings = ({ of: { kind, findings, listed }, onClose }: { of: RunData; onClose: () => unknown }) => (
  <Dialog title={`${formatCount(findings ?? 0)} findings`} kind="wide" onClose={onClose}>
    <div class="dialog-text">
      <p>
        {titleOf(kind)}. The first {formatCount(listed.length)}; <code>bun run {kind} --json</code> lists all.
      </p>
      <Payload label="Findings" text={listed.map(finding => JSON.stringify(finding)).join('\n')} />
    </div>
  </Dialog>
)
