/** What the page shows of jobs. */
import type { Database } from '../../../../db/index.ts'
import type { TaskLog, TaskRuns } from '../../../core/task-log.ts'
import { isJobKind, JOB_KINDS, type JobResult } from '../../admin/jobs/kinds.ts'
import { listRuns, type RunRow, type RunState } from '../../admin/jobs/runs.ts'
import { readRuns } from '../../admin/maintenance.ts'

const COMMANDS = ['backup', 'verify-ledger', 'verify-quests']

export async function readJobs(db: Database, tasks: TaskLog) {
  const [runs, maintenance] = [await listRuns(db.read), await readRuns(db.read)]
  return {
    runs: runs.map(presentRun),
    maintenance: COMMANDS.map(command => ({
      command,
      finishedAt: maintenance.get(command)?.toISOString() ?? null,
    })),
    tasks: tasks.list().map(presentTask),
  }
}

export function presentRun(run: RunRow) {
  const { id, kind, startedById, startedByName, startedAt, endedAt, done, total, error } = run
  // Guarantees of the casts: only the jobs write these columns.
  const outcome = run.result === null ? null : (JSON.parse(run.result) as JobResult)
  const input = run.input === null ? null : (JSON.parse(run.input) as Record<string, string>)
  const { findings = null, listed = [], counts = {} } = outcome ?? {}
  return {
    ...{ id, kind, input, done, total, error, findings, counts },
    state: run.state as RunState,
    startedBy: { id: startedById, name: startedByName },
    startedAt: startedAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    unit: isJobKind(kind) ? JOB_KINDS[kind].unit : null,
    isCancelling: run.state === 'running' && run.cancelRequestedAt !== null,
    listed: listed as Record<string, unknown>[],
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
    ...{ task, everyMs, isRunning, succeeded, runs, failures, nextAt },
    tookMs: tookMs === null ? null : Math.round(tookMs),
    lastAt: startedAt?.toISOString() ?? null,
    failedAt: failedAt?.toISOString() ?? null,
  }
}
