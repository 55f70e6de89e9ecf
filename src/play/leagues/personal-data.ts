/** Exports, erases and merges what leagues have of a fan, and keeps the baselines of members. */
import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import type { Merge } from '../../core/caller.ts'
import type { BaselineChange } from '../../economy/points/appended-entries.ts'
import { openBaseline } from '../../economy/points/baselines.ts'
import { finalPointsOf } from './counting.ts'
import { takeOut } from './members.ts'
import { lockLeague } from './rows.ts'

/** The leagues of which the fan is a member, with the name of those that the fan owns. */
export async function exportLeagues(reader: Reader, userId: string) {
  const { leagues, leagueMembers: members } = reader.tables
  const { id, name, code, scoring, season, seasonId, competition, format, ownerId, createdAt } = leagues
  const { number, joinedAt, countsFrom, matchPoints } = members
  const own = { number, joinedAt, countsFrom, matchPoints }
  const rows = await reader
    .select({ id, name, code, scoring, season, seasonId, competition, format, ownerId, createdAt, ...own })
    .from(members)
    .innerJoin(leagues, eq(id, members.leagueId))
    .where(eq(members.userId, userId))
    .orderBy(asc(joinedAt), asc(id))
  return rows.map(({ ownerId, name, ...row }) => {
    const owned = ownerId === userId
    return { ...row, owned, name: owned ? name : null }
  })
}

/** For an erasure: the fan leaves all leagues. One with other members gets another owner. */
export async function deleteLeaguesOf(tx: Transaction, userId: string): Promise<void> {
  for (const leagueId of await listLeagueIds(tx, userId)) {
    const league = await lockLeague(tx, leagueId)
    if (league) await takeOut(tx, league, userId)
  }
  const { leagueBans: bans } = tx.tables
  await tx.delete(bans).where(eq(bans.userId, userId))
}

/** The rows of the fan cannot change: the record is locked. In one order, which prevents deadlocks. */
async function listLeagueIds(tx: Transaction, userId: string): Promise<string[]> {
  const { leagueMembers: members } = tx.tables
  const { leagueId } = members
  const rows = await tx.select({ leagueId }).from(members).where(eq(members.userId, userId))
  return rows.map(row => row.leagueId).toSorted()
}

/**
 * Of two members in one league one remains, since the earlier joining. Both records are locked, the merge is noted and the points
 * are carried over. Returns the number of leagues in which the fan takes the place of the merged one.
 */
export async function mergeLeagues(tx: Transaction, { fromId, intoId }: Merge): Promise<number> {
  const { leagues, leagueMembers: members } = tx.tables
  const [theirs, own] = [await listLeagueIds(tx, fromId), await listLeagueIds(tx, intoId)]
  for (const leagueId of theirs) {
    await lockLeague(tx, leagueId)
    const isOf = (userId: string) => and(eq(members.leagueId, leagueId), eq(members.userId, userId))
    const [from] = await tx.select().from(members).where(isOf(fromId))
    const [into] = await tx.select().from(members).where(isOf(intoId))
    if (!from) continue
    if (!into) {
      await tx.update(members).set({ userId: intoId }).where(isOf(fromId))
      continue
    }
    await tx.delete(members).where(isOf(fromId))
    await tx
      .update(leagues)
      .set({ members: sql`${leagues.members} - 1` })
      .where(eq(leagues.id, leagueId))
    const first = from.joinedAt < into.joinedAt ? from : into
    const { joinedAt, countsFrom } = first
    await tx.update(members).set({ joinedAt, countsFrom }).where(isOf(intoId))
  }
  await moveBans(tx, { fromId, intoId }, [...theirs, ...own])
  for (const leagueId of new Set([...theirs, ...own].toSorted())) await readBaseline(tx, leagueId, intoId)
  return theirs.length
}

/** Unless the fan who remains is a member: then those of both end. */
async function moveBans(tx: Transaction, { fromId, intoId }: Merge, leagueIds: string[]): Promise<void> {
  const { leagueBans: bans } = tx.tables
  const { leagueId, number, bannedAt } = bans
  const rows = await tx.select({ leagueId, number, bannedAt }).from(bans).where(eq(bans.userId, fromId))
  const moved = rows.filter(row => !leagueIds.includes(row.leagueId))
  if (moved.length > 0)
    await tx
      .insert(bans)
      .values(moved.map(row => ({ ...row, userId: intoId })))
      .onConflictDoNothing()
  await tx.delete(bans).where(eq(bans.userId, fromId))
  if (leagueIds.length > 0)
    await tx.delete(bans).where(and(eq(bans.userId, intoId), inArray(leagueId, leagueIds)))
}

/** Computed again, from the ledgers of both records. */
async function readBaseline(tx: Transaction, leagueId: string, userId: string): Promise<void> {
  const { leagues, leagueMembers: members } = tx.tables
  const isMember = and(eq(members.leagueId, leagueId), eq(members.userId, userId))
  const [found] = await tx
    .select({ league: leagues, countsFrom: members.countsFrom })
    .from(members)
    .innerJoin(leagues, eq(leagues.id, members.leagueId))
    .where(isMember)
  if (!found?.countsFrom) return
  const { league, countsFrom } = found
  const baseline = await openBaseline(tx, userId, league.board, countsFrom)
  const final = league.finalAt ? await finalPointsOf(tx, league, [{ userId, countsFrom }]) : undefined
  const finalPoints = final ? (final.get(userId) ?? 0) : null
  await tx.update(members).set({ baseline, finalPoints }).where(isMember)
}

/** See `baselines.ts`. The accounts are locked. */
export async function changeLeagueBaselines(tx: Transaction, changes: BaselineChange[]): Promise<void> {
  const { leagues, leagueMembers: members } = tx.tables
  for (const { userId, boards, points, at } of changes) {
    const counting = tx.select({ id: leagues.id }).from(leagues).where(inArray(leagues.board, boards))
    await tx
      .update(members)
      .set({ baseline: sql`${members.baseline} + ${points}` })
      .where(and(eq(members.userId, userId), gt(members.countsFrom, at), inArray(members.leagueId, counting)))
  }
}
