/**
 * An archive, or a restore of a fan, runs alone: it is a run in the list of jobs, with a slot. A live move is refused while it runs, since the
 * deleted entries could not be deleted in the target.
 */
import { and, eq, gte } from 'drizzle-orm'
import { requireMigration } from '../../../../db/expected-schema.ts'
import type { Database, Reader, Transaction } from '../../../../db/index.ts'
import { ArchiveFault } from '../../../economy/archive/files.ts'
import { DEAD_MS, endRun, noteProgress, startRun } from '../../../platform/jobs/runs.ts'

const SLOT = 'archive'
/** The first migration whose versions know everything of archives. */
const KNOWS_ARCHIVES = '0047_archived-events-by-fan'
const HEARTBEAT_MS = 15_000
const STARTED_BY = { id: 'archive', name: 'the command archive' }

/** Whether one runs whose process is alive. */
export async function isArchiving(reader: Reader): Promise<boolean> {
  const { jobRuns } = reader.tables
  const alive = new Date(reader.now().getTime() - DEAD_MS)
  const found = await reader
    .select({ id: jobRuns.id })
    .from(jobRuns)
    .where(and(eq(jobRuns.slot, SLOT), gte(jobRuns.heartbeatAt, alive)))
  return found.length > 0
}

export interface ArchiveRun {
  /** Within each unit of work that changes rows. @throws ArchiveFault if the run has ended in the database, or was cancelled */
  hold(tx: Transaction): Promise<void>
}

/**
 * @param check what must hold when it begins. A move that begins at the same time waits for the run, or the run for the move
 * @throws ArchiveFault if another one runs
 */
export async function archiveAlone<Result>(
  db: Database,
  check: (tx: Transaction) => Promise<void>,
  work: (run: ArchiveRun) => Promise<Result>,
): Promise<Result> {
  const { id } = await db.write(async tx => {
    const run = await startRun(tx, { kind: 'archive', input: null, slot: SLOT, startedBy: STARTED_BY })
    if (!run)
      throw new ArchiveFault(
        'Another archive, or a restore, is running. If its process was killed, it ends within a minute.',
      )
    await check(tx)
    // Older versions would report the archived rows as missing, and count archived events again.
    await requireMigration(tx, db.engine, KNOWS_ARCHIVES)
    return run
  })
  let done = 0
  async function hold(tx: Transaction) {
    const noted = await noteProgress(tx, id, { done, total: null })
    if (!noted) throw new ArchiveFault('This run was declared dead, since it made no progress: run it again.')
    if (noted.isCancelled) throw new ArchiveFault('This run was cancelled in the console.')
    tx.afterCommit(() => void done++)
  }
  // Reading and writing a file can take longer than a run without a heartbeat lives. What fails here, fails in `hold` as well.
  const beat = () => db.write(tx => noteProgress(tx, id, { done, total: null })).catch(() => undefined)
  const heartbeat = setInterval(beat, HEARTBEAT_MS)
  const end = (state: 'done' | 'failed', error: string | null) =>
    db.write(tx => endRun(tx, id, { state, done, total: null, result: null, error }))
  try {
    const result = await work({ hold })
    await end('done', null)
    return result
  } catch (error) {
    await end('failed', error instanceof ArchiveFault ? error.message : 'It ended before it was done.').catch(
      () => undefined,
    )
    throw error
  } finally {
    clearInterval(heartbeat)
  }
}
