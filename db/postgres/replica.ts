/**
 * A streaming standby for reads that may be outdated. Only a check every second decides whether it is used, so that no read
 * waits for an unreachable server. Its lag is measured with positions in the log, since times would need a primary that
 * commits constantly.
 */
import { sql } from 'drizzle-orm'
import { withDeadline } from '../deadline.ts'
import { DatabaseError, describeDatabaseError } from '../errors.ts'
import { requireExpectedSchema } from '../expected-schema.ts'
import { tableBeside } from '../schema/shape.ts'
import type { Database, Reader } from '../types.ts'

/** Number of remembered positions of the primary. A usable replica lags by fewer checks than this. */
const REMEMBERED = 6
/** Deadline after which a check fails and a read is sent to the primary. Milliseconds. */
const DEADLINE_MS = 1_000

export interface Replica {
  readonly read: Reader
  /** Why it is not used now; null while it is. */
  problem(): string | null
  /** Decides whether it is used. Call it every second. Never rejects. */
  check(): Promise<void>
  /** Waits for a read of the replica. @throws the error of the read; DatabaseError `unreachable` after the deadline */
  inTime<T>(result: PromiseLike<T>): Promise<T>
  poolLoad: Database['poolLoad']
  close(): Promise<void>
}

const ONE_ROW = sql`(select 1) one`
// Positions in the log, in bytes; null where there is none.
const WRITTEN = sql`case when pg_is_in_recovery() then null else pg_current_wal_lsn() - '0/0' end`
const REPLAYED = sql`case when pg_is_in_recovery() then pg_last_wal_replay_lsn() - '0/0' end`

/** `server`: the database of the replica. Closing the watch closes it. */
export function watchReplica(
  server: Database,
  primary: Pick<Database, 'read'>,
  deadlineMs = DEADLINE_MS,
): Replica {
  /** Positions of the primary at the last checks, oldest first. */
  const positions: number[] = []
  let problem: string | null = 'not checked yet'

  const inTime = <T>(result: PromiseLike<T>) =>
    withDeadline(result, deadlineMs, () => new DatabaseError('unreachable', undefined, 'no response in time'))

  async function notePrimary() {
    const [row] = await inTime(primary.read.select({ position: WRITTEN.mapWith(Number) }).from(ONE_ROW))
    // Drizzle maps no null.
    const position: number | null = row?.position ?? null
    if (position !== null) positions.push(position)
    if (positions.length > REMEMBERED) positions.shift()
  }

  async function findProblem(): Promise<string | null> {
    const applied = sql`(select count(*) from ${tableBeside(server, '__drizzle_migrations')})`
    const state = { replayed: REPLAYED.mapWith(Number), applied: applied.mapWith(Number) }
    const [[row]] = await Promise.all([
      inTime(server.read.select(state).from(ONE_ROW)),
      // If the primary is down, nothing is committed, so the known positions remain valid.
      notePrimary().catch(() => {}),
    ])
    requireExpectedSchema('postgres', row?.applied ?? 0)
    const replayed: number | null = row?.replayed ?? null
    // Not a standby: its lag cannot be measured.
    if (replayed === null) return null
    const [required] = positions
    return required !== undefined && replayed >= required ? null : 'behind the primary'
  }

  return {
    read: server.read,
    problem: () => problem,
    async check() {
      problem = await findProblem().catch(describeDatabaseError)
    },
    inTime,
    poolLoad: server.poolLoad,
    close: server.close,
  }
}
