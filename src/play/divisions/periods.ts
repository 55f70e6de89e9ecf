/** Weeks and months of a division, one after the other without overlap, also when the club changes them or its time zone. */
import { and, asc, desc, eq, gt, lte } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { windowAt } from '../../core/windows.ts'
import { timeZoneOf } from '../../platform/settings/settings.ts'
import type { Division, Level, Scoring } from './division-set.ts'

type PeriodRow = Tables['divisionPeriods']['$inferSelect']

export interface Period extends Omit<PeriodRow, 'levels' | 'scoring'> {
  scoring: Scoring
  /** The lowest first. */
  levels: Level[]
}

// Guarantee of the casts: only `openPeriod` writes them.
export const periodOf = ({ levels, scoring, ...row }: PeriodRow): Period => ({
  ...row,
  scoring: scoring as Scoring,
  levels: JSON.parse(levels) as Level[],
})

export type PeriodKey = Pick<Period, 'divisionId' | 'startsAt'>

export async function findPeriod(reader: Reader, { divisionId, startsAt }: PeriodKey) {
  const row = await selectPeriod(reader, divisionId, startsAt)
  return row && periodOf(row)
}

const selectPeriod = preparedRow((reader: Reader, divisionId: string, startsAt: Date) => {
  const { divisionPeriods: periods } = reader.tables
  return reader
    .select()
    .from(periods)
    .where(and(eq(periods.divisionId, divisionId), eq(periods.startsAt, startsAt)))
})

/** The period of an instant, which starts with the rules of now if it has not started. */
export async function openPeriod(tx: Transaction, division: Division, at: Date): Promise<Period> {
  const found = await findAt(tx, division.id, at)
  if (found) return found
  // One unit of work at a time opens periods of a division.
  const { divisions, divisionPeriods: periods } = tx.tables
  await locksForUpdate(
    tx,
    tx.select({ id: divisions.id }).from(divisions).where(eq(divisions.id, division.id)),
  )
  const foundNow = await findAt(tx, division.id, at)
  if (foundNow) return foundNow
  const window = windowAt(division.every, at, await timeZoneOf(tx))
  const before = await selectLast(tx, division.id, at)
  const after = await selectNext(tx, division.id, at)
  const row: PeriodRow = {
    divisionId: division.id,
    startsAt: before && before.endsAt > window.startsAt ? before.endsAt : window.startsAt,
    endsAt: after && after.startsAt < window.endsAt ? after.startsAt : window.endsAt,
    scoring: division.scoring,
    size: division.size,
    levels: JSON.stringify(division.levels.map(({ id, up, down }): Level => ({ id, up, down }))),
    closedAt: null,
  }
  await tx.insert(periods).values(row)
  return periodOf(row)
}

async function findAt(reader: Reader, divisionId: string, at: Date): Promise<Period | undefined> {
  const row = await selectLast(reader, divisionId, at)
  return row && at < row.endsAt ? periodOf(row) : undefined
}

/** The last one that started by then. */
const selectLast = preparedRow((reader: Reader, divisionId: string, at: Date) => {
  const { divisionPeriods: periods } = reader.tables
  return reader
    .select()
    .from(periods)
    .where(and(eq(periods.divisionId, divisionId), lte(periods.startsAt, at)))
    .orderBy(desc(periods.startsAt))
    .limit(1)
})

const selectNext = preparedRow((reader: Reader, divisionId: string, at: Date) => {
  const { divisionPeriods: periods } = reader.tables
  return reader
    .select()
    .from(periods)
    .where(and(eq(periods.divisionId, divisionId), gt(periods.startsAt, at)))
    .orderBy(asc(periods.startsAt))
    .limit(1)
})
