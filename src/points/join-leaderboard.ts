/** Enrolment in the leaderboards. It is asked for here since what was earned before it counts, and the ledger has that. */
import { and, eq, gt, gte, lt, notInArray, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { boardsAt, takesPart } from '../leaderboard/boards.ts'
import { enrol } from '../leaderboard/enrolment.ts'
import type { Place } from '../leaderboard/rank-index/rank-index.ts'
import { raisePlace } from '../leaderboard/scores.ts'
import { boardsFor, GIVEN_BACK, holdAccount, type PointsReason } from './ledger.ts'

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
async function placesEarned(reader: Reader, userId: string, enrolledAt: Date): Promise<Place[]> {
  const starts = boardsAt(enrolledAt).flatMap(({ startsAt }) => startsAt?.getTime() ?? [])
  const rows = await selectEarned(reader, { userId, since: new Date(Math.min(...starts)) })
  const earned = rows.flatMap(({ entry }) => entry ?? [])
  const { points, reachedAt } = rows[0]?.before ?? { points: 0, reachedAt: null }
  const all = { board: 'all', points, reachedAt: (reachedAt ?? enrolledAt).getTime() }
  const places = new Map<string, Place>([[all.board, all]])
  for (const { delta, reason, createdAt } of earned)
    for (const board of boardsFor(reason, createdAt))
      if (takesPart(enrolledAt, board))
        places.set(board.id, raisePlace(board.id, places.get(board.id), { gained: delta, at: createdAt }))
  return [...places.values()]
}

/** What a fan earned before `since`, in sum, and each entry from then on: null without any. */
const selectEarned = prepared((reader: Reader, { userId, since }: { userId: string; since: Date }) => {
  const { pointsEntries: entries } = reader.tables
  const { delta, createdAt } = entries
  const earned = and(eq(entries.userId, userId), gt(delta, 0), notInArray(entries.reason, GIVEN_BACK))
  const before = reader
    .select({
      points: sql<number>`cast(coalesce(sum(${delta}), 0) as bigint)`.mapWith(Number).as('points'),
      reachedAt: sql<Date | null>`max(${createdAt})`.mapWith(createdAt).as('reached_at'),
    })
    .from(entries)
    .where(and(earned, lt(createdAt, since)))
    .as('before')
  // Guarantee of the type: only reasons of the list are written.
  const reason = sql<PointsReason>`${entries.reason}`
  return reader
    .select({
      before: { points: before.points, reachedAt: before.reachedAt },
      entry: { delta, reason, createdAt },
    })
    .from(before)
    .leftJoin(entries, and(earned, gte(createdAt, since)))
})
