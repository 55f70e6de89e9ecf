/**
 * Closes the tables of periods that have ended, a minute after the end, when points no longer change: the best rise, the last fall, and
 * who earned nothing leaves. Each part is one unit of work that notes how far it got, with the row of the period locked: of several
 * processes one closes a table, and after a crash the next process continues.
 */
import { and, asc, between, count, eq, inArray, isNull, lte, min } from 'drizzle-orm'
import { updateRows } from '../../../db/bulk.ts'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { finalAfter } from '../../economy/points/earned-between.ts'
import { type Batch, type SettleDeps, settleInBatches } from '../../economy/points/settle-in-batches.ts'
import { lockFans } from '../../identity/users/locks.ts'
import { readTables, type Seated } from './counting.ts'
import { getDivisions } from './division-set.ts'
import { openPeriod, type Period, type PeriodKey, periodOf } from './periods.ts'
import { giveSeats } from './place.ts'
import { type Ranked, rankTable, zonesOf } from './zones.ts'

/** Fans of a unit of work: far fewer would take as long, since its statements are the same for any number. */
const FANS = { min: 500, max: 5_000 }

/** How a period ended for a fan who is in a table of the next one. */
export interface Result {
  outcome: 'promoted' | 'relegated' | 'stayed'
  /** Id of the level of that period. */
  level: string
  toLevel: string
  rank: number
  points: number
  startsAt: string
  endsAt: string
}

/** Any number of processes may run it at the same time. */
export async function closeDivisions(
  deps: Pick<SettleDeps, 'db' | 'elapsed'>,
  stopping: () => boolean = () => false,
): Promise<void> {
  const { read } = deps.db
  const until = endedBy(read)
  while (!stopping()) {
    const [due] = await selectDue(read, until)
    if (!due) return
    await settleInBatches(deps, (tx, fans) => closeTables(tx, due, fans), { stopping, limits: FANS })
  }
}

/** For metrics: the periods that wait to be closed, and since when the first of them does; null without one. */
export async function readDuePeriods(reader: Reader): Promise<{ due: number; since: Date | null }> {
  const { divisionPeriods: periods } = reader.tables
  const [row] = await reader
    .select({ due: count(), endedAt: min(periods.endsAt) })
    .from(periods)
    .where(and(isNull(periods.closedAt), lte(periods.endsAt, endedBy(reader))))
  return { due: Number(row?.due), since: row?.endedAt ? finalAfter(row.endedAt) : null }
}

/** The periods that ended by then no longer change: minus the minute in which points can still do so. */
const endedBy = (reader: Reader) => new Date(2 * reader.now().getTime() - finalAfter(reader.now()).getTime())

const selectDue = prepared((reader: Reader, until: Date) => {
  const { divisionPeriods: periods } = reader.tables
  const { divisionId, startsAt } = periods
  return reader
    .select({ divisionId, startsAt })
    .from(periods)
    .where(and(isNull(periods.closedAt), lte(periods.endsAt, until)))
    .orderBy(asc(periods.endsAt), asc(divisionId))
    .limit(1)
})

/** Closes as many tables as have so many fans. Null if another process has closed the period. */
export async function closeTables(tx: Transaction, key: PeriodKey, fans: number): Promise<Batch | null> {
  const period = await lockPeriod(tx, key)
  if (!period || period.closedAt) return null
  const { divisionPeriods: periods, divisionLevels: levels } = tx.tables
  const { divisionId, startsAt, size } = period
  const isOf = and(eq(levels.divisionId, divisionId), eq(levels.startsAt, startsAt))
  const rows = await tx.select().from(levels).where(isOf).orderBy(asc(levels.level))
  const open = rows.find(({ placed, closed }) => closed * size < placed)
  if (!open) {
    const isPeriod = and(eq(periods.divisionId, divisionId), eq(periods.startsAt, startsAt))
    await tx.update(periods).set({ closedAt: tx.now() }).where(isPeriod)
    return { mismatched: [], more: false }
  }
  const { level, closed, placed } = open
  const last = Math.min(Math.ceil(placed / size), closed + Math.max(1, Math.floor(fans / size)))
  await moveMembers(tx, period, { level, first: closed + 1, last })
  await tx
    .update(levels)
    .set({ closed: last })
    .where(and(isOf, eq(levels.level, level)))
  return { mismatched: [], more: true }
}

async function lockPeriod(tx: Transaction, { divisionId, startsAt }: PeriodKey): Promise<Period | undefined> {
  const { divisionPeriods: periods } = tx.tables
  const isPeriod = and(eq(periods.divisionId, divisionId), eq(periods.startsAt, startsAt))
  const [row] = await locksForUpdate(tx, tx.select().from(periods).where(isPeriod))
  return row && periodOf(row)
}

interface Move extends Ranked<Seated> {
  /** Level of the next period. */
  to: number
  result: Result | null
}

async function moveMembers(
  tx: Transaction,
  period: Period,
  range: { level: number; first: number; last: number },
): Promise<void> {
  // An erasure or a merge, and this, run one after the other.
  await lockFans(tx, await listMembers(tx, { ...period, ...range }))
  const rows = await readTables(tx, period, range)
  const ranked = [...Map.groupBy(rows, ({ number }) => number).values()].flatMap(table =>
    rankTable(table, zonesOf(period, range.level, table.length)),
  )
  const { divisionMembers: members } = tx.tables
  const { divisionId } = period
  const division = (await getDivisions(tx)).get(divisionId)
  // An idle fan who has earned since then starts again.
  const going = division?.active ? ranked.filter(({ zone, isEarning }) => zone !== 'leaves' || isEarning) : []
  const next = division && going.length > 0 ? await openPeriod(tx, division, period.endsAt) : undefined
  const moves = next ? going.map(member => moveOf(member, period, next)) : []
  const moved: (Partial<Tables['divisionMembers']['$inferInsert']> & { userId: string })[] = []
  // In the order in which other units of work give seats.
  for (const [to, own] of [...Map.groupBy(moves, ({ to }) => to)].toSorted(([a], [b]) => a - b)) {
    const seats = next ? await giveSeats(tx, next, to, own.length) : []
    for (const [index, { userId, result, ...member }] of own.entries())
      moved.push({
        userId,
        divisionId,
        ...(next && { startsAt: next.startsAt }),
        level: to,
        ...seats[index],
        afterSeq: afterSeqOf(member),
        result: result && JSON.stringify(result),
        untold: result !== null && result.outcome !== 'stayed',
      })
  }
  await updateRows(tx, members, moved, MOVED)
  const kept = new Set(moved.map(({ userId }) => userId))
  const gone = rows.flatMap(({ userId }) => (kept.has(userId) ? [] : [userId]))
  if (gone.length > 0)
    await tx.delete(members).where(and(eq(members.divisionId, divisionId), inArray(members.userId, gone)))
}

const MOVED = ['startsAt', 'level', 'number', 'seat', 'afterSeq', 'result', 'untold'] as const

interface Range {
  divisionId: string
  startsAt: Date
  level: number
  first: number
  last: number
}

async function listMembers(reader: Reader, { divisionId, startsAt, level, first, last }: Range) {
  const rows = await selectMembers(reader, { divisionId, startsAt, level, first, last })
  return rows.map(({ userId }) => userId)
}

const selectMembers = prepared((reader: Reader, { divisionId, startsAt, level, first, last }: Range) => {
  const { divisionMembers: members } = reader.tables
  return reader
    .select({ userId: members.userId })
    .from(members)
    .where(
      and(
        eq(members.divisionId, divisionId),
        eq(members.startsAt, startsAt),
        eq(members.level, level),
        between(members.number, first, last),
      ),
    )
})

function moveOf(member: Ranked<Seated>, period: Period, next: Period): Move {
  const { zone, rank, points, level: index } = member
  if (zone === 'leaves') return { ...member, to: 0, result: null }
  const wanted = zone === 'up' ? index + 1 : zone === 'down' ? index - 1 : index
  const [level, toLevel] = [period.levels[index], period.levels[wanted]]
  if (!level || !toLevel) throw new Error('a table has no level')
  // The club may have removed it.
  const found = next.levels.findIndex(({ id }) => id === toLevel.id)
  const to = found < 0 ? Math.min(wanted, next.levels.length - 1) : found
  const outcome = zone === 'up' ? 'promoted' : zone === 'down' ? 'relegated' : 'stayed'
  const { startsAt, endsAt } = period
  const times = { startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString() }
  const result = {
    outcome,
    level: level.id,
    toLevel: next.levels[to]?.id ?? toLevel.id,
    rank,
    points,
    ...times,
  } as const
  return { ...member, to, result }
}

/** No entry that counts in the next period is before it. */
const afterSeqOf = ({ afterSeq, lastSeq, laterSeq }: Pick<Seated, 'afterSeq' | 'lastSeq' | 'laterSeq'>) =>
  Math.min(lastSeq ?? afterSeq, laterSeq === null ? Infinity : laterSeq - 1)
