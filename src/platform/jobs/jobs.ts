/** Runs jobs in this process, slowly while it serves requests of fans, and stores their progress. */
import type { Transaction } from '../../../db/index.ts'
import { createGiveWay, type GiveWay } from '../../core/give-way.ts'
import type { Job, JobDeps, JobResult, StartedBy } from './job.ts'
import { recordRun } from './maintenance.ts'
import { endRun, noteProgress, type RunRow, requestCancel, startRun } from './runs.ts'

/** Well below the time after which a run counts as dead. A cancellation by another process takes this long. */
const HEARTBEAT_MS = 2_000
/** Work between two pauses. */
const STEP_MS = 25

/** Thrown within a run to end it. */
class Cancelled extends Error {}
/** This process stops, or another process has declared the run dead. */
class Stopped extends Error {}

interface JobsDeps<Kind, Input> extends JobDeps {
  /** What can be run, by name. */
  kindOf: (kind: Kind) => Job<Input>
  /** Between two steps of a run. */
  giveWay?: GiveWay
  /** Between two notes of the progress. */
  heartbeatMs?: number
}

interface Running {
  end?: Cancelled | Stopped
  done: number
  total: number | null
}

export function createJobs<Kind extends string, Input extends object>({
  db,
  log,
  elapsed,
  config,
  kindOf,
  giveWay = createGiveWay({ elapsed, inFlight: () => 0 }),
  heartbeatMs = HEARTBEAT_MS,
}: JobsDeps<Kind, Input>) {
  const running = new Map<string, Running>()
  const ending = new Set<Promise<void>>()

  /** Starts after the commit. Null: a run of this kind is already running, here or in another process. */
  async function start(
    tx: Transaction,
    kind: Kind,
    input: Input,
    startedBy: StartedBy,
  ): Promise<RunRow | null> {
    const hasInput = Object.keys(input).length > 0
    const slot = kindOf(kind).slotOf(input)
    const run = await startRun(tx, { kind, input: hasInput ? input : null, slot, startedBy })
    if (!run) return null
    tx.afterCommit(() => {
      const ended = execute(run.id, kind, input, startedBy)
      ending.add(ended)
      void ended.finally(() => ending.delete(ended))
    })
    return run
  }

  /** False: no run with this id is running. */
  async function cancel(tx: Transaction, id: string): Promise<boolean> {
    const asked = await requestCancel(tx, id)
    tx.afterCommit(() => {
      const own = running.get(id)
      if (asked && own) own.end ??= new Cancelled()
    })
    return asked
  }

  /** Never rejects. */
  async function execute(id: string, kind: Kind, input: Input, startedBy: StartedBy): Promise<void> {
    const state: Running = { done: 0, total: null }
    running.set(id, state)
    const heartbeat = setInterval(() => void beat(id, state), heartbeatMs)
    let steppedAt = elapsed()
    const onProgress = async (done: number, total: number | null) => {
      Object.assign(state, { done, total })
      if (state.end) throw state.end
      const took = elapsed() - steppedAt
      if (took < STEP_MS) return
      await giveWay(took)
      steppedAt = elapsed()
      if (state.end) throw state.end
    }
    try {
      const context = { db, log, elapsed, config, input, startedBy, onProgress }
      const outcome = await kindOf(kind).run(context)
      const isOwn = await finish(id, kind, state, outcome)
      if (isOwn && !outcome.failed) await tidy(id, kind, input)
    } catch (error) {
      await fail(id, state, error)
    } finally {
      clearInterval(heartbeat)
      running.delete(id)
    }
  }

  async function beat(id: string, state: Running): Promise<void> {
    const { done, total } = state
    try {
      const noted = await db.write(tx => noteProgress(tx, id, { done, total }))
      if (!noted) state.end ??= new Stopped()
      else if (noted.isCancelled) state.end ??= new Cancelled()
    } catch (error) {
      log.warn({ run: id, error }, 'the progress of a job was not stored')
    }
  }

  /** False: it was declared dead meanwhile. */
  async function finish(
    id: string,
    kind: Kind,
    { done, total }: Running,
    outcome: JobResult,
  ): Promise<boolean> {
    const { maintenance } = kindOf(kind)
    const isOwn = await db.write(async tx => {
      const result = JSON.stringify(outcome)
      const error = outcome.failed ?? null
      const state = error === null ? 'done' : 'failed'
      const ended = await endRun(tx, id, { state, done, total, result, error })
      if (maintenance && outcome.findings === 0) await recordRun(tx, maintenance)
      return ended
    })
    if (outcome.findings)
      log.error({ run: id, kind, findings: outcome.findings }, 'a verification has findings')
    return isOwn
  }

  /** If it fails, a sweep deletes the remains later. */
  async function tidy(id: string, kind: Kind, input: Input): Promise<void> {
    try {
      await kindOf(kind).afterwards?.(db, input)
    } catch (error) {
      log.warn({ run: id, error }, 'a job could not tidy up')
    }
  }

  async function fail(id: string, { done, total }: Running, error: unknown): Promise<void> {
    const isCancelled = error instanceof Cancelled
    if (!isCancelled && !(error instanceof Stopped)) log.error({ run: id, error }, 'a job failed')
    const why = isCancelled ? null : error instanceof Stopped ? STOPPED : FAILED
    const end = {
      state: isCancelled ? 'cancelled' : 'failed',
      done,
      total,
      result: null,
      error: why,
    } as const
    // If this fails, the run is declared dead when its heartbeat is old.
    await db
      .write(tx => endRun(tx, id, end))
      .catch(failure => log.warn({ run: id, error: failure }, 'the end of a job was not stored'))
  }

  return {
    start,
    cancel,
    /** Ends the runs of this process. */
    async stop(): Promise<void> {
      for (const state of running.values()) state.end ??= new Stopped()
      await Promise.all(ending)
    },
    /** Resolves when no run of this process is left. */
    settled: async (): Promise<void> => void (await Promise.all(ending)),
  }
}

const STOPPED = 'The process was stopped. Start it again.'
const FAILED = 'It failed. The log of the process says why.'
