/** What a kind of job says about itself, and what it gets while it runs. */
import type { Logger } from 'pino'
import type { Database } from '../../../../db/index.ts'
import type { AppSources } from '../../../core/sources.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { MaintenanceCommand } from '../maintenance.ts'

/** Awaited between two steps. Rejects when the run is to end. */
type OnProgress = (done: number, total: number | null) => Promise<void>

export interface JobDeps {
  db: Database
  log: Logger
  elapsed: AppSources['elapsed']
  config: Pick<Config, 'backups' | 'erasureList' | 'identity' | 'nativeTokens' | 'uploads'>
}

/** What a run is about, as it is stored. */
export type JobInput = Partial<
  Record<
    // Of a replay: which deliveries.
    | 'endpointId'
    | 'since'
    // Of a backup: its path. Of an import: the id of what was uploaded.
    | 'file'
    // Of an import: the name of the file, and the options of the command. `check`: the run that tried it.
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

export interface JobResult {
  /** How many differences were found, of a verification. */
  findings?: number
  /** The first findings, in words of the tables, with ids only; of an import the first faults. */
  listed?: object[]
  /** Of an import of the catalogue: the first entries that change. */
  changes?: object[]
  /** Further numbers, such as `entries`. */
  counts: Record<string, number | string>
  /** Why it failed, for staff, though it ran to its end. */
  failed?: string
}

export interface Kind {
  /** What `done` counts. */
  unit: string
  /** The time of a run without findings, for the metrics. */
  maintenance?: MaintenanceCommand
  /** Of runs with the same one, one runs at a time. */
  slotOf(input: JobInput): string
  run(context: JobContext): Promise<JobResult>
  /** After a run that did not fail. */
  afterwards?(db: Database, input: JobInput): Promise<void>
}
