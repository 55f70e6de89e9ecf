/** The clubs that a fan can follow. */

import { and, asc, eq, inArray } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { DomainError } from '../../core/problems.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import { teamsTag } from '../../platform/cache/tags.ts'
import { presentTexts } from '../catalogue/texts.ts'
import { teamProblems } from './problems.ts'

/** Active teams, from the response cache. */
export const getTeams = ({ read, cache }: ReadSource) =>
  cache.get('teams', async () => ({ value: { teams: await listTeams(read) }, tags: [teamsTag] }))

async function listTeams(reader: Reader) {
  const { teams } = reader.tables
  const rows = await reader.select().from(teams).where(eq(teams.active, true)).orderBy(asc(teams.id))
  return rows.map(({ active: _, createdAt: _c, updatedAt: _u, ...team }) => presentTexts(team))
}

/** Those of these teams that are stored, active or not. */
export async function findTeamIds(reader: Reader, ids: string[]): Promise<Set<string>> {
  const { teams } = reader.tables
  const rows = await reader.select({ id: teams.id }).from(teams).where(inArray(teams.id, ids))
  return new Set(rows.map(({ id }) => id))
}

/** `pointer` is where the request names the team. An inactive team is not found. */
export async function requireTeam(reader: Reader, teamId: string, pointer: string): Promise<void> {
  const [team] = await selectActive(reader, teamId)
  if (!team)
    throw new DomainError(teamProblems.team_not_found, {
      errors: [{ pointer, message: 'must be the id of a team' }],
    })
}
requireTeam.problems = [teamProblems.team_not_found] as const

const selectActive = prepared((reader: Reader, teamId: string) => {
  const { teams } = reader.tables
  return reader
    .select({ id: teams.id })
    .from(teams)
    .where(and(eq(teams.id, teamId), eq(teams.active, true)))
})
