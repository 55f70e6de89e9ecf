/**
 * A streaming standby for reads that may be outdated. A check every second decides whether it is used, so that no read waits
 * for a server that is gone. Its lag is measured by positions of the log: times would need a primary that always commits.
 */
import { sql } from 'drizzle-orm'
import { withDeadline } from '../deadline.ts'
import { DatabaseError, describeDatabaseError, translateDatabaseError } from '../errors.ts'
import { requireExpectedSchema } from '../expected-schema.ts'
import type { Database, Reader } from '../types.ts'

/** A replica that lacks what was committed longer ago is not used. */
const MAX_LAG_MS = 5_000
/** How long the result of a check holds. Checks are a second apart. */
const TRUST_MS = 3_000
/** How long a replica is not used after a read of it has failed, though checks may succeed. */
const PAUSE_MS = 5_000
/** After it, a read is sent to the primary. */
const DEADLINE_MS = 1_000

export interface Replica {
  readonly read: Reader
  /** Why it is not used now; null while it is. */
  problem(): string | null
  /** Decides whether it is used. Call it every second. Never rejects. */
  check(): Promise<void>
  /**
   * Settles as a read of it, or rejects after the deadline. Pauses the use of the replica if it is at fault.
   * @throws what the read throws; DatabaseError `unreachable` after the deadline
   */
  guard<T>(result: Promise<T>): Promise<T>
  poolLoad: Database['poolLoad']
  close(): Promise<void>
}

interface Options {
  /** Monotonic clock, in milliseconds. */
  elapsed: () => number
  deadlineMs?: number
}

const ONE_ROW = sql`(select 1) one`
// Positions in the log, in bytes; null where there is none.
const WRITTEN = sql`case when pg_is_in_recovery() then null else pg_current_wal_lsn() - '0/0' end`
const REPLAYED = sql`case when pg_is_in_recovery() then pg_last_wal_replay_lsn() - '0/0' end`
const APPLIED = sql`(select count(*) from "__drizzle_migrations")`

/** `server`: the database of the replica, which this closes. */
export function watchReplica(
  server: Database,
  primary: Pick<Database, 'read'>,
  { elapsed, deadlineMs = DEADLINE_MS }: Options,
): Replica {
  /** Of the primary, oldest first: the newest one that is `MAX_LAG_MS` old, and those after it. */
  const positions: { readAt: number; position: number }[] = []
  let readingPrimary: Promise<void> | undefined
  let checked: { at: number; problem: string | null } = { at: Number.NEGATIVE_INFINITY, problem: null }
  let failed: { until: number; problem: string } | undefined

  const isDue = ({ readAt }: { readAt: number }) => readAt <= elapsed() - MAX_LAG_MS
  const unresponsive = () => new DatabaseError('unreachable', undefined, 'no response in time')

  async function notePrimary() {
    const readAt = elapsed()
    const [row] = await primary.read.select({ position: WRITTEN.mapWith(Number) }).from(ONE_ROW)
    // Drizzle maps no null.
    const position: number | null = row?.position ?? null
    if (position !== null) positions.push({ readAt, position })
    while (positions[1] && isDue(positions[1])) positions.shift()
  }

  async function findProblem(): Promise<string | null> {
    // Without the primary nothing is committed: the positions that are known still hold.
    readingPrimary ??= notePrimary()
      .catch(() => {})
      .finally(() => {
        readingPrimary = undefined
      })
    if (positions.length === 0) await readingPrimary
    const state = { replayed: REPLAYED.mapWith(Number), applied: APPLIED.mapWith(Number) }
    const [row] = await server.read.select(state).from(ONE_ROW)
    requireExpectedSchema('postgres', row?.applied ?? 0)
    const replayed: number | null = row?.replayed ?? null
    // Not a standby: its lag cannot be measured.
    if (replayed === null) return null
    const required = positions.findLast(isDue) ?? positions[0]
    return required && replayed >= required.position ? null : 'behind the primary'
  }

  return {
    read: server.read,
    problem() {
      const now = elapsed()
      if (now - checked.at > TRUST_MS) return 'not checked recently'
      return checked.problem ?? (failed && now < failed.until ? failed.problem : null)
    },
    async check() {
      const at = elapsed()
      const problem = await withDeadline(findProblem(), deadlineMs, unresponsive).catch(describeDatabaseError)
      checked = { at, problem }
    },
    async guard(result) {
      try {
        return await withDeadline(result, deadlineMs, unresponsive)
      } catch (error) {
        if (translateDatabaseError(error) instanceof DatabaseError)
          failed = { until: elapsed() + PAUSE_MS, problem: describeDatabaseError(error) }
        throw error
      }
    },
    poolLoad: server.poolLoad,
    close: server.close,
  }
}
