import { Closed, InstantInput, Integer, Nullable, Slug } from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { Reason } from '../../../identity/staff/reason.ts'
import { QuestionEntry } from '../../../play/questions/entry-schema.ts'
import { State } from '../../../play/questions/schema.ts'

export const QuestionParams = Closed({ questionId: Slug('The question.') })

export const MatchParams = Closed({ matchId: Slug('The match.') })

export const OpenQuestion = Closed(
  { closesAt: InstantInput('Until when fans can vote, exclusive.'), reason: Reason },
  { title: 'OpenQuestion' },
)

export const CloseQuestion = Closed({ reason: Reason }, { title: 'CloseQuestion' })

export const AnswerQuestion = Closed(
  {
    correct: Nullable(Type.String({ minLength: 1, maxLength: 100 }), {
      description: 'The correct option, or the rating as text. Null withdraws the answer.',
    }),
    reason: Reason,
  },
  { title: 'AnswerQuestion' },
)

export const QuestionDetail = Closed(
  {
    question: QuestionEntry,
    choices: Type.Array(Closed({ id: Type.String(), text: Type.String() }), {
      description: 'What the answer can be: options, players or ratings, in the default language.',
    }),
    state: { ...State, description: 'By the times at which votes are judged.' },
    fans: Integer({ minimum: 0, description: 'Fans who have voted.' }),
    results: Type.Array(
      Closed({
        optionId: Type.String({ description: 'The option, or the rating as text.' }),
        votes: Integer({ minimum: 0, description: 'Fans whose vote is for it.' }),
      }),
      { description: 'Options that have votes, by id.' },
    ),
    settled: Integer({ minimum: 0, description: 'Votes that are settled by the current answer.' }),
    points: Integer({ minimum: 0, description: 'Points that fans have for it.' }),
    isSettling: Type.Boolean({ description: 'Whether votes wait for the current answer.' }),
  },
  { title: 'ConsoleQuestion' },
)

export const MatchQuestions = Closed(
  { questions: Type.Array(QuestionDetail, { description: 'Those that open first come first.' }) },
  { title: 'MatchQuestions' },
)
