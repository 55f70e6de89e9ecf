/** Jobs: verifications, imports, backups and replays with their progress, and the tasks that repeat. */

import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { Columns, Figure, Figures, Page, Section } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { Time } from '../../parts/values.tsx'
import { may } from '../../session.ts'
import { Backups } from './backups.tsx'
import { Review } from './review.tsx'
import { RunList } from './runs.tsx'
import { Tasks } from './tasks.tsx'
import { Upload } from './upload.tsx'
import {
  IMPORTS,
  type ImportKind,
  isImport,
  type JobsData,
  type RunData,
  type Verification,
} from './words.ts'

const POLL_MS = 2_000

const VERIFICATIONS: Record<Verification, { title: string; about: string }> = {
  'verify-ledger': {
    title: 'Verify the ledger',
    about:
      'Recomputes all balances, leaderboards, grants, orders and items, and compares them with what is stored.',
  },
  'verify-quests': {
    title: 'Verify quests',
    about:
      'Recomputes the quests and streaks of all fans from their events, and compares them with what is stored.',
  },
  'verify-provenance': {
    title: 'Verify items',
    about: 'Recomputes the history of all transferred items, and compares it with what is stored.',
  },
}

const MAINTENANCE: Record<string, string> = {
  backup: 'Last backup',
  'verify-ledger': 'Ledger verified',
  'verify-quests': 'Quests verified',
}

export function Screen() {
  const [starting, setStarting] = useState<Verification | null>(null)
  const [uploading, setUploading] = useState<ImportKind | null>(null)
  const [reviewed, setReviewed] = useState<string | null>(null)
  const jobs = useResource('jobs', signal => api.listJobs({}, { signal }), { pollMs: POLL_MS })
  return (
    <Page title="Jobs" about="Imports, backups, verifications and repeated tasks, with their results.">
      <Loaded of={jobs}>
        {data => (
          <>
            <Figures>
              {data.maintenance.map(({ command, finishedAt }) => (
                <Figure
                  key={command}
                  name={MAINTENANCE[command] ?? command}
                  value={finishedAt === null ? 'Never' : <Time at={finishedAt} relative />}
                  note={finishedAt === null ? undefined : <Time at={finishedAt} />}
                  tone={finishedAt === null ? 'warn' : undefined}
                />
              ))}
            </Figures>
            <Start of={data} onStart={setStarting} />
            <Columns>
              <Imports runs={data.runs} onStart={setUploading} />
              <Backups of={data} onStarted={jobs.reload} />
            </Columns>
            <Section title="Runs" about="Of 90 days.">
              {data.runs.length === 0 ? (
                <Empty icon="jobs" title="No runs yet" />
              ) : (
                <RunList of={data.runs} onChange={jobs.reload} onReview={setReviewed} />
              )}
            </Section>
            <Section
              flush
              title="Repeated tasks"
              about="Of the process that serves the console, since it started."
            >
              <Tasks of={data.tasks} />
            </Section>
          </>
        )}
      </Loaded>
      {uploading && (
        <Upload
          kind={uploading}
          onSent={run => {
            setUploading(null)
            setReviewed(run.id)
            void jobs.reload()
          }}
          onClose={() => setUploading(null)}
        />
      )}
      {reviewed && (
        <Review
          key={reviewed}
          runId={reviewed}
          onStarted={() => {
            setReviewed(null)
            void jobs.reload()
          }}
          onClose={() => setReviewed(null)}
        />
      )}
      {starting && (
        <ReasonDialog
          title={VERIFICATIONS[starting].title}
          action="Start"
          onConfirm={async reason => {
            await api.startVerification({ kind: starting, reason })
            toast('The verification is running.')
            await jobs.reload()
          }}
          onClose={() => setStarting(null)}
        >
          <p>{VERIFICATIONS[starting].about}</p>
          <p>It changes nothing, gives way to requests of fans, and can be cancelled.</p>
        </ReasonDialog>
      )}
    </Page>
  )
}

function Start({ of: { runs }, onStart }: { of: JobsData; onStart: (kind: Verification) => unknown }) {
  const isVerifying = runs.some(({ kind, state }) => state === 'running' && kind in VERIFICATIONS)
  const blocked = !may('jobs.write')
    ? 'Your role cannot start verifications.'
    : isVerifying && 'One verification runs at a time.'
  return (
    <div class="actions">
      {/* Guarantee of the cast: an object without symbols has its own names alone. */}
      {(Object.keys(VERIFICATIONS) as Verification[]).map(kind => (
        <Button key={kind} icon="play" blocked={blocked} onClick={() => onStart(kind)}>
          {VERIFICATIONS[kind].title}
        </Button>
      ))}
    </div>
  )
}

const KINDS = Object.keys(IMPORTS).filter(isImport)

const Imports = ({ runs, onStart }: { runs: RunData[]; onStart: (kind: ImportKind) => unknown }) => (
  <Section title="Imports" about="A file is tried first: you see what would change before anything does.">
    <ul class="starts">
      {KINDS.map(kind => {
        const isRunning = runs.some(run => run.state === 'running' && run.kind === kind)
        const blocked = !may('jobs.write')
          ? 'Your role cannot import.'
          : isRunning && 'One import of each kind runs at a time.'
        const { what, about } = IMPORTS[kind]
        return (
          <li key={kind}>
            <span class="quiet">{about}</span>
            <Button icon="up" blocked={blocked} onClick={() => onStart(kind)}>
              {`Import ${what}`}
            </Button>
          </li>
        )
      })}
    </ul>
  </Section>
)
