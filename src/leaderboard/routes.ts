import { Elysia } from 'elysia'
import { type AuthDeps, authenticateIfGiven } from '../auth/authenticate.ts'
import type { ResponseCache } from '../cache/response-cache.ts'
import { type Cursors, pageOf } from '../core/pagination.ts'
import { operation } from '../http/contract/operation.ts'
import { exampleLeaderboard, Leaderboard, LeaderboardQuery } from './schema.ts'
import { viewLeaderboard } from './view.ts'

export const leaderboardRoutes = (deps: AuthDeps & { cursors: Cursors; cache: ResponseCache }) =>
  new Elysia({ name: 'matchday/leaderboard', prefix: '/api/leaderboard' }).use(authenticateIfGiven(deps)).get(
    '',
    ({ caller, query }) =>
      viewLeaderboard({ ...deps, read: deps.db.read }, caller, { ...query, ...pageOf(query) }),
    operation({
      id: 'readLeaderboard',
      summary: 'Read the leaderboard',
      description:
        'Fans who joined it, by points earned: of all time, of a week or of a month. ' +
        'With a token, `me` is the caller’s own place, wherever the page lies.',
      tag: 'Leaderboard',
      caller: 'optional',
      conditional: true,
      data: 'read',
      query: LeaderboardQuery,
      answers: { 200: Leaderboard },
      problems: ['invalid_cursor'],
      examples: { answers: { 200: exampleLeaderboard } },
    }),
  )
