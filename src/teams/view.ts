import type { Reader } from '../../db/index.ts'
import { teamsTopic } from '../views/topics.ts'
import type { ViewCache } from '../views/view-cache.ts'
import { listTeams } from './teams.ts'

/** The teams that a fan can follow, kept for all who ask. */
export const viewTeams = (reader: Reader, views: ViewCache) =>
  views.read('teams', async () => ({ value: { teams: await listTeams(reader) }, topics: [teamsTopic] }))
