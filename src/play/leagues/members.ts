/** Members who leave or are removed, and bans. When the owner leaves, the member who joined first owns the league. */
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { type Caller, NOBODY } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { fanNotFound, isHidden, lockOther, lockOtherById } from '../../identity/relations/find-fan.ts'
import { requireActiveCaller } from '../../identity/sanctions/write-as-fan.ts'
import { lockFan, lockHandle } from '../../identity/users/locks.ts'
import { leagueProblems } from './problems.ts'
import { isMember, lockOfMember, lockOfOwner } from './rows.ts'
import type { LeagueRow } from './table.ts'

/**
 * A member leaves, or the owner removes one, who can join again. By the handle of any member, also where there is a block, or by the
 * number: the owner must be able to remove each row of the table. Fans who are suspended can only leave.
 * @throws DomainError `suspended`, `guardian_consent_required`, `league_not_found`, `not_owner`, `fan_not_found`
 */
export async function removeMember(
  tx: Transaction,
  caller: Caller,
  leagueId: string,
  handle: string,
): Promise<void> {
  const { userId } = caller
  const memberId = handle === 'me' ? userId : ((await lockNamed(tx, leagueId, handle))?.id ?? NOBODY)
  if (memberId !== userId) await requireActiveCaller(tx, caller)
  const league = await lockOfMember(tx, userId, leagueId)
  if (memberId !== userId && league.ownerId !== userId) throw new DomainError(leagueProblems.not_owner)
  if (!(await isMember(tx, leagueId, memberId))) throw fanNotFound()
  await takeOut(tx, league, memberId)
}

/** No handle has a hyphen. */
const numberIn = (handle: string) => /^member-([1-9]\d{0,14})$/.exec(handle)?.[1]

/** Locks the fan with this handle, or the member of the league with this number. */
async function lockNamed(tx: Transaction, leagueId: string, handle: string) {
  const number = numberIn(handle)
  if (number === undefined) return lockHandle(tx, handle)
  const member = await selectNumbered(tx, leagueId, Number(number))
  return member && lockFan(tx, member.userId)
}

const selectNumbered = preparedRow((reader: Reader, leagueId: string, number: number) => {
  const { leagueMembers: members } = reader.tables
  // As the index: earlier members of some databases have no number.
  return reader
    .select({ userId: members.userId })
    .from(members)
    .where(and(eq(members.leagueId, leagueId), eq(members.number, number), gt(members.number, 0)))
})

/** The league is locked, and the fan is a member. */
export async function takeOut(tx: Transaction, league: LeagueRow, userId: string): Promise<void> {
  const { leagues, leagueMembers: members, leagueBans: bans, leaguePairs, leagueRounds } = tx.tables
  const { id } = league
  await tx.delete(members).where(and(eq(members.leagueId, id), eq(members.userId, userId)))
  if (league.members === 1) {
    for (const table of [bans, leaguePairs, leagueRounds])
      await tx.delete(table).where(eq(table.leagueId, id))
    await tx.delete(leagues).where(eq(leagues.id, id))
    return
  }
  const first = tx
    .select({ userId: members.userId })
    .from(members)
    .where(eq(members.leagueId, id))
    .orderBy(asc(members.joinedAt), asc(members.userId))
    .limit(1)
  await tx
    .update(leagues)
    .set({
      // The constraint of the column refuses a league without members.
      ownerId: sql`case when ${leagues.ownerId} = ${userId} then (${first}) else ${leagues.ownerId} end`,
      members: sql`${leagues.members} - 1`,
    })
    .where(eq(leagues.id, id))
}

/** The other fan, by handle or by number of a member. @throws DomainError `cannot_ban_yourself` */
async function lockBanned(tx: Transaction, userId: string, leagueId: string, handle: string) {
  if (numberIn(handle) === undefined) return lockOther(tx, userId, handle, leagueProblems.cannot_ban_yourself)
  const { id } = (await lockNamed(tx, leagueId, handle)) ?? { id: NOBODY }
  if (id === userId) throw new DomainError(leagueProblems.cannot_ban_yourself)
  return lockOtherById(tx, userId, id)
}

/** Also takes a member out. A repeat changes nothing. @throws DomainError `league_not_found`, `not_owner`, `fan_not_found`, `cannot_ban_yourself` */
export async function banFan(
  tx: Transaction,
  { userId }: Caller,
  leagueId: string,
  handle: string,
): Promise<void> {
  const found = await lockBanned(tx, userId, leagueId, handle)
  const league = await lockOfOwner(tx, userId, leagueId)
  const isIn = await isMember(tx, leagueId, found?.other.id ?? NOBODY)
  if (!found || (!isIn && (found.other.hiddenAt || isHidden(found.relation)))) throw fanNotFound()
  const { leagueBans: bans } = tx.tables
  await tx.insert(bans).values({ leagueId, userId: found.other.id, bannedAt: tx.now() }).onConflictDoNothing()
  if (isIn) await takeOut(tx, league, found.other.id)
}

/** A repeat changes nothing. @throws as `banFan` */
export async function endBan(
  tx: Transaction,
  { userId }: Caller,
  leagueId: string,
  handle: string,
): Promise<void> {
  const found = await lockBanned(tx, userId, leagueId, handle)
  await lockOfOwner(tx, userId, leagueId)
  const { leagueBans: bans } = tx.tables
  const ended = await tx
    .delete(bans)
    .where(and(eq(bans.leagueId, leagueId), eq(bans.userId, found?.other.id ?? NOBODY)))
    .returning()
  if (ended.length > 0) return
  if (!found || found.other.hiddenAt || isHidden(found.relation)) throw fanNotFound()
}
