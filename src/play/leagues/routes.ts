import { Elysia } from 'elysia'
import { type Cursors, pageOf } from '../../core/pagination.ts'
import { Closed, PageQuery } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { Nothing, operation } from '../../platform/http/contract/operation.ts'
import { failuresOf } from '../../platform/http/edge/server-hooks.ts'
import { isUnknownCode } from '../codes/problems.ts'
import * as examples from './examples.ts'
import { changeLeague, createLeague, findLeagueErrors, joinLeague } from './leagues.ts'
import { banFan, endBan, removeMember } from './members.ts'
import { thrownBy } from './problems.generated.ts'
import { readRounds } from './read-rounds.ts'
import * as schema from './schema.ts'
import { listLeagues, readLeague } from './table.ts'

type LeagueDeps = FanDeps & { cursors: Cursors }

const TAG = 'Leagues'
/** A round has up to 500 pairs. */
const DEFAULT_ROUNDS = 5

const ownRoutes = (deps: LeagueDeps) =>
  fans(deps, { prefix: '/api/user/leagues', tag: TAG }).get(
    '',
    ({ caller }) => listLeagues(deps.db.read, caller),
    operation({
      id: 'listLeagues',
      summary: 'List your leagues',
      description:
        'The leagues of which you are a member, with your rank in each, without their tables; and those of your favourite team and your country, which nobody joins.',
      query: Closed(LanguageQuery),
      responses: { 200: schema.Leagues },
      examples: { 200: examples.exampleLeagues },
    }),
  )

const leagueRoutes = (deps: LeagueDeps) =>
  fans(deps, { prefix: '/api/leagues', tag: TAG })
    .derive(failuresOf)
    .post(
      '',
      ({ body, status, write }) =>
        write(async (tx, fan) => status(201, await createLeague(tx, deps.cursors, fan, body))),
      operation({
        id: 'createLeague',
        limit: 'relations',
        summary: 'Create a league',
        description:
          'You own the league and are its first member. Others join with its code. Its table ranks the members by points on the leaderboards, counted from joining or from the start. A fan who has left the leaderboards has no points in leagues.',
        body: schema.NewLeague,
        findErrors: ({ body }) => findLeagueErrors(body),
        responses: { 201: schema.League },
        problems: thrownBy.createLeague,
        examples: { body: examples.exampleNewLeague, 201: examples.exampleLeague },
      }),
    )
    .post(
      '/join',
      ({ body, caller, failures, request, write }) =>
        failures.judgeCode(
          request,
          caller,
          () => write((tx, fan) => joinLeague(tx, deps.cursors, fan, body)),
          isUnknownCode,
        ),
      operation({
        id: 'joinLeague',
        limit: 'relations',
        summary: 'Join a league',
        description:
          'By its code. A fan who enters unknown codes has to wait after ten in ten minutes, together with codes of campaigns; other refusals do not count.',
        body: schema.JoinLeague,
        responses: { 200: schema.League },
        problems: thrownBy.joinLeague,
        examples: { body: { code: '7Q2M-X9KD' }, 200: examples.exampleLeague },
      }),
    )
    .get(
      '/:leagueId',
      ({ caller, params, query }) =>
        readLeague(deps.db.read, deps.cursors, caller, params.leagueId, pageOf(query)),
      operation({
        id: 'readLeague',
        summary: 'Read a league',
        description:
          'The table by rank. Only members can read it, and fans of the team or the country of an automatic league. What it shows of a member follows from the privacy of the member, as on leaderboards.',
        params: schema.LeagueParams,
        query: Closed({ ...PageQuery, ...LanguageQuery }),
        responses: { 200: schema.League },
        problems: thrownBy.readLeague,
        examples: { 200: examples.exampleLeague },
      }),
    )
    .get(
      '/:leagueId/rounds',
      ({ caller, params, query }) => {
        const { limit = DEFAULT_ROUNDS, cursor } = query
        const page = { limit: Number(limit), ...(cursor !== undefined && { cursor }) }
        return readRounds(deps.db.read, deps.cursors, caller, params.leagueId, page)
      },
      operation({
        id: 'readLeagueRounds',
        summary: 'Read the rounds of a league',
        description:
          'Head to head: the pairs of each week, drawn when the week begins, with the points of closed rounds. The draw follows from `seed`, the number of the round and the numbers of the members. A league with a table has no rounds.',
        params: schema.LeagueParams,
        query: schema.RoundsQuery,
        responses: { 200: schema.LeagueRounds },
        problems: thrownBy.readLeagueRounds,
        examples: { 200: examples.exampleRounds },
      }),
    )
    .patch(
      '/:leagueId',
      ({ body, params, write }) =>
        write((tx, fan) => changeLeague(tx, deps.cursors, fan, params.leagueId, body)),
      operation({
        id: 'changeLeague',
        limit: 'relations',
        summary: 'Change a league',
        description: 'Only for its owner. The next owner must be a member.',
        params: schema.LeagueParams,
        body: schema.LeagueChange,
        responses: { 200: schema.League },
        problems: thrownBy.changeLeague,
        examples: { body: { locked: true }, 200: { ...examples.exampleLeague, locked: true } },
      }),
    )
    .delete(
      '/:leagueId/members/:handle',
      ({ params, status, write }) =>
        write(async (tx, fan) => {
          await removeMember(tx, fan, params.leagueId, params.handle)
          return status(204, undefined)
        }),
      operation({
        id: 'removeLeagueMember',
        limit: 'relations',
        idempotencyKey: 'none',
        whenSuspended: 'partly',
        summary: 'Leave a league, or remove a member',
        description:
          'With `me` or your handle you leave. When the owner leaves, the member who joined first owns the league; when the last member leaves, it is deleted. The owner can remove each member, by handle or by number, who can join again unless banned; a suspended owner can only leave.',
        params: schema.LeagueMemberParams,
        body: Nothing,
        responses: { 204: Type.Void({ description: 'The fan is no longer a member.' }) },
        problems: thrownBy.removeLeagueMember,
      }),
    )
    .put(
      '/:leagueId/bans/:handle',
      ({ params, status, write }) =>
        write(async (tx, fan) => {
          await banFan(tx, fan, params.leagueId, params.handle)
          return status(204, undefined)
        }),
      operation({
        id: 'banFromLeague',
        limit: 'relations',
        summary: 'Ban a fan from a league',
        description: 'Only for its owner. Removes a member. A repeat changes nothing.',
        params: schema.LeagueFanParams,
        body: Nothing,
        responses: { 204: Type.Void({ description: 'The fan cannot join the league.' }) },
        problems: thrownBy.banFromLeague,
      }),
    )
    .delete(
      '/:leagueId/bans/:handle',
      ({ params, status, write }) =>
        write(async (tx, fan) => {
          await endBan(tx, fan, params.leagueId, params.handle)
          return status(204, undefined)
        }),
      operation({
        id: 'endLeagueBan',
        limit: 'relations',
        idempotencyKey: 'none',
        summary: 'End a ban from a league',
        description:
          'Only for its owner. The fan is no member until they join again. A repeat changes nothing.',
        params: schema.LeagueFanParams,
        body: Nothing,
        responses: { 204: Type.Void({ description: 'The fan can join the league.' }) },
        problems: thrownBy.endLeagueBan,
      }),
    )

export const leaguesRoutes = (deps: LeagueDeps) =>
  new Elysia({ name: 'matchday/leagues-routes' }).use(ownRoutes(deps)).use(leagueRoutes(deps))
