/** What a stream can follow, and the state of a public topic. */

import { getMatch, requireSeason } from '../../club/matches/matches.ts'
import { type Cursors, pageOf } from '../../core/pagination.ts'
import { DomainError, type FieldError } from '../../core/problems.ts'
import { readLeaderboard } from '../../economy/leaderboard/leaderboard.ts'
import type { PublicReads, ReadSource } from '../../platform/cache/public-reads.ts'
import { etagOfValue } from '../../platform/http/edge/conditional.ts'
import { getPack } from '../../play/packs/packs.ts'
import { getQuestionState } from '../../play/questions/questions.ts'

/** The events of the caller. */
export const ME = 'me'
const MAX_TOPICS = 20
/** All topics. `ID` and `SEASON` stand for what a client fills in. */
export const TOPIC_FORMS = [
  ME,
  'leaderboard',
  'leaderboard:predictions',
  'leaderboard:predictions:SEASON',
  'pack:ID',
  'match:ID',
  'question:ID',
] as const
const ID = '[A-Za-z0-9][A-Za-z0-9._-]{0,99}'
const SEASON = '\\P{Cc}{1,20}'
const patterns = TOPIC_FORMS.map(form => form.replace('ID', ID).replace('SEASON', SEASON))
const TOPIC = new RegExp(`^(${patterns.join('|')})$`, 'u')

/** The topics, each once; null if one is not valid or there are too many. */
export function parseTopics(text: string): string[] | null {
  const topics = [...new Set(text.split(','))]
  return topics.length <= MAX_TOPICS && topics.every(topic => TOPIC.test(topic)) ? topics : null
}

/** The errors of the parameter. */
export const findTopicErrors = (text: string | undefined): FieldError[] =>
  text === undefined || text === '' || parseTopics(text)
    ? []
    : [
        {
          parameter: 'topics',
          message: `must be at most ${MAX_TOPICS} topics: ${TOPIC_FORMS.slice(0, -1).join(', ')} or ${TOPIC_FORMS.at(-1)}`,
        },
      ]

export interface TopicDeps {
  publicReads: PublicReads
  cursors: Cursors
}

/** A changed response. The ETag is null if the pack, match or season no longer exists. */
interface ResponseState {
  etag: string | null
  /** For a match, so that the client needs no request after a goal. */
  status?: string
  homeScore?: number | null
  awayScore?: number | null
}

/** All members are null once there is no such question. */
type QuestionState = Awaited<ReturnType<typeof getQuestionState>> | typeof NO_QUESTION
const NO_QUESTION = { state: null, results: null, correct: null }

/** The state of a topic that is sent. */
export type TopicState = ResponseState | QuestionState

/** Questions carry their results themselves. */
export const isOfQuestion = (topic: string): boolean => topic.startsWith('question:')

/**
 * The ETag that the GET of a public topic has, without a token and without a content coding, and the score of
 * a match; of a question what everyone may know. Read from the same server as that GET: otherwise a change on the primary would be announced before
 * the GET shows it.
 * @throws DomainError `pack_not_found`, `match_not_found`, `question_not_found`
 */
export const readTopic = async ({ publicReads, cursors }: TopicDeps, topic: string): Promise<TopicState> =>
  publicReads.read(source => stateOfTopic({ ...source, cursors }, topic))

async function stateOfTopic(source: ReadSource & { cursors: Cursors }, topic: string): Promise<TopicState> {
  const [kind, id = '', ...rest] = topic.split(':')
  if (kind === 'pack') return { etag: etagOfValue(await getPack(source, id)) }
  if (kind === 'match') {
    const match = await getMatch(source, id)
    const { status, homeScore, awayScore } = match
    return { etag: etagOfValue(match), status, homeScore, awayScore }
  }
  if (kind === 'question') return getQuestionState(source, id)
  // A season can contain colons. A season without matches is refused, although it has a board, because each
  // topic costs a query per second.
  const season = rest.length > 0 ? rest.join(':') : undefined
  if (season !== undefined) await requireSeason(source, season)
  const board = id === 'predictions' ? ({ kind: id, season } as const) : {}
  const page = { ...board, ...pageOf({}) }
  // never unauthenticated, invalid_cursor: the first page, without a fan.
  return { etag: etagOfValue(await readLeaderboard(source, null, page)) }
}

/** Like `readTopic`, but returns null as its ETag or its state if what it is about no longer exists. */
export async function findTopic(deps: TopicDeps, topic: string): Promise<TopicState> {
  try {
    return await readTopic(deps, topic)
  } catch (error) {
    if (error instanceof DomainError) return isOfQuestion(topic) ? NO_QUESTION : { etag: null }
    throw error
  }
}
