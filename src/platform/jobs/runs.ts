/**
 * Runs of jobs in the database, so that only one runs at a time in all processes, and each process can show the progress.
 */
import { and, desc, eq, isNotNull, lt, sql } from 'drizzle-orm'
import type { Database, Reader, Tables, Transaction } from '../../../db/index.ts'
import type { StartedBy } from './job.ts'

export type RunRow = Tables['jobRuns']['$inferSelect']
export type RunState = 'running' | 'done' | 'failed' | 'cancelled'

/** A run without a heartbeat for this long belongs to a process that died. */
export const DEAD_MS = 60_000
const KEPT_MS = 90 * 86_400_000

interface NewRun {
  kind: string
  input: object | null
  /** Only one run with the same value runs at a time. */
  slot: string
  startedBy: StartedBy
}

/** Null: another run has the slot. */
export async function startRun(tx: Transaction, { kind, input, slot, startedBy }: NewRun) {
  await failDeadRuns(tx)
  const now = tx.now()
  const [run] = await tx
    .insert(tx.tables.jobRuns)
    .values({
      id: tx.newId(),
      kind,
      slot,
      state: 'running',
      input: input && JSON.stringify(input),
      startedById: startedBy.id,
      startedByName: startedBy.name,
      startedAt: now,
      heartbeatAt: now,
    })
    .onConflictDoNothing()
    .returning()
  return run ?? null
}

const DIED = 'The process that ran it ended before it did.'

/** Ends the runs of processes that died. */
export async function failDeadRuns(tx: Transaction): Promise<void> {
  const { jobRuns } = tx.tables
  const now = tx.now()
  await tx
    .update(jobRuns)
    .set({ state: 'failed', slot: null, endedAt: now, error: DIED })
    .where(and(isNotNull(jobRuns.slot), lt(jobRuns.heartbeatAt, new Date(now.getTime() - DEAD_MS))))
}

interface Progress {
  done: number
  total: number | null
}

/** Undefined: the run was declared dead and has ended in the database. Otherwise, whether somebody asked to cancel it. */
export async function noteProgress(tx: Transaction, id: string, progress: Progress) {
  const { jobRuns } = tx.tables
  const [run] = await tx
    .update(jobRuns)
    .set({ ...progress, heartbeatAt: tx.now() })
    .where(and(eq(jobRuns.id, id), isNotNull(jobRuns.slot)))
    .returning({ cancelRequestedAt: jobRuns.cancelRequestedAt })
  return run && { isCancelled: run.cancelRequestedAt !== null }
}

/** False: no run with this id is running. A running one ends within seconds. */
export async function requestCancel(tx: Transaction, id: string): Promise<boolean> {
  const { jobRuns } = tx.tables
  const asked = await tx
    .update(jobRuns)
    .set({
      cancelRequestedAt: sql`coalesce(${jobRuns.cancelRequestedAt}, ${sql.param(tx.now(), jobRuns.startedAt)})`,
    })
    .where(and(eq(jobRuns.id, id), isNotNull(jobRuns.slot)))
    .returning({ id: jobRuns.id })
  return asked.length > 0
}

type End = Progress & { state: Exclude<RunState, 'running'> } & Pick<RunRow, 'result' | 'error'>

/** False: it had ended in the database. */
export async function endRun(tx: Transaction, id: string, end: End): Promise<boolean> {
  const { jobRuns } = tx.tables
  const ended = await tx
    .update(jobRuns)
    .set({ ...end, slot: null, endedAt: tx.now() })
    .where(and(eq(jobRuns.id, id), isNotNull(jobRuns.slot)))
    .returning({ id: jobRuns.id })
  return ended.length > 0
}

/** Ends the runs of processes that died, and deletes those that ended long ago. */
export const sweepRuns = (db: Database): Promise<void> =>
  db.write(async tx => {
    const { jobRuns } = tx.tables
    await failDeadRuns(tx)
    await tx.delete(jobRuns).where(lt(jobRuns.endedAt, new Date(tx.now().getTime() - KEPT_MS)))
  })

/** Undefined for an unknown id. Otherwise the run as in `listRuns`. */
export async function findRun(reader: Reader, id: string): Promise<RunRow | undefined> {
  const { jobRuns } = reader.tables
  const [run] = await reader.select().from(jobRuns).where(eq(jobRuns.id, id))
  return run && presentDead(reader, run)
}

const LISTED = 50

/** Newest first. A run of a process that died is shown as it will be stored. */
export async function listRuns(reader: Reader): Promise<RunRow[]> {
  const { jobRuns } = reader.tables
  const rows = await reader
    .select()
    .from(jobRuns)
    .orderBy(desc(jobRuns.startedAt), desc(jobRuns.id))
    .limit(LISTED)
  return rows.map(row => presentDead(reader, row))
}

function presentDead(reader: Reader, row: RunRow): RunRow {
  const isDead = row.slot !== null && row.heartbeatAt < new Date(reader.now().getTime() - DEAD_MS)
  return isDead ? { ...row, state: 'failed', slot: null, endedAt: row.heartbeatAt, error: DIED } : row
}
