/** Leagues, members and bans, one at a time. The lock of a league comes before the rows of its members. */
import { and, eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { preparedRow } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'
import { DomainError } from '../../core/problems.ts'
import { leagueProblems } from './problems.ts'
import type { LeagueRow } from './table.ts'

export const lockLeague = preparedRow((tx: Transaction, leagueId: string) => {
  const { leagues } = tx.tables
  return locksForUpdate(tx, tx.select().from(leagues).where(eq(leagues.id, leagueId)))
})

export const findMember = preparedRow((reader: Reader, leagueId: string, userId: string) => {
  const { leagueMembers: members } = reader.tables
  return reader
    .select()
    .from(members)
    .where(and(eq(members.leagueId, leagueId), eq(members.userId, userId)))
})

export const isMember = async (reader: Reader, leagueId: string, userId: string) =>
  (await findMember(reader, leagueId, userId)) !== undefined

const selectBan = preparedRow((reader: Reader, leagueId: string, userId: string) => {
  const { leagueBans: bans } = reader.tables
  return reader
    .select()
    .from(bans)
    .where(and(eq(bans.leagueId, leagueId), eq(bans.userId, userId)))
})

export const isBanned = async (reader: Reader, leagueId: string, userId: string) =>
  (await selectBan(reader, leagueId, userId)) !== undefined

/** @throws DomainError `league_not_found` */
export async function lockOfMember(tx: Transaction, userId: string, leagueId: string): Promise<LeagueRow> {
  const league = await lockLeague(tx, leagueId)
  if (!league || !(await isMember(tx, leagueId, userId)))
    throw new DomainError(leagueProblems.league_not_found)
  return league
}

/** @throws DomainError `league_not_found`, `not_owner` */
export async function lockOfOwner(tx: Transaction, userId: string, leagueId: string): Promise<LeagueRow> {
  const league = await lockOfMember(tx, userId, leagueId)
  if (league.ownerId !== userId) throw new DomainError(leagueProblems.not_owner)
  return league
}
