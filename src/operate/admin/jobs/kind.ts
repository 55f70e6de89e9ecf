/** The declaration of a kind of job, and the arguments of a run. */
import type { Logger } from 'pino'
import type { Database } from '../../../../db/index.ts'
import type { Finding } from '../../../core/finding.ts'
import type { AppSources } from '../../../core/sources.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { QuestFinding } from '../../../play/quests/audit/facts.ts'
import type { CatalogueStep } from '../import/catalogue-file.ts'
import type { MaintenanceCommand } from '../maintenance.ts'

/** Awaited between two steps. Rejects when the run must end. */
type OnProgress = (done: number, total: number | null) => Promise<void>

export interface JobDeps {
  db: Database
  log: Logger
  elapsed: AppSources['elapsed']
  config: Pick<Config, 'backups' | 'erasureList' | 'identity' | 'nativeTokens' | 'uploads'>
}

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
    | 'reason',
    string
  >
>

export interface JobContext extends JobDeps {
  input: JobInput
  startedBy: { id: string; name: string }
  onProgress: OnProgress
}

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

export interface JobResult {
  /** Number of findings of a verification. */
  findings?: number
  /** The first findings, with names of tables and ids only; for an import, the first faults. */
  listed?: Listed[]
  /** For an import of the catalogue: the first entries that change. */
  changes?: ChangedEntry[]
  /** Further numbers, such as `entries`. */
  counts: Record<string, number | string>
  /** Why it failed although it ran to its end, for staff. */
  failed?: string
}

export interface Kind {
  /** The unit of `done`. */
  unit: string
  /** The command whose last success the metrics show; a run without findings sets it. */
  maintenance?: MaintenanceCommand
  /** Only one run with the same value runs at a time. */
  slotOf(input: JobInput): string
  run(context: JobContext): Promise<JobResult>
  /** Called after a run that did not fail. */
  afterwards?(db: Database, input: JobInput): Promise<void>
}
