/** The clubs that a fan can follow. */

import { and, eq, inArray } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { DomainError } from '../../core/problems.ts'
import { presentTexts } from '../catalogue/texts.ts'
import { teamProblems } from './problems.ts'

/** Returns the ids of stored teams, active or not. */
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

const selectActive = prepared((reader: Reader, teamId: string) => {
  const { teams } = reader.tables
  return reader
    .select({ id: teams.id })
    .from(teams)
    .where(and(eq(teams.id, teamId), eq(teams.active, true)))
})

/** The name of a team, also of one that is switched off. */
export async function findTeamName(reader: Reader, teamId: string): Promise<string | undefined> {
  const [team] = await selectName(reader, teamId)
  return team && presentTexts(team).name
}

const selectName = prepared((reader: Reader, teamId: string) => {
  const { id, name, translations } = reader.tables.teams
  return reader.select({ name, translations }).from(reader.tables.teams).where(eq(id, teamId))
})

/** A team of a match. */
export interface Side {
  id: string
  name: string
  shortName: string
  primaryColor: string | null
  crestUrl: string | null
}

/** The default names and the crests of teams, also of those that are switched off. */
export function readCrests(reader: Reader, ids: string[]) {
  const { id, name, crestUrl } = reader.tables.teams
  return reader.select({ id, name, crestUrl }).from(reader.tables.teams).where(inArray(id, ids))
}

/** Both teams of a match, also those that are switched off. */
export async function readSides(reader: Reader, [home, away]: [string, string]): Promise<[Side, Side]> {
  const { teams } = reader.tables
  const { id, name, shortName, primaryColor, crestUrl, translations } = teams
  const rows = await reader
    .select({ id, name, shortName, primaryColor, crestUrl, translations })
    .from(teams)
    .where(inArray(id, [home, away]))
  const sideOf = (teamId: string): Side => {
    const row = rows.find(row => row.id === teamId)
    if (!row) throw new Error('a team of a match is missing')
    return presentTexts(row)
  }
  return [sideOf(home), sideOf(away)]
}
