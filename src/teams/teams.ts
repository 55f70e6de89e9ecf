/** The clubs that a fan can follow. */
import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { DomainError } from '../problems.ts'

export async function listTeams(reader: Reader) {
  const { teams } = reader.tables
  const rows = await reader.select().from(teams).where(eq(teams.active, true)).orderBy(asc(teams.id))
  return rows.map(({ active: _, createdAt: _c, updatedAt: _u, ...team }) => team)
}

/** `pointer` is where the request named the team. @throws DomainError `team_not_found` (also when it is inactive) */
export async function requireTeam(reader: Reader, teamId: string, pointer: string): Promise<void> {
  const { teams } = reader.tables
  const [team] = await reader
    .select({ id: teams.id })
    .from(teams)
    .where(and(eq(teams.id, teamId), eq(teams.active, true)))
  if (!team)
    throw new DomainError('team_not_found', { errors: [{ pointer, message: 'must be the id of a team' }] })
}
