/** Schemas of jobs and of the repeated tasks. */
import { Bytes, Closed, Id, IdReference, Instant, Integer, Nullable, OneOf } from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { Reason } from '../../../identity/staff/reason.ts'
import { PART_BYTES } from '../../../platform/files/stored-file.ts'
import { DATE_ORDERS, MEMBERSHIP_COLUMNS } from '../../../play/memberships/file-columns.ts'
import { VERIFICATIONS } from '../../admin/jobs/job-kinds.ts'
import { Change } from '../catalogue/schema.ts'

const LineFault = Closed({
  line: Integer({ description: 'Of the file.' }),
  field: Type.String({ description: 'A column or a member; empty if the fault concerns none.' }),
  message: Type.String(),
})

const userId = Nullable(Type.String(), { description: 'Null if it does not concern a single fan.' })
const differing = {
  what: Type.String({ description: 'What differs, such as a table and a column.' }),
  expected: Nullable(Type.Union([Type.String(), Type.Number()])),
  actual: Nullable(Type.Union([Type.String(), Type.Number()])),
}
const LedgerFinding = Closed({
  userId,
  seq: Type.Optional(Integer({ description: 'The position of an entry in the ledger of the fan.' })),
  board: Type.Optional(Type.String()),
  ...differing,
})
const QuestFinding = Closed({
  userId,
  questId: Type.String(),
  period: Nullable(Type.String(), { description: 'Null for a streak, or for the quest itself.' }),
  ...differing,
})

const ChangedEntry = Closed({
  kind: Type.String(),
  id: Type.String(),
  outcome: OneOf(['created', 'changed', 'unchanged', 'deactivated']),
  members: Type.Array(Change),
})

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
    listed: Type.Array(Type.Union([LineFault, LedgerFinding, QuestFinding]), {
      description:
        'The first findings, or the first faults of a file. A run has more of them than the list of runs.',
    }),
    changes: Type.Array(ChangedEntry, {
      description:
        'The first entries that an import of the catalogue or of memberships changes. Empty in the list of runs.',
    }),
    counts: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()])),
    error: Nullable(Type.String()),
  },
  { title: 'JobRun' },
)

/** Null: PostgreSQL is backed up by its own tools. */
const Backups = Nullable(
  Closed({
    folder: Type.String({ description: 'On the server.' }),
    databaseBytes: Integer(),
    freeBytes: Integer({ description: 'Of the disk of the folder.' }),
    files: Type.Array(
      Closed({ name: Type.String(), bytes: Integer(), at: Instant('When it was written.') }),
      {
        description: 'Newest first.',
      },
    ),
  }),
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
    runs: Type.Array(JobRun, { description: 'Newest first, of 90 days.' }),
    maintenance: Type.Array(
      Closed({ command: Type.String(), finishedAt: Nullable(Instant('When it last ended well.')) }),
      { description: 'Backups and verifications, by command or from here.' },
    ),
    tasks: Type.Array(Task, { description: 'Of the process that serves the console.' }),
    backups: Backups,
  },
  { title: 'Jobs' },
)

export const StartVerification = Closed({
  kind: OneOf(VERIFICATIONS, { description: 'What is recomputed.', examples: ['verify-ledger'] }),
  reason: Reason,
})
/** The name of a file in the browser. Its extension determines the format. */
const FileName = Type.String({ minLength: 1, maxLength: 255, examples: ['fans.csv'] })

export const AnnounceFile = Closed({
  command: OneOf(['import-catalog', 'import-events', 'import-fans', 'import-memberships']),
  name: FileName,
  bytes: Integer({ minimum: 1, description: 'Of the whole file.' }),
})
export const AnnouncedFile = Closed({
  id: Id('Of the file.'),
  partBytes: Integer({ description: 'Of each part but the last one.' }),
})
export const FileParams = Closed({ fileId: IdReference('The file.') })
export const PartParams = Closed({
  fileId: IdReference('The file.'),
  part: Type.String({ pattern: '^(0|[1-9][0-9]{0,4})$', description: '0, 1, 2 …', examples: ['0'] }),
})
export const Part = Bytes(PART_BYTES, ['application/octet-stream'], 'A part of the file.')
export const StoredPart = Closed({ stored: Type.Literal(true) })
export const CheckFile = Closed({
  source: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Of events: the system that they come from.',
      examples: ['till'],
    }),
  ),
  prune: Type.Optional(
    Type.Boolean({ description: 'Of the catalogue: also deactivate what is not in the file.' }),
  ),
  force: Type.Optional(
    Type.Boolean({
      description: 'Of the catalogue: also move kick-offs that a reported state of the match keeps.',
    }),
  ),
  dates: Type.Optional(
    OneOf(DATE_ORDERS, { description: 'Of memberships: whether 03/04/2026 has the day or the month first.' }),
  ),
  columns: Type.Optional(
    Type.Array(
      Closed({
        column: Type.String({ minLength: 1, maxLength: 100, examples: ['Card no.'] }),
        name: OneOf(MEMBERSHIP_COLUMNS),
      }),
      { maxItems: 20, description: 'Of memberships: columns of the file, and our names of them.' },
    ),
  ),
})
export const StartImport = Closed({
  check: IdReference('The run that tried the file.'),
  skipInvalid: Type.Optional(
    Type.Boolean({ description: 'Import the valid lines of a file with invalid ones.' }),
  ),
  reason: Reason,
})
export const StartBackup = Closed({ reason: Reason })

export const RunParams = Closed({ runId: IdReference('The run.') })
export const CancelRun = Closed({ reason: Reason })
export const Cancelled = Closed({ cancelling: Type.Boolean() })
