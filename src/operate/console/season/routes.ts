/** The page *Season*, for people who decide. */
import { mayDo } from '../../../identity/staff/roles.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { readSeason } from './read-season.ts'
import { PERIODS, Season, SeasonQuery } from './schema.ts'

export const seasonRoutes = (deps: StaffDeps) =>
  staff(deps, { prefix: '/api/season', tag: 'Overview' }).get(
    '',
    ({ query, staff: { role } }) =>
      readSeason(deps.db.read, {
        days: Number(query.days ?? PERIODS[0]),
        segment: query.segment ?? 'all',
        seesMoney: mayDo(role, 'season.money'),
        seesWebhooks: mayDo(role, 'webhooks.read'),
      }),
    consoleOperation({
      id: 'readSeason',
      summary: 'Read what a season has brought',
      description:
        'From counts that are kept as events arrive, ten minutes later. Days and weeks are in UTC. Sums of money and the worth of points are for `season.money` only.',
      permission: 'season.read',
      query: SeasonQuery,
      responses: { 200: Season },
    }),
  )
