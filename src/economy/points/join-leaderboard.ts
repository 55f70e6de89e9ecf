/**
 * Joins and leaves the leaderboards. It is in the folder of the ledger because points earned before the
 * enrolment count.
 */
import type { Transaction } from '../../../db/index.ts'
import type { Caller } from '../../core/caller.ts'
import { lockToCount } from '../../identity/users/locks.ts'
import { boardsAt, earliestStart } from '../leaderboard/boards.ts'
import { type EnrolOptions, enrol, enrolMany, findEnrolment, unenrol } from '../leaderboard/enrolment.ts'
import { lockAccount, lockAccounts } from './account.ts'
import { type EarnedEntry, earnedScores, listEarnedScores, scoresOfFirst } from './earned-scores.ts'
import { copyScores } from './groups.ts'

/** Enrols a fan, at most once. True if this call enrolled them. The user's row must exist. */
export async function joinLeaderboard(
  tx: Transaction,
  userId: string,
  options: EnrolOptions = {},
): Promise<boolean> {
  await lockAccount(tx, userId)
  const enrolledAt = tx.now()
  const scores = await earnedScores(tx, userId, { enrolledAt, since: startOf(enrolledAt) })
  return enrol(tx, userId, scores, options)
}

/** Like `joinLeaderboard`, in as many statements for many fans as for one. */
export async function joinLeaderboards(tx: Transaction, userIds: string[]): Promise<void> {
  if (userIds.length === 0) return
  await lockAccounts(tx, userIds)
  const enrolledAt = tx.now()
  const enrolments = new Map(userIds.map(userId => [userId, enrolledAt]))
  await enrolMany(tx, userIds, await listEarnedScores(tx, enrolments, startOf(enrolledAt)))
}

/** The earliest start of the boards at this time. Entries may have a later time, since clocks differ. */
const startOf = (enrolledAt: Date) => earliestStart(boardsAt(enrolledAt), enrolledAt)

/** As `joinLeaderboard`, for a fan whose account this unit of work has opened with this entry. */
export const joinWithFirstEntry = (tx: Transaction, userId: string, entry: EarnedEntry['entry']) =>
  enrol(tx, userId, scoresOfFirst(tx.now(), entry))

/** Enrols the caller, also after they have left, with what they have earned. A repeat changes nothing. */
export async function addMembership(tx: Transaction, { userId }: Caller): Promise<void> {
  if (await findEnrolment(tx, userId)) return
  // A change of the profile locks the record before the account as well.
  await lockToCount(tx, userId)
  await joinLeaderboard(tx, userId, { again: true })
  await copyScores(tx, [userId])
}

/** Removes the caller from all boards, past ones included. Their points stay. A repeat changes nothing. */
export async function removeMembership(tx: Transaction, { userId }: Caller): Promise<void> {
  if (!(await findEnrolment(tx, userId))) return
  await lockAccount(tx, userId)
  await unenrol(tx, userId)
}
