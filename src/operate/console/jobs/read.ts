/** Data of jobs for the page. */
import type { Database, Reader } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import type { TaskLog, TaskRuns } from '../../../core/task-log.ts'
import type { Config } from '../../../platform/config/config.ts'
import { listBackups } from '../../../platform/files/list-backups.ts'
import { readRuns } from '../../../platform/jobs/maintenance.ts'
import { findRun, listRuns, type RunRow, type RunState } from '../../../platform/jobs/runs.ts'
import type { JobInput, JobResult } from '../../admin/jobs/kind.ts'
import { isJobKind, JOB_KINDS } from '../../admin/jobs/kinds.ts'
import { jobProblems } from './problems.ts'

const COMMANDS = ['backup', 'verify-ledger', 'verify-quests']
/** Maximum findings of each run in the list. A single run has all stored findings. */
const LISTED = 20

interface Read {
  db: Database
  tasks: TaskLog
  config: Pick<Config, 'backups'>
}

export async function readJobs({ db, tasks, config: { backups } }: Read) {
  const [runs, maintenance] = [await listRuns(db.read), await readRuns(db.read)]
  return {
    runs: runs.map(presentRun),
    maintenance: COMMANDS.map(command => ({
      command,
      finishedAt: maintenance.get(command)?.toISOString() ?? null,
    })),
    tasks: tasks.list().map(presentTask),
    backups: backups && presentBackups(listBackups(backups)),
  }
}

/** @throws DomainError `run_not_found` */
export async function readRun(reader: Reader, id: string) {
  const run = await findRun(reader, id)
  if (!run) throw new DomainError(jobProblems.run_not_found)
  return presentWhole(run)
}

const presentBackups = ({ files, ...place }: ReturnType<typeof listBackups>) => ({
  ...place,
  files: files.map(({ at, ...file }) => ({ ...file, at: at.toISOString() })),
})

export function presentRun(run: RunRow) {
  const whole = presentWhole(run)
  return { ...whole, listed: whole.listed.slice(0, LISTED), changes: [] }
}

function presentWhole(run: RunRow) {
  const { id, kind, startedById, startedByName, startedAt, endedAt, done, total, error } = run
  // Guarantees of the casts: only the jobs write these columns.
  const outcome = run.result === null ? null : (JSON.parse(run.result) as JobResult)
  const input = run.input === null ? null : (JSON.parse(run.input) as JobInput as Record<string, string>)
  const { findings = null, listed = [], changes = [], counts = {} } = outcome ?? {}
  return {
    id,
    kind,
    input,
    done,
    total,
    error,
    findings,
    counts,
    // Guarantee of the cast: a constraint of the table.
    state: run.state as RunState,
    startedBy: { id: startedById, name: startedByName },
    startedAt: startedAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    unit: isJobKind(kind) ? JOB_KINDS[kind].unit : null,
    isCancelling: run.state === 'running' && run.cancelRequestedAt !== null,
    listed,
    changes,
  }
}

function presentTask({
  task,
  everyMs,
  startedAt,
  tookMs,
  isRunning,
  succeeded,
  runs,
  failures,
  failedAt,
}: TaskRuns) {
  const nextAt = startedAt && !isRunning ? new Date(startedAt.getTime() + everyMs).toISOString() : null
  return {
    task,
    everyMs,
    isRunning,
    succeeded,
    runs,
    failures,
    nextAt,
    tookMs: tookMs === null ? null : Math.round(tookMs),
    lastAt: startedAt?.toISOString() ?? null,
    failedAt: failedAt?.toISOString() ?? null,
  }
}
