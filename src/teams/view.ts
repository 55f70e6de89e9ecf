import type { Reader } from '../../db/index.ts'
import type { ResponseCache } from '../cache/response-cache.ts'
import { teamsTag } from '../cache/tags.ts'
import { listTeams } from './teams.ts'

export const TEAMS_VIEW = 'teams'

/** The teams that a fan can follow, kept for all who ask. */
export const viewTeams = (reader: Reader, cache: ResponseCache) =>
  cache.get(TEAMS_VIEW, async () => ({ value: { teams: await listTeams(reader) }, tags: [teamsTag] }))
