import { Elysia } from 'elysia'
import { MatchParams } from '../../club/matches/schema.ts'
import { type Cursors, pageOf } from '../../core/pagination.ts'
import { Closed, PageQuery } from '../../core/schemas.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import { publicReaders } from '../../platform/http/contract/group.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { writePrediction } from './predict.ts'
import { listPredictions, readPrediction } from './predictions.ts'
import { thrownBy } from './problems.generated.ts'
import { getPredictionRules } from './rules.ts'
import * as schema from './schema.ts'

type PredictionDeps = FanDeps & { cursors: Cursors; publicReads: PublicReads }

const TAG = 'Matches'

const matchRoutes = (deps: PredictionDeps) =>
  fans(deps, { prefix: '/api/matches', tag: TAG })
    .get(
      '/:matchId/prediction',
      ({ caller, params }) => readPrediction(deps.db.read, caller, params.matchId),
      operation({
        id: 'readPrediction',
        summary: 'Read your prediction of a match',
        description:
          'The scores that you predicted, with the points that they earned once there is a result.',
        params: MatchParams,
        responses: { 200: schema.Prediction },
        problems: thrownBy.readPrediction,
        examples: { 200: schema.exampleSettled },
      }),
    )
    .put(
      '/:matchId/prediction',
      ({ body, params, write }) => write((tx, fan) => writePrediction(tx, fan, params.matchId, body)),
      operation({
        id: 'writePrediction',
        summary: 'Predict the score of a match',
        description:
          'Until kick-off, or the first kick-off of the round where the competition says so; replaces your earlier prediction.',
        params: MatchParams,
        body: schema.ScorePrediction,
        responses: { 200: schema.Prediction },
        problems: thrownBy.writePrediction,
        examples: { body: { homeScore: 2, awayScore: 1 }, 200: schema.examplePrediction },
      }),
    )

const ownRoutes = (deps: PredictionDeps) =>
  fans(deps, { prefix: '/api/user/predictions', tag: TAG }).get(
    '',
    ({ caller, query }) => listPredictions(deps.db.read, deps.cursors, caller, pageOf(query)),
    operation({
      id: 'listPredictions',
      summary: 'List your predictions',
      description: 'Newest first, each with the points that it earned once there is a result.',
      query: Closed(PageQuery),
      responses: { 200: schema.Predictions },
      problems: thrownBy.listPredictions,
      examples: { 200: { predictions: [schema.exampleSettled], nextCursor: null } },
    }),
  )

const publicRoutes = (deps: PredictionDeps) =>
  publicReaders(deps, { prefix: '/api/matches', tag: TAG }).get(
    '/:matchId/predictions',
    ({ params, readPublic }) => readPublic(source => getPredictionRules(source, params.matchId)),
    operation({
      id: 'readPredictionRules',
      summary: 'Read the rules of predictions of a match',
      description:
        'Deadline, points and jokers. In a competition with `crowd`, also how many fans chose each outcome, once predictions have closed.',
      conditional: true,
      params: MatchParams,
      responses: { 200: schema.PredictionRules },
      problems: thrownBy.readPredictionRules,
      examples: { 200: schema.exampleRules },
    }),
  )

export const predictionRoutes = (deps: PredictionDeps) =>
  new Elysia({ name: 'matchday/prediction-routes' })
    .use(publicRoutes(deps))
    .use(matchRoutes(deps))
    .use(ownRoutes(deps))
