/** Tables of events that wait to be distributed, in lanes: `events` of fans, `match_events` of matches. */
import { and, asc, count, gt, lte, min, sql } from 'drizzle-orm'
import { updateRows } from '../../../db/bulk.ts'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'

/** The position of an event that waits. */
export const AWAITING = 0
/** Events that wait are counted up to this number, so that a long backlog does not slow the database. */
const MAX_COUNTED = 10_000

const lanes = { events: 'userId', matchEvents: 'matchId' } as const

/** How many events wait, and when the oldest of them was recorded; null if none does. */
interface Awaiting {
  pending: number
  since: Date | null
}

interface Taking {
  /** The lane after which to begin; empty for the first. */
  after: string
  /** The greatest position so far. */
  last: number
  max: number
}

type Positioned<Of extends keyof typeof lanes> = Tables[Of]['$inferSelect'] & { position: number }

export function outboxOf<const Of extends keyof typeof lanes>(of: Of) {
  // Guarantee of the cast: both have these columns, and rows are mapped by their own table.
  const tableOf = ({ tables }: Pick<Reader, 'tables'>) => tables[of] as unknown as Tables['matchEvents']
  const laneOf = (reader: Pick<Reader, 'tables'>) =>
    lanes[of] === 'userId' ? reader.tables.events.userId : reader.tables.matchEvents.matchId
  /** Literal: a parameter would not match the partial index. */
  const isAwaiting = (reader: Pick<Reader, 'tables'>) => sql`${tableOf(reader).position} = 0`

  const selectOne = prepared((reader: Reader) =>
    reader.select({ one: sql`1` }).from(tableOf(reader)).where(isAwaiting(reader)).limit(1),
  )
  // The rows are updated by their keys: joined with the rows that wait, PostgreSQL may read all of them for each.
  const lockOldest = prepared((tx: Transaction, after: string, max: number) => {
    const lane = laneOf(tx)
    const oldest = tx
      .select()
      .from(tableOf(tx))
      .where(and(isAwaiting(tx), gt(lane, after)))
      .orderBy(asc(lane), asc(tableOf(tx).sequence))
      .limit(max)
    return locksForUpdate(tx, oldest)
  })
  const selectBetween = prepared((reader: Reader, after: number, upTo: number, limit: number) => {
    const { position } = tableOf(reader)
    return reader
      .select()
      .from(tableOf(reader))
      .where(and(sql`${position} > 0`, gt(position, after), lte(position, upTo)))
      .orderBy(asc(position))
      .limit(limit)
  })
  // Guarantee of the cast: the rows of the table, all of which have a position.
  const positioned = (rows: object[]) => rows as Positioned<Of>[]

  return {
    isAwaiting,
    /** Cheap enough for a poll. */
    anyAwaits: async (reader: Reader): Promise<boolean> => (await selectOne(reader)).length > 0,

    /**
     * Gives up to `max` events that wait the positions after `last`, lane by lane, and returns them in this order. The
     * distribution is locked; what an erasure clears meanwhile is left out.
     */
    async takeOldest(tx: Transaction, { after, last, max }: Taking): Promise<Positioned<Of>[]> {
      const rows = (await lockOldest(tx, after, max)).map((row, index) => ({
        ...row,
        position: last + index + 1,
      }))
      await updateRows(tx, tableOf(tx), rows, ['position'])
      return positioned(rows)
    },

    /** The events of up to `limit` positions after `after` and up to `upTo`, in the order of positions. */
    readBetween: async (reader: Reader, after: number, upTo: number, limit: number) =>
      positioned(await selectBetween(reader, after, upTo, limit)),

    /** At most 10000. */
    async countAwaiting(reader: Reader): Promise<Awaiting> {
      const waiting = reader
        .select({ recordedAt: tableOf(reader).recordedAt })
        .from(tableOf(reader))
        .where(isAwaiting(reader))
        .limit(MAX_COUNTED)
        .as('waiting')
      const [row] = await reader.select({ pending: count(), since: min(waiting.recordedAt) }).from(waiting)
      return row ?? { pending: 0, since: null }
    },
  }
}

/** Both as one: at most 10000. */
export function sumAwaiting(all: Awaiting[]): Awaiting {
  const pending = all.reduce((sum, each) => sum + each.pending, 0)
  const times = all.flatMap(({ since }) => since?.getTime() ?? [])
  return {
    pending: Math.min(pending, MAX_COUNTED),
    since: times.length > 0 ? new Date(Math.min(...times)) : null,
  }
}
