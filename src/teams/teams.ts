/** The clubs that a fan can follow. */
import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { DomainError } from '../problems.ts'

export async function listTeams(reader: Reader) {
  const { teams } = reader.tables
  const rows = await reader.select().from(teams).where(eq(teams.active, true)).orderBy(asc(teams.id))
  return rows.map(({ active: _, createdAt: _c, updatedAt: _u, ...team }) => team)
}

/** @throws DomainError `team_not_found` (also when the team is no longer active) */
export async function requireTeam(reader: Reader, teamId: string): Promise<void> {
  const { teams } = reader.tables
  const [team] = await reader
    .select({ id: teams.id })
    .from(teams)
    .where(and(eq(teams.id, teamId), eq(teams.active, true)))
  if (!team)
    throw new DomainError('team_not_found', {
      errors: [{ pointer: '/favoriteTeamId', message: 'no such team' }],
    })
}
