/** What an installed app does with what a later release adds, by the variant with open enums: it decodes. `check.ts` runs it. */
import { ReadMatchResponse as ClosedMatch } from '../generated/decoders/openapi.ts'
import { ReadMatchResponse as OpenMatch } from '../generated/decoders/openapi-open.ts'
import type { components, paths } from '../generated/openapi-open.d.ts'

const match: components['schemas']['Match'] = {
  id: 'harbour-city-2026-08-15',
  competition: 'Coastal League',
  season: '2026/27',
  round: null,
  sponsorId: null,
  homeTeamId: 'harbour-city',
  awayTeamId: 'ashbourne-rovers',
  kickoffAt: '2026-08-15T18:30:00.000Z',
  venue: null,
  // Added later.
  status: 'abandoned',
  homeScore: null,
  awayScore: null,
  revision: 1,
  checkIn: null,
}

if (OpenMatch.parse(match).status !== 'abandoned') throw new Error('the value is lost')
if (OpenMatch.safeParse({ ...match, status: 7 }).success) throw new Error('a number is not a status')
if (ClosedMatch.safeParse(match).success) throw new Error('the document without the variant takes any status')

type Refusal = paths['/api/rewards/claim']['post']['responses'][409]['content']['application/problem+json']

/** A problem that is added later has the members of every problem, and those that are known still have their own. */
export const refusals: Refusal[] = [
  {
    ...{ type: 'urn:matchday:problem:added_later', title: 'Later', status: 409, code: 'added_later' },
    ...{ detail: 'Later.', requestId: '01981e2c-7c1f-7000-8000-000000000000' },
  },
]
