/** Schemas of jobs and of the repeated tasks. */
import { Closed, Id, IdReference, Instant, Integer, Nullable, OneOf } from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { Reason } from '../contract/reason.ts'

/** Those that are started here; a replay is started at its endpoint. */
const VERIFICATIONS = ['verify-ledger', 'verify-quests', 'verify-provenance'] as const

export const JobRun = Closed(
  {
    id: Id('Of the run.'),
    kind: Type.String(),
    input: Nullable(Type.Record(Type.String(), Type.String()), { description: 'What it is about.' }),
    state: OneOf(['running', 'done', 'failed', 'cancelled']),
    startedBy: Closed({ id: Type.String(), name: Type.String() }),
    startedAt: Instant('When it was started.'),
    endedAt: Nullable(Instant('When it ended.')),
    done: Integer({ description: 'Of `total`, in `unit`.' }),
    total: Nullable(Integer(), { description: 'About; null where it is not known.' }),
    unit: Nullable(Type.String()),
    isCancelling: Type.Boolean({ description: 'It ends within seconds.' }),
    findings: Nullable(Integer({ description: 'Differences that a verification found.' })),
    listed: Type.Array(Type.Record(Type.String(), Type.Unknown()), { description: 'The first findings.' }),
    counts: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()])),
    error: Nullable(Type.String()),
  },
  { title: 'JobRun' },
)

const Task = Closed({
  task: Type.String(),
  everyMs: Integer(),
  lastAt: Nullable(Instant('When the last run began.')),
  tookMs: Nullable(Type.Number(), { description: 'Of the last run that ended.' }),
  nextAt: Nullable(Instant('About when it runs next.')),
  isRunning: Type.Boolean(),
  succeeded: Nullable(Type.Boolean(), { description: 'Whether the last run that ended did.' }),
  runs: Integer({ description: 'Since the start of the process.' }),
  failures: Integer({ description: 'Since the start of the process.' }),
  failedAt: Nullable(Instant('When it last failed.')),
})

export const Jobs = Closed(
  {
    runs: Type.Array(JobRun, { description: 'The newest first, of 90 days.' }),
    maintenance: Type.Array(
      Closed({ command: Type.String(), finishedAt: Nullable(Instant('When it last ended well.')) }),
      { description: 'Backups and verifications, by command or from here.' },
    ),
    tasks: Type.Array(Task, { description: 'Of the process that serves the console.' }),
  },
  { title: 'Jobs' },
)

export const StartVerification = Closed({
  kind: OneOf(VERIFICATIONS, { description: 'What is recomputed.', examples: ['verify-ledger'] }),
  reason: Reason,
})
export const RunParams = Closed({ runId: IdReference('The run.') })
export const CancelRun = Closed({ reason: Reason })
export const Cancelled = Closed({ cancelling: Type.Boolean() })
