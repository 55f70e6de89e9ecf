/** A question in a catalogue file. */
import type { EntryFault } from '../../club/catalogue/entry.ts'
import { pictureFaults } from '../../club/catalogue/entry.ts'
import { Active, EntrySlug, Maybe, PictureUrl } from '../../club/catalogue/entry-schema.ts'
import { Text, textFaults } from '../../club/catalogue/texts.ts'
import { SponsorId } from '../../club/sponsors/sponsorship.ts'
import { instantIn } from '../../core/instant.ts'
import { Closed, InstantInput, Integer, Nullable, OneOf, Slug } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { RequiresEntry } from '../eligibility/requires.ts'

export const QUESTION_KINDS = ['poll', 'quiz', 'prediction', 'rating', 'player'] as const
const RESULTS_RULES = ['live', 'after_vote', 'after_close'] as const

const MAX_POINTS = 1_000_000_000
const MAX_OFFSET_MS = 600_000

const Option = Closed(
  {
    id: Slug('Slug of the option, unique within the question.'),
    text: Text(200, 'What fans see.'),
    imageUrl: Maybe(PictureUrl('Picture of the option.')),
  },
  { title: 'QuestionOption' },
)

const Options = Type.Union(
  [
    Type.Array(Option, { minItems: 2, maxItems: 50 }),
    Closed({ scale: Integer({ minimum: 2, maximum: 10, description: 'A rating from 1 to this number.' }) }),
    Closed({ team: Slug('The active players of this team.') }),
  ],
  {
    description: 'A list of options, a scale for ratings, or the players of a team.',
    errorNoun: 'a list of 2 to 50 options, {"scale": 2 to 10} or {"team": "TEAM"}',
  },
)
export type Options = Static<typeof Options>

export const QuestionEntry = Closed(
  {
    id: EntrySlug('Slug of the question.'),
    matchId: Maybe(Slug('The match of the catalogue that it is about.')),
    kind: OneOf(QUESTION_KINDS, {
      description: 'How apps show it. A rating has a scale.',
      errorNoun: 'poll, quiz, prediction, rating or player',
    }),
    title: Text(200, 'What fans are asked.'),
    imageUrl: Maybe(PictureUrl('Picture of the question.')),
    options: Options,
    opensAt: InstantInput('From when fans can vote.'),
    closesAt: InstantInput('Until when fans can vote, exclusive.'),
    offsetMs: Maybe(
      Integer({
        minimum: 0,
        maximum: MAX_OFFSET_MS,
        description:
          'Milliseconds by which a delayed stream is behind: fans see the question open and close so much later. Votes are judged by `opensAt` and `closesAt`.',
      }),
    ),
    changeable: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether fans can change their votes until it closes.' }),
    ),
    results: Type.Optional(
      OneOf(RESULTS_RULES, {
        default: 'after_vote',
        description: 'When fans see the results: always, after their own vote, or after the close.',
        errorNoun: 'live, after_vote or after_close',
      }),
    ),
    correct: Maybe(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'The id of the correct option, or the rating as text. Fans see it after the close. Votes are settled then.',
      }),
    ),
    points: Maybe(
      Integer({
        minimum: 1,
        maximum: MAX_POINTS,
        description: 'Points for fans who chose the correct option.',
      }),
    ),
    sponsorId: SponsorId,
    requires: Type.Optional(
      Nullable(RequiresEntry('Who may vote.'), { description: 'Who may vote. Null: every fan.' }),
    ),
    active: Active,
  },
  { title: 'Question' },
)
export type QuestionEntry = Static<typeof QuestionEntry>

/** The rules that the schema cannot express. */
export function questionFaults(entry: QuestionEntry): EntryFault[] {
  const { kind, options, opensAt, closesAt, correct } = entry
  const isRating = 'scale' in options
  return [
    ...(isRating === (kind === 'rating')
      ? []
      : [{ pointer: '/options', message: `must ${isRating ? 'not ' : ''}be a scale for kind ${kind}` }]),
    ...(instantIn(opensAt) < instantIn(closesAt)
      ? []
      : [{ pointer: '/closesAt', message: 'must be after opensAt' }]),
    ...(Array.isArray(options) ? optionFaults(options) : []),
    ...(correct == null || mayChoose(options, correct)
      ? []
      : [{ pointer: '/correct', message: 'must be the id of an option' }]),
  ]
}

const optionFaults = (options: Static<typeof Option>[]): EntryFault[] =>
  options.flatMap(({ id, text, imageUrl }, index) => [
    ...(options.findIndex(other => other.id === id) < index
      ? [{ pointer: `/options/${index}/id`, message: 'is the id of another option' }]
      : []),
    ...textFaults(`/options/${index}/text`, text),
    ...pictureFaults(`/options/${index}/imageUrl`, imageUrl),
  ])

/** Whether the options have this one. Which players a team has is not known here. */
export function mayChoose(options: Options, optionId: string): boolean {
  if (Array.isArray(options)) return options.some(({ id }) => id === optionId)
  return 'team' in options || ratingsOf(options).includes(optionId)
}

export const ratingsOf = ({ scale }: { scale: number }): string[] =>
  Array.from({ length: scale }, (_, nth) => String(nth + 1))
