import { Elysia } from 'elysia'
import { type Cursors, pageOf } from '../../core/pagination.ts'
import { Closed, PageQuery } from '../../core/schemas.ts'
import { type FanDeps, fans, optionalFans } from '../../identity/auth/groups.ts'
import { type ServerDeps, servers } from '../../identity/server-keys/group.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { putQuestion } from './change.ts'
import { listQuestions, listVotes } from './list.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'
import { writeVote } from './vote.ts'

type QuestionDeps = FanDeps & ServerDeps & { cursors: Cursors; publicReads: PublicReads }

const TAG = 'Questions'

const publicRoutes = (deps: QuestionDeps) =>
  optionalFans(deps, { prefix: '/api/questions', tag: TAG }).get(
    '',
    ({ caller, query, readPublic }) =>
      readPublic(source => listQuestions({ ...source, cursors: deps.cursors }, caller, query, pageOf(query))),
    operation({
      id: 'listQuestions',
      summary: 'List the questions',
      description:
        'Polls, quizzes, ratings, predictions and players of the match. With a token, each has your vote, and what you lack to vote. The topic `question:ID` of the stream tells changes.',
      conditional: true,
      query: Closed({ ...schema.QuestionsQuery.properties, ...LanguageQuery }),
      responses: { 200: schema.Questions },
      problems: thrownBy.listQuestions,
      examples: { 200: { questions: [schema.exampleQuestion], nextCursor: null } },
    }),
  )

const fanRoutes = (deps: QuestionDeps) =>
  fans(deps, { prefix: '/api/questions', tag: TAG }).put(
    '/:questionId/vote',
    ({ body, params, write }) => write((tx, fan) => writeVote(tx, fan, params.questionId, body)),
    operation({
      id: 'writeVote',
      summary: 'Vote in a question',
      description:
        'Once, while the question is open by the clock of the server; a `changeable` question takes another vote until it closes. The same vote again is accepted.',
      params: schema.QuestionParams,
      query: Closed(LanguageQuery),
      body: schema.Vote,
      responses: { 200: schema.Question },
      problems: thrownBy.writeVote,
      examples: { body: { optionId: 'home' }, 200: schema.exampleQuestion },
    }),
  )

const ownRoutes = (deps: QuestionDeps) =>
  fans(deps, { prefix: '/api/user/votes', tag: TAG }).get(
    '',
    ({ caller, query }) => listVotes(deps.db.read, deps.cursors, caller, pageOf(query)),
    operation({
      id: 'listVotes',
      summary: 'List your votes',
      description: 'Newest first, each with the points that it earned once there is an answer.',
      query: Closed(PageQuery),
      responses: { 200: schema.OwnVotes },
      problems: thrownBy.listVotes,
      examples: {
        200: {
          votes: [
            {
              questionId: 'first-goal',
              optionId: 'home',
              votedAt: '2026-08-15T18:31:00.000Z',
              settled: null,
            },
          ],
          nextCursor: null,
        },
      },
    }),
  )

const serverRoutes = (deps: QuestionDeps) =>
  servers(deps, { prefix: '/api/questions', tag: 'Server', scope: 'questions:write' }).put(
    '/:questionId',
    ({ body, params, status, write }) =>
      write(async tx => {
        const { isNew, question } = await putQuestion(tx, {
          ...schema.statedQuestion(body),
          id: params.questionId,
        })
        return status(isNew ? 201 : 200, question)
      }),
    operation({
      id: 'writeQuestion',
      summary: 'Write a question',
      description:
        'Creates or replaces it, as a catalogue file does: another `closesAt` closes it, and `correct` settles the votes after the close; another answer settles them again, and null withdraws it. What fans have voted for must stay an option.',
      params: schema.QuestionParams,
      query: Closed(LanguageQuery),
      body: schema.StatedQuestion,
      responses: { 200: schema.Question, 201: schema.Question },
      problems: thrownBy.writeQuestion,
      examples: {
        body: schema.exampleStated,
        200: { ...schema.exampleQuestion, myVote: null, results: null },
        201: { ...schema.exampleQuestion, myVote: null, results: null },
      },
    }),
  )

export const questionsRoutes = (deps: QuestionDeps) =>
  new Elysia({ name: 'matchday/questions-routes' })
    .use(publicRoutes(deps))
    .use(fanRoutes(deps))
    .use(ownRoutes(deps))
    .use(serverRoutes(deps))
