import { statedMembers, withNullMembers } from '../../club/catalogue/null-members.ts'
import { Closed, Instant, Integer, Nullable, OneOf, PageQuery, Slug } from '../../core/schemas.ts'
import { type Static, type TObject, Type } from '../../core/typebox.ts'
import { BlockedBy, ShownRequires } from '../eligibility/requires.ts'
import { QUESTION_KINDS, QuestionEntry } from './entry-schema.ts'

export const QuestionParams = Closed({ questionId: Slug('The question.', { examples: ['first-goal'] }) })

export const QuestionsQuery = Closed(
  {
    matchId: Type.Optional(Slug('Only questions about this match.', { examples: ['harbour-bay'] })),
    open: Type.Optional(
      OneOf(['true', 'false'], {
        examples: ['true'],
        description: 'Only questions that are open now, or only those that are not.',
        errorNoun: 'true or false',
      }),
    ),
    ...PageQuery,
  },
  { title: 'QuestionsQuery' },
)

export const Vote = Closed(
  {
    optionId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'The option, or the player.' }),
    ),
    rating: Type.Optional(Integer({ minimum: 1, maximum: 10, description: 'For a question with a scale.' })),
  },
  { title: 'Vote' },
)
export type Vote = Static<typeof Vote>

const Option = Closed(
  {
    id: Type.String({ description: 'Slug of the option, or of the player.' }),
    text: Type.String({ description: 'For the fan to read.' }),
    imageUrl: Nullable(Type.String(), { description: 'https URL, or a path of the API’s origin.' }),
  },
  { title: 'QuestionChoice' },
)

const OptionVotes = Closed(
  {
    optionId: Type.String({ description: 'The option; of a scale `1` to `10`.' }),
    votes: Integer({ minimum: 0, description: 'Fans whose vote is for it.' }),
  },
  { title: 'OptionVotes' },
)

const Sponsor = Closed(
  {
    id: Type.String({ description: 'Slug of the sponsor.' }),
    name: Type.String({ description: 'For the fan to read.' }),
    imageUrl: Nullable(Type.String(), { description: 'Its logo.' }),
    url: Nullable(Type.String(), { description: 'Its page: https URL.' }),
  },
  { title: 'QuestionSponsor' },
)

export const State = OneOf(['scheduled', 'open', 'closed', 'settled'], {
  description: '`settled`: closed, with an answer.',
})
const Results = Nullable(Type.Array(OptionVotes), {
  description: 'In the order of the options. Null: the rule of the question hides them.',
})
const Correct = Nullable(Type.String(), {
  description: 'The correct option. Null until the question is closed and has an answer.',
})

export const Question = Closed(
  {
    id: Slug('Slug of the question.'),
    matchId: Nullable(Type.String(), { description: 'The match that it is about.' }),
    kind: OneOf(QUESTION_KINDS, { description: 'How to show it.' }),
    title: Type.String({ description: 'What fans are asked.' }),
    imageUrl: Nullable(Type.String(), { description: 'https URL, or a path of the API’s origin.' }),
    options: Type.Array(Option, { description: 'Empty for a scale.' }),
    scale: Nullable(Integer({ minimum: 2, maximum: 10 }), {
      description: 'Ratings are from 1 to this number. Null: the fan chooses an option.',
    }),
    opensAt: Instant('When it opens for viewers of the stream of the club.'),
    closesAt: Instant('When it closes for them, exclusive.'),
    state: State,
    changeable: Type.Boolean({ description: 'Whether you can change the vote until the close.' }),
    points: Nullable(Integer({ minimum: 1 }), { description: 'Points for the correct option.' }),
    sponsor: Nullable(Sponsor, { description: 'Who supports it.' }),
    requires: ShownRequires('Who may vote.'),
    blockedBy: BlockedBy('What you lack to vote.'),
    myVote: Nullable(Type.Union([Type.String(), Type.Integer()]), {
      description: 'The option, or the rating, that you have chosen.',
    }),
    results: Results,
    correct: Correct,
  },
  { title: 'ShownQuestion' },
)

export const Questions = Closed(
  {
    questions: Type.Array(Question, { description: 'Those that open last come first.' }),
    nextCursor: Nullable(Type.String(), { description: 'Null: no more.' }),
  },
  { title: 'Questions' },
)

const OwnVote = Closed(
  {
    questionId: Type.String({ description: 'The question.' }),
    optionId: Type.String({ description: 'The option that you have chosen, or the rating as text.' }),
    votedAt: Instant('When you chose it.'),
    settled: Nullable(
      Closed({
        correct: Type.Boolean({ description: 'Whether it is the correct option.' }),
        points: Integer({ minimum: 0, description: 'Points for it.' }),
        settledAt: Instant('When the answer settled it.'),
      }),
      { description: 'Null until the answer settles it.' },
    ),
  },
  { title: 'OwnVote' },
)

export const OwnVotes = Closed(
  {
    votes: Type.Array(OwnVote, { description: 'Newest first.' }),
    nextCursor: Nullable(Type.String(), { description: 'Null: no more.' }),
  },
  { title: 'OwnVotes' },
)

const { id: _, ...entryMembers } = QuestionEntry.properties
const QuestionMembers = Closed(entryMembers, { title: 'StatedQuestion' })
/** A question as a server states it; the path has its id. Guarantee of the cast: it takes these, and null for a default. */
export const StatedQuestion = withNullMembers(QuestionMembers) as TObject & {
  static: Static<typeof QuestionMembers>
}
/** What it says, without null where that means a default. */
export const statedQuestion = (body: unknown) => statedMembers(QuestionMembers, body)

export const exampleQuestion = {
  id: 'first-goal',
  matchId: 'harbour-bay',
  kind: 'prediction',
  title: 'Who scores first?',
  imageUrl: null,
  options: [
    { id: 'home', text: 'Harbour City', imageUrl: null },
    { id: 'away', text: 'Bay Rovers', imageUrl: null },
  ],
  scale: null,
  opensAt: '2026-08-15T18:30:00.000Z',
  closesAt: '2026-08-15T18:40:00.000Z',
  state: 'open',
  changeable: true,
  points: 10,
  sponsor: null,
  requires: {},
  myVote: 'home',
  results: [
    { optionId: 'home', votes: 12 },
    { optionId: 'away', votes: 7 },
  ],
  correct: null,
} as const

export const exampleStated = {
  matchId: 'harbour-bay',
  kind: 'prediction',
  title: 'Who scores first?',
  options: [
    { id: 'home', text: 'Harbour City' },
    { id: 'away', text: 'Bay Rovers' },
  ],
  opensAt: '2026-08-15T18:30:00.000Z',
  closesAt: '2026-08-15T18:40:00.000Z',
  changeable: true,
  points: 10,
}
