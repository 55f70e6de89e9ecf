/** Puts fans into tables: who earns and is in none, at once, and at the end of a period those who stay active. */
import { sql } from 'drizzle-orm'
import { insertNewRows } from '../../../db/bulk.ts'
import type { Tables, Transaction } from '../../../db/index.ts'
import { keysWithRows } from '../../../db/keys.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { versionRecordedAt } from '../../economy/events/listeners.ts'
import type { AppendedEntry } from '../../economy/points/appended-entries.ts'
import { isCounted } from './counting.ts'
import { type Division, getDivisions } from './division-set.ts'
import { openPeriod, type Period, type PeriodKey } from './periods.ts'

type MemberRow = Tables['divisionMembers']['$inferSelect']

/**
 * For entries that a unit of work has booked: each fan who is in no table of an active division gets a seat at its lowest level. The
 * accounts of the fans are locked.
 */
export async function placeEarners(tx: Transaction, entries: AppendedEntry[]): Promise<void> {
  const divisions = await getDivisions(tx, versionRecordedAt(tx))
  const active = [...divisions.values()].filter(division => division.active)
  const earned = active.flatMap(division => firstCounted(division, entries))
  if (earned.length === 0) return
  const keys = earned.map(({ division: { id: divisionId }, entry: { userId } }) => ({ userId, divisionId }))
  const placed = new Set((await findPlaced(tx, keys)).map(nameOf))
  const fresh = earned.filter((_, index) => !placed.has(nameOf(keys[index])))
  // In the order of the ids, as other units of work lock them.
  for (const [division, own] of Map.groupBy(fresh, ({ division }) => division)) {
    const period = await openPeriod(tx, division, tx.now())
    if (period.closedAt) continue
    const seats = await giveSeats(tx, period, 0, own.length)
    const rows = own.map(({ entry: { userId, seq, createdAt } }, index): MemberRow => {
      const member = { userId, divisionId: division.id, startsAt: period.startsAt, level: 0 }
      return {
        ...member,
        ...seatAt(seats[index]),
        afterSeq: seq - 1,
        since: createdAt,
        result: null,
        untold: false,
      }
    })
    await insertNewRows(tx, tx.tables.divisionMembers, rows)
  }
}

const findPlaced = keysWithRows('divisionMembers', ['userId', 'divisionId'])

const nameOf = (key: { userId: string; divisionId: string } | undefined) =>
  `${key?.userId} ${key?.divisionId}`

/** The first entry of each fan that counts. */
function firstCounted(division: Division, entries: AppendedEntry[]) {
  const first = new Map<string, AppendedEntry>()
  for (const entry of entries) if (isCounted(entry, division.scoring)) first.getOrInsert(entry.userId, entry)
  return [...first.values()].map(entry => ({ division, entry }))
}

type Seat = Pick<MemberRow, 'number' | 'seat'>

function seatAt(seat: Seat | undefined): Seat {
  if (!seat) throw new Error('a fan has no seat')
  return seat
}

/** So many seats of a level, each given once: of the last table and then of new ones. */
export async function giveSeats(
  tx: Transaction,
  { divisionId, startsAt, size }: Pick<Period, 'size' | keyof PeriodKey>,
  level: number,
  count: number,
): Promise<Seat[]> {
  const { placed = 0 } =
    (await addPlaced(tx, { divisionId, startsAt, level, placed: count, closed: 0 })) ?? {}
  return Array.from({ length: count }, (_, index) => {
    const position = placed - count + index
    return { number: Math.floor(position / size) + 1, seat: (position % size) + 1 }
  })
}

/** The row lock lets one unit of work at a time give seats of the level. */
const addPlaced = preparedRow((tx: Transaction, row: Tables['divisionLevels']['$inferInsert']) => {
  const { divisionLevels: levels } = tx.tables
  return tx
    .insert(levels)
    .values(row)
    .onConflictDoUpdate({
      target: [levels.divisionId, levels.startsAt, levels.level],
      set: { placed: sql`${levels.placed} + excluded.placed` },
    })
    .returning({ placed: levels.placed })
})
