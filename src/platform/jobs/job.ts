/** A kind of job, as its runner sees it, and the arguments of a run. */
import type { Logger } from 'pino'
import type { Database } from '../../../db/index.ts'
import type { AppSources } from '../../core/sources.ts'
import type { Config } from '../config/config.ts'
import type { MaintenanceCommand } from './maintenance.ts'

export interface JobDeps {
  db: Database
  log: Logger
  elapsed: AppSources['elapsed']
  config: Pick<Config, 'backups' | 'erasureList' | 'fansByEmail' | 'identity' | 'nativeTokens' | 'uploads'>
}

/** The person of the staff who started a run. */
export interface StartedBy {
  id: string
  name: string
}

/** `input`: the stored parameters of the run. */
export interface JobContext<Input> extends JobDeps {
  input: Input
  startedBy: StartedBy
  /** Awaited between two steps. Rejects when the run must end. */
  onProgress: (done: number, total: number | null) => Promise<void>
}

/** Stored as JSON, with what the kind adds. */
export interface JobResult {
  /** Number of findings of a verification. */
  findings?: number
  /** Why it failed although it ran to its end, for staff. */
  failed?: string
}

export interface Job<Input, Result extends JobResult = JobResult> {
  /** The unit of `done`. */
  unit: string
  /** The command whose last success the metrics show; a run without findings sets it. */
  maintenance?: MaintenanceCommand
  /** Only one run with the same value runs at a time. */
  slotOf(input: Input): string
  run(context: JobContext<Input>): Promise<Result>
  /** Called after a run that did not fail. */
  afterwards?(db: Database, input: Input): Promise<void>
}
