/** The declaration of a kind of job, and the arguments of a run. */
import type { Finding } from '../../../core/finding.ts'
import type { JobContext as ContextOf, Job, JobResult as ResultOf } from '../../../platform/jobs/job.ts'
import type { CatalogueStep } from '../../../play/catalogue-file/import-file.ts'
import type { QuestFinding } from '../../../play/quests/audit/facts.ts'

/** The stored parameters of a run. */
export type JobInput = Partial<
  Record<
    // For a replay: the deliveries.
    | 'endpointId'
    | 'since'
    // For a backup: its path. For an import: the id of the uploaded file.
    | 'file'
    // For an import: the name of the file, and the options of the command. `check`: its dry run.
    | 'name'
    | 'dryRun'
    | 'skipInvalid'
    | 'source'
    | 'prune'
    | 'force'
    | 'check'
    | 'reason'
    // Of memberships: the order of days and months, and a JSON object of the columns.
    | 'dates'
    | 'columns',
    string
  >
>

export type JobContext = ContextOf<JobInput>

/** A fault of a file. */
export interface LineFault {
  line: number
  /** A column or a member; empty if the fault concerns none. */
  field: string
  message: string
}

export type Listed = LineFault | Finding | QuestFinding

export interface ChangedEntry {
  kind: string
  id: string
  outcome: CatalogueStep['outcome']
  members: { member: string; from: unknown; to: unknown }[]
}

export interface JobResult extends ResultOf {
  /** The first findings, with names of tables and ids only; for an import, the first faults. */
  listed?: Listed[]
  /** For an import of the catalogue or of memberships: the first entries that change. */
  changes?: ChangedEntry[]
  /** Further numbers, such as `entries`. */
  counts: Record<string, number | string>
}

export type Kind = Job<JobInput, JobResult>
