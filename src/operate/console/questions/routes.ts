/** Questions by hand: staff open, close and answer them, and see the votes. */
import { instantIn } from '../../../core/instant.ts'
import {
  answerQuestion,
  closeQuestion,
  closesEarlier,
  givesPoints,
  openQuestion,
} from '../../../play/questions/change.ts'
import { listMatchQuestions, readQuestionDetail } from '../../../play/questions/progress.ts'
import { action, withActions } from '../contract/action.ts'
import { consoleOperation } from '../contract/operation.ts'
import { type StaffDeps, staff } from '../contract/staff.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

export const questionRoutes = (deps: StaffDeps) => {
  const { db } = deps
  const ofQuestion = {
    subject: ({ params: { questionId } }: { params: { questionId: string } }) => ({
      kind: 'question',
      id: questionId,
    }),
    permission: 'catalogue.write',
    params: schema.QuestionParams,
    answer: schema.QuestionDetail,
    respond: (_: unknown, { params: { questionId } }: { params: { questionId: string } }) =>
      readQuestionDetail(db.read, questionId),
  } as const
  const changes = [
    action({
      ...ofQuestion,
      path: '/questions/:questionId/open',
      id: 'openQuestion',
      summary: 'Open a question now',
      description: 'A question that has an answer and votes cannot be opened again.',
      // Opening gives nothing: the answer does. An earlier close of an open question is a close.
      onePerson: async ({ body: { closesAt }, params: { questionId }, reader }) =>
        !(await closesEarlier(reader, questionId, instantIn(closesAt))) ||
        !(await givesPoints(reader, questionId)),
      body: schema.OpenQuestion,
      verb: (tx, { body: { closesAt }, params: { questionId } }) =>
        openQuestion(tx, questionId, instantIn(closesAt)),
      detail: (_, { body: { closesAt } }) => ({ closesAt }),
      problems: thrownBy.openQuestion,
      example: { closesAt: '2026-08-15T18:40:00Z', reason: 'A corner.' },
    }),
    action({
      ...ofQuestion,
      path: '/questions/:questionId/close',
      id: 'closeQuestion',
      summary: 'Close a question now',
      description: 'If it has an answer, the votes are settled.',
      onePerson: async ({ params, reader }) => !(await givesPoints(reader, params.questionId)),
      body: schema.CloseQuestion,
      verb: (tx, { params: { questionId } }) => closeQuestion(tx, questionId),
      problems: thrownBy.closeQuestion,
      example: { reason: 'The corner was taken.' },
    }),
    action({
      ...ofQuestion,
      path: '/questions/:questionId/answer',
      id: 'answerQuestion',
      summary: 'Answer a question, or correct the answer',
      description: 'Votes are settled after the close; another answer settles them again.',
      onePerson: async ({ params, reader }) => !(await givesPoints(reader, params.questionId)),
      body: schema.AnswerQuestion,
      verb: (tx, { body: { correct }, params: { questionId } }) => answerQuestion(tx, questionId, correct),
      detail: (_, { body: { correct } }) => ({ correct }),
      problems: thrownBy.answerQuestion,
      example: { correct: 'home', reason: 'Harbour City scored.' },
    }),
  ]
  const group = staff(deps, { prefix: '/api/live', tag: 'Questions' })
    .get(
      '/matches/:matchId/questions',
      ({ params }) => listMatchQuestions(db.read, params.matchId),
      consoleOperation({
        id: 'listMatchQuestions',
        summary: 'List the questions about a match, with their votes',
        permission: 'catalogue.read',
        params: schema.MatchParams,
        responses: { 200: schema.MatchQuestions },
      }),
    )
    .get(
      '/questions/:questionId',
      ({ params }) => readQuestionDetail(db.read, params.questionId),
      consoleOperation({
        id: 'readConsoleQuestion',
        summary: 'Read a question, with its votes and the progress of its settlement',
        permission: 'catalogue.read',
        params: schema.QuestionParams,
        responses: { 200: schema.QuestionDetail },
        problems: thrownBy.readConsoleQuestion,
      }),
    )
  return withActions(group, changes)
}
