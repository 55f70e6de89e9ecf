/** Joins and leaves the leaderboards. In the folder of the ledger, since points earned before the enrolment count. */
import { and, eq, gt, gte, lt, notInArray, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import type { Caller } from '../core/caller.ts'
import { boardsAt, takesPart } from '../leaderboard/boards.ts'
import { type EnrolOptions, enrol, findEnrolment, unenrol } from '../leaderboard/enrolment.ts'
import type { BoardScore } from '../leaderboard/rank-index/rank-index.ts'
import { raiseScore } from '../leaderboard/scores.ts'
import { ensureUserId, findUser } from '../users/users.ts'
import { boardsFor, lockAccount, type PointsReason, REFUND_REASONS } from './ledger.ts'

/** Enrols a fan, at most once. True if this call enrolled them. The user's row must exist. */
export async function joinLeaderboard(
  tx: Transaction,
  userId: string,
  options: EnrolOptions = {},
): Promise<boolean> {
  await lockAccount(tx, userId)
  const scores = await earnedScores(tx, userId, tx.now())
  return enrol(tx, userId, scores, options)
}

/** Enrols the caller, also after they have left, with what they have earned. A repeat changes nothing. */
export async function addMembership(tx: Transaction, caller: Caller): Promise<void> {
  const userId = await ensureUserId(tx, caller)
  if (!(await findEnrolment(tx, userId))) await joinLeaderboard(tx, userId, { again: true })
}

/** Removes the caller from all boards, past ones included. Their points stay. A repeat changes nothing. */
export async function removeMembership(tx: Transaction, caller: Caller): Promise<void> {
  const user = await findUser(tx, caller)
  if (!user || !(await findEnrolment(tx, user.id))) return
  await lockAccount(tx, user.id)
  await unenrol(tx, user.id)
}

/**
 * The scores of a fan who enrols at a given time: on the boards of that time, and on those of entries with a later time, since
 * clocks differ. Every fan has a score on the global board, and one on another board only after earning in its period.
 */
async function earnedScores(reader: Reader, userId: string, enrolledAt: Date): Promise<BoardScore[]> {
  const starts = boardsAt(enrolledAt).flatMap(({ startsAt }) => startsAt?.getTime() ?? [])
  const rows = await selectEarned(reader, { userId, since: new Date(Math.min(...starts)) })
  const earned = rows.flatMap(({ entry }) => entry ?? [])
  const { points, reachedAt } = rows[0]?.before ?? { points: 0, reachedAt: null }
  const all = { board: 'all', points, reachedAt: (reachedAt ?? enrolledAt).getTime() }
  const scores = new Map<string, BoardScore>([[all.board, all]])
  for (const { delta, reason, createdAt } of earned)
    for (const board of boardsFor(reason, createdAt))
      if (takesPart(enrolledAt, board))
        scores.set(board.id, raiseScore(board.id, scores.get(board.id), { gained: delta, at: createdAt }))
  return [...scores.values()]
}

/** The sum that a fan earned before `since`, and each entry from then on: null without any. */
const selectEarned = prepared((reader: Reader, { userId, since }: { userId: string; since: Date }) => {
  const { pointsEntries: entries } = reader.tables
  const { delta, createdAt } = entries
  const earned = and(eq(entries.userId, userId), gt(delta, 0), notInArray(entries.reason, REFUND_REASONS))
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
