/** What a stream can follow, and the state of a public topic. */
import type { PublicReads, ReadSource } from '../cache/public-reads.ts'
import { type Cursors, pageOf } from '../core/pagination.ts'
import { DomainError, type FieldError } from '../core/problems.ts'
import { etagOfValue } from '../http/edge/conditional.ts'
import { readLeaderboard } from '../leaderboard/leaderboard.ts'
import { getMatch, requireSeason } from '../matches/matches.ts'
import { getPack } from '../packs/catalogue.ts'

/** The events of the caller. */
export const ME = 'me'
const MAX_TOPICS = 20
const TOPIC =
  /^(me|leaderboard(:predictions(:\P{Cc}{1,20})?)?|(pack|match):[A-Za-z0-9][A-Za-z0-9._-]{0,99})$/u

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
          message: `must be at most ${MAX_TOPICS} topics: me, leaderboard, leaderboard:predictions, leaderboard:predictions:SEASON, pack:ID or match:ID`,
        },
      ]

export interface TopicDeps {
  publicReads: PublicReads
  cursors: Cursors
}

/**
 * The ETag that the GET of a public topic has, without a token and without a content coding. Read as for that GET: a change that
 * the primary alone has would be announced before the GET shows it.
 * @throws DomainError `pack_not_found`, `match_not_found`
 */
export const readEtag = async ({ publicReads, cursors }: TopicDeps, topic: string): Promise<string> =>
  publicReads.read(source => etagOfTopic({ ...source, cursors }, topic))

async function etagOfTopic(source: ReadSource & { cursors: Cursors }, topic: string): Promise<string> {
  const [kind, id = '', ...rest] = topic.split(':')
  if (kind === 'pack') return etagOfValue(await getPack(source, id))
  if (kind === 'match') return etagOfValue(await getMatch(source, id))
  // A season can have colons. One without matches has a board as well, but each topic costs a query a second.
  const season = rest.length > 0 ? rest.join(':') : undefined
  if (season !== undefined) await requireSeason(source, season)
  const board = id === 'predictions' ? ({ kind: id, season } as const) : {}
  const page = { ...board, ...pageOf({}) }
  return etagOfValue(await readLeaderboard(source, null, page))
}
readEtag.problems = [...getPack.problems, ...getMatch.problems, ...requireSeason.problems] as const

/** As `readEtag`; null if there is no such pack, match or season any more. */
export async function findEtag(deps: TopicDeps, topic: string): Promise<string | null> {
  try {
    return await readEtag(deps, topic)
  } catch (error) {
    if (error instanceof DomainError) return null
    throw error
  }
}
