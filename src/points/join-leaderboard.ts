/** Enrolment in the leaderboards. It is asked for here since what was earned before it counts, and the ledger has that. */
import { and, eq, gt, gte, lt, notInArray, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../db/index.ts'
import { type PreparedValue, prepared } from '../../db/prepared.ts'
import { type Board, boardsAt } from '../leaderboard/boards.ts'
import { enrol } from '../leaderboard/enrolment.ts'
import { FROM_BEFORE, GIVEN_BACK, holdAccount } from './ledger.ts'

/** Enrols a fan, at most once. True when this call did. Needs the user's row to exist. */
export async function joinLeaderboard(tx: Transaction, userId: string): Promise<boolean> {
  await holdAccount(tx, userId)
  const places = await placesEarned(tx, userId, tx.now())
  return enrol(tx, userId, places)
}

/**
 * Where a fan who enrols at an instant stands: on that instant's boards, and on those of anything that bears a later
 * time already (clocks differ). On the global board everybody has a place, on the others only who has earned something
 * in their period.
 */
export async function placesEarned(reader: Reader, userId: string, enrolledAt: Date) {
  const later = await selectLater(reader, { userId, enrolledAt })
  const boards = [enrolledAt, ...later.map(({ at }) => at)].flatMap(boardsAt)
  const places = []
  for (const board of new Map(boards.map(board => [board.id, board])).values()) {
    const { points, reachedAt } = await readEarnings(reader, userId, board)
    if (points > 0 || board.period === 'all') {
      places.push({ board: board.id, points, reachedAt: (reachedAt ?? enrolledAt).getTime() })
    }
  }
  return places
}

const selectLater = prepared<{ userId: string; enrolledAt: Date }, { at: Date }[]>((reader, value) => {
  const { pointsEntries: entries } = reader.tables
  const isLater = gt(entries.createdAt, sql.param(value('enrolledAt'), entries.createdAt))
  return reader
    .select({ at: entries.createdAt })
    .from(entries)
    .where(and(eq(entries.userId, value('userId')), isLater, ...isEarned(entries)))
})

/** Points that a fan earned in a board's period, and when the last of them. */
export async function readEarnings(reader: Reader, userId: string, { startsAt, endsAt }: Board) {
  const [earned] = await (startsAt && endsAt
    ? sumWithin(reader, { userId, startsAt, endsAt })
    : sumAll(reader, { userId }))
  return { points: earned?.points ?? 0, reachedAt: earned?.reachedAt ?? null }
}

interface Earnings {
  points: number
  reachedAt: Date | null
}

const sumAll = prepared<{ userId: string }, Earnings[]>((reader, value) => sumEarnings(reader, value))

interface Period extends Record<string, unknown> {
  userId: string
  startsAt: Date
  endsAt: Date
}

const sumWithin = prepared<Period, Earnings[]>((reader, value) => {
  const { createdAt, reason } = reader.tables.pointsEntries
  return sumEarnings(
    reader,
    value,
    notInArray(reason, FROM_BEFORE),
    gte(createdAt, sql.param(value('startsAt'), createdAt)),
    lt(createdAt, sql.param(value('endsAt'), createdAt)),
  )
})

function sumEarnings(reader: Reader, value: PreparedValue<{ userId: string }>, ...within: SQL[]) {
  const { pointsEntries: entries } = reader.tables
  return reader
    .select({
      points: sql<number>`cast(coalesce(sum(${entries.delta}), 0) as bigint)`.mapWith(Number),
      reachedAt: sql<Date | null>`max(${entries.createdAt})`.mapWith(entries.createdAt),
    })
    .from(entries)
    .where(and(eq(entries.userId, value('userId')), ...isEarned(entries), ...within))
}

const isEarned = (entries: Tables['pointsEntries']) => [
  gt(entries.delta, 0),
  notInArray(entries.reason, GIVEN_BACK),
]
