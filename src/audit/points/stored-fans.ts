/** Fans as the points and leaderboard tables store them, for checks: by ranges of ids, or a single fan. */
import { and, eq, inArray, sql } from 'drizzle-orm'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader } from '../../../db/index.ts'
import { groupBoardsOf } from '../../economy/leaderboard/boards.ts'
import { scoreOf } from '../../economy/leaderboard/rank-index/entries.ts'
import type { StoredFan } from '../../economy/points/audit-fan.ts'
import { readSeamsOf } from '../../economy/points/seams.ts'
import { readCopiedUntil } from '../../play/leagues/copy-scores.ts'

/** A fan without stored data. */
export const unknownFan = (): StoredFan => {
  return { known: false, account: undefined, enrolment: undefined, scores: [], groups: [] }
}

/** Accounts, enrolments and scores of a range. `boards` names all boards: no index leads from a fan to their boards. */
export async function readStored(
  reader: Reader,
  range: Range,
  userIds: string[],
  boards: string[],
): Promise<Map<string, StoredFan>> {
  const { users, pointsAccounts, leaderboardEntries, leaderboardScores: scores } = reader.tables
  const { id, favoriteTeamId, country } = users
  const copiedUntil = await readCopiedUntil(reader)
  const [grouped, accounts, enrolments, scoreRows, seams] = await Promise.all([
    reader.select({ id, favoriteTeamId, country }).from(users).where(inRange(id, range)),
    reader.select().from(pointsAccounts).where(inRange(pointsAccounts.userId, range)),
    reader.select().from(leaderboardEntries).where(inRange(leaderboardEntries.userId, range)),
    reader
      .select()
      .from(scores)
      .where(and(inArray(scores.board, boards), inRange(scores.userId, range))),
    readSeamsOf(reader, range),
  ])
  const fans = new Map<string, StoredFan>()
  const of = (userId: string) => fans.getOrInsertComputed(userId, unknownFan)
  for (const userId of userIds) of(userId).known = true
  for (const fan of grouped) Object.assign(of(fan.id), { groups: groupBoardsOf(fan), copiedUntil })
  for (const account of accounts) of(account.userId).account = account
  for (const enrolment of enrolments) of(enrolment.userId).enrolment = enrolment
  for (const [userId, seam] of seams) of(userId).seam = seam
  for (const score of scoreRows) of(score.userId).scores.push(scoreOf(score))
  return fans
}

/** One fan, and the `seq` of their last entry. One statement, and so one snapshot. */
export async function readStoredFan(
  reader: Reader,
  userId: string,
): Promise<{ fan: StoredFan; lastSeq: number }> {
  const { users, pointsAccounts, pointsEntries, leaderboardEntries, leaderboardScores, archiveSeams } =
    reader.tables
  const { id, favoriteTeamId, country } = users
  const { board } = leaderboardScores
  // No index leads from a fan to their boards: each board is found by an index lookup.
  const boards = sql`(with recursive boards (board) as (
      select min(${board}) from ${leaderboardScores}
      union all
      select (select min(${board}) from ${leaderboardScores} where ${board} > boards.board) from boards where boards.board is not null
    ) select board from boards)`
  const rows = await reader
    .select({
      user: { id, favoriteTeamId, country },
      account: pointsAccounts,
      enrolment: leaderboardEntries,
      score: leaderboardScores,
      seam: archiveSeams,
      lastSeq: sql`(select coalesce(max(${pointsEntries.seq}), 0) from ${pointsEntries}
        where ${eq(pointsEntries.userId, userId)})`.mapWith(Number),
    })
    .from(sql`(select 1) as fan`)
    .leftJoin(users, eq(users.id, userId))
    .leftJoin(pointsAccounts, eq(pointsAccounts.userId, userId))
    .leftJoin(leaderboardEntries, eq(leaderboardEntries.userId, userId))
    .leftJoin(archiveSeams, eq(archiveSeams.userId, userId))
    .leftJoin(leaderboardScores, and(eq(leaderboardScores.userId, userId), sql`${board} in ${boards}`))
  const [first] = rows
  const fan = {
    known: first?.user != null,
    groups: first?.user ? groupBoardsOf(first.user) : [],
    copiedUntil: await readCopiedUntil(reader),
    account: first?.account ?? undefined,
    enrolment: first?.enrolment ?? undefined,
    scores: rows.flatMap(({ score }) => (score ? [scoreOf(score)] : [])),
    seam: first?.seam ?? undefined,
  }
  return { fan, lastSeq: first?.lastSeq ?? 0 }
}
