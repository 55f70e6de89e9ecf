import { Elysia } from 'elysia'
import type { Cursors } from '../../core/pagination.ts'
import { Closed } from '../../core/schemas.ts'
import { type ServerDeps, servers } from '../../identity/server-keys/group.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import { publicReaders } from '../../platform/http/contract/group.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { getMatch, getMatches } from './matches.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'
import { updateMatch } from './update-match.ts'

type MatchesDeps = ServerDeps & { cursors: Cursors; publicReads: PublicReads }

const publicRoutes = (deps: MatchesDeps) =>
  publicReaders(deps, { prefix: '/api/matches', tag: 'Matches' })
    .get(
      '',
      ({ query, readPublic }) =>
        readPublic(source => getMatches({ ...source, cursors: deps.cursors }, query)),
      operation({
        id: 'listMatches',
        summary: 'List the matches',
        description: 'By kick-off, earliest first. `from` with the current time lists future matches.',
        conditional: true,
        query: Closed({ ...schema.MatchesQuery.properties, ...LanguageQuery }),
        responses: { 200: schema.Matches },
        problems: thrownBy.listMatches,
        examples: { 200: { matches: [schema.exampleMatch], nextCursor: null } },
      }),
    )
    .get(
      '/:matchId',
      ({ params, readPublic }) => readPublic(source => getMatch(source, params.matchId)),
      operation({
        id: 'readMatch',
        summary: 'Read a match',
        description: 'The match in its current state.',
        conditional: true,
        params: schema.MatchParams,
        query: Closed(LanguageQuery),
        responses: { 200: schema.Match },
        problems: thrownBy.readMatch,
        examples: { 200: schema.exampleMatch },
      }),
    )

const serverRoutes = (deps: MatchesDeps) =>
  servers(deps, { prefix: '/api/matches', tag: 'Server', scope: 'matches:write' }).put(
    '/:matchId',
    ({ body, params, write }) => write(tx => updateMatch(tx, params.matchId, body)),
    operation({
      id: 'updateMatch',
      summary: 'Report the state of a match',
      description:
        'Replaces status, kick-off and scores. `revision` numbers the states: a late report is refused, and a repeat of the stored one is accepted. A result settles the predictions; another result settles them again.',
      params: schema.MatchParams,
      query: Closed(LanguageQuery),
      body: schema.MatchUpdate,
      responses: { 200: schema.Match },
      problems: thrownBy.updateMatch,
      examples: { body: schema.exampleUpdate, 200: { ...schema.exampleMatch, ...schema.exampleUpdate } },
    }),
  )

export const matchesRoutes = (deps: MatchesDeps) =>
  new Elysia({ name: 'matchday/matches-routes' }).use(publicRoutes(deps)).use(serverRoutes(deps))
