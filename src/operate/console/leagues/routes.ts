/** Leagues of fans: search, members, reports, and a name that moderators replace. */
import { type Cursors, pageOf } from '../../../core/pagination.ts'
import { findLeagues, listLeagueMembers, readLeagueForStaff, renameLeague } from '../../admin/leagues.ts'
import { action, withActions } from '../contract/action.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

type LeagueDeps = StaffDeps & { cursors: Cursors }

const readRoutes = (deps: LeagueDeps, { db, cursors } = deps) =>
  staff(deps, { prefix: '/api/leagues', tag: 'Leagues' })
    .get(
      '',
      ({ query }) => findLeagues(db.read, cursors, { text: query.text?.trim() ?? '', ...pageOf(query) }),
      consoleOperation({
        id: 'findLeagues',
        summary: 'Find leagues by part of the name, or by the code',
        permission: 'moderation.read',
        query: schema.LeaguesQuery,
        responses: { 200: schema.FoundLeagues },
        problems: thrownBy.findLeagues,
      }),
    )
    .get(
      '/:leagueId',
      ({ params }) => readLeagueForStaff(db.read, params.leagueId),
      consoleOperation({
        id: 'readLeagueOfFans',
        summary: 'Read a league: its owner and the reports about it',
        permission: 'moderation.read',
        params: schema.LeaguePath,
        responses: { 200: schema.LeagueDetail },
        problems: thrownBy.readLeagueOfFans,
      }),
    )
    .get(
      '/:leagueId/members',
      ({ params, query }) => listLeagueMembers(db.read, cursors, params.leagueId, pageOf(query)),
      consoleOperation({
        id: 'listLeagueMembers',
        summary: 'List the members of a league, by when they joined',
        permission: 'moderation.read',
        params: schema.LeaguePath,
        query: schema.MembersQuery,
        responses: { 200: schema.LeagueMembers },
        problems: thrownBy.listLeagueMembers,
      }),
    )

const renaming = action({
  path: '/:leagueId/name',
  id: 'renameLeague',
  summary: 'Replace the name of a league',
  description: 'Reports stay open until their case is decided.',
  permission: 'moderation.write',
  params: schema.LeaguePath,
  body: schema.NewLeagueName,
  subject: ({ params }) => ({ kind: 'league', id: params.leagueId }),
  verb: (tx, { body, params: { leagueId } }) => renameLeague(tx, leagueId, body),
  detail: fanId => ({ fanId, changed: ['name'] }),
  problems: thrownBy.renameLeague,
  example: { name: 'League of Ada', reason: 'An insult to another club.' },
})

export const leagueRoutes = (deps: LeagueDeps) => withActions(readRoutes(deps), [renaming])
