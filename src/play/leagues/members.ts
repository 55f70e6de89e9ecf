/** Members who leave or are removed, and bans. When the owner leaves, the member who joined first owns the league. */
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { type Caller, NOBODY } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { fanNotFound, lockSeen } from '../../identity/relations/find-fan.ts'
import { requireActiveCaller } from '../../identity/sanctions/write-as-fan.ts'
import { lockFan } from '../../identity/users/locks.ts'
import { leagueProblems } from './problems.ts'
import { findMember, lockOfMember, lockOfOwner } from './rows.ts'
import type { LeagueRow } from './table.ts'

/**
 * A member leaves, or the owner removes one, who can join again. By the handle of a member that the owner can see, or by the number
 * of any: the owner must be able to remove each row of the table. Fans who are suspended can only leave.
 * @throws DomainError `suspended`, `guardian_consent_required`, `league_not_found`, `not_owner`, `fan_not_found`
 */
export async function removeMember(
  tx: Transaction,
  caller: Caller,
  leagueId: string,
  handle: string,
): Promise<void> {
  const { userId } = caller
  const memberId = handle === 'me' ? userId : await lockNamed(tx, userId, leagueId, handle)
  if (memberId !== userId) await requireActiveCaller(tx, caller)
  const league = await lockOfMember(tx, userId, leagueId)
  if (memberId !== userId && league.ownerId !== userId) throw new DomainError(leagueProblems.not_owner)
  if (!(await findMember(tx, leagueId, memberId))) throw fanNotFound()
  await takeOut(tx, league, memberId)
}

/** No handle has a hyphen. */
function numberIn(handle: string): number | null {
  const [, digits] = /^member-([1-9]\d{0,14})$/.exec(handle) ?? []
  return digits === undefined ? null : Number(digits)
}

/** Locks the fan with this handle, if the caller can see the fan, or the one with this number in the league. */
async function lockNamed(tx: Transaction, userId: string, leagueId: string, handle: string): Promise<string> {
  const number = numberIn(handle)
  if (number === null) return (await lockSeen(tx, userId, handle))?.id ?? NOBODY
  const numbered = await selectNumbered(tx, leagueId, number)
  return (numbered && (await lockFan(tx, numbered.userId))?.id) ?? NOBODY
}

/** Of a member, or of a banned fan who was one: no number is given twice. */
const selectNumbered = preparedRow((reader: Reader, leagueId: string, number: number) => {
  const { leagueMembers, leagueBans } = reader.tables
  // As the index: earlier members of some databases have no number.
  const isNumbered = (table: Tables['leagueMembers'] | Tables['leagueBans']) =>
    and(eq(table.leagueId, leagueId), eq(table.number, number), gt(table.number, 0))
  const members = reader.select({ userId: leagueMembers.userId }).from(leagueMembers)
  const bans = reader.select({ userId: leagueBans.userId }).from(leagueBans)
  return members.where(isNumbered(leagueMembers)).unionAll(bans.where(isNumbered(leagueBans)))
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

/** Also takes a member out. A repeat changes nothing. @throws DomainError `league_not_found`, `not_owner`, `fan_not_found`, `cannot_ban_yourself` */
export async function banFan(
  tx: Transaction,
  { userId }: Caller,
  leagueId: string,
  handle: string,
): Promise<void> {
  const bannedId = await lockNamed(tx, userId, leagueId, handle)
  if (bannedId === userId) throw new DomainError(leagueProblems.cannot_ban_yourself)
  const league = await lockOfOwner(tx, userId, leagueId)
  if (bannedId === NOBODY) throw fanNotFound()
  const member = await findMember(tx, leagueId, bannedId)
  const { leagueBans: bans } = tx.tables
  // The number stays: a fan without a handle has no other name for the owner.
  const number = member?.number ?? numberIn(handle)
  await tx
    .insert(bans)
    .values({ leagueId, userId: bannedId, number, bannedAt: tx.now() })
    .onConflictDoNothing()
  if (member) await takeOut(tx, league, bannedId)
}

/** A repeat changes nothing. @throws as `banFan` */
export async function endBan(
  tx: Transaction,
  { userId }: Caller,
  leagueId: string,
  handle: string,
): Promise<void> {
  const bannedId = await lockNamed(tx, userId, leagueId, handle)
  if (bannedId === userId) throw new DomainError(leagueProblems.cannot_ban_yourself)
  const { joined } = await lockOfOwner(tx, userId, leagueId)
  const { leagueBans: bans } = tx.tables
  await tx.delete(bans).where(and(eq(bans.leagueId, leagueId), eq(bans.userId, bannedId)))
  const wasMember = (numberIn(handle) ?? Number.POSITIVE_INFINITY) <= joined
  if (bannedId === NOBODY && !wasMember) throw fanNotFound()
}
