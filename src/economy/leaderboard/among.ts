/**
 * A board among the fans that a fan follows, and the fan: at most 1,001, so that all are read and ranked in memory. Two
 * statements, whatever the page.
 */
import type { Reader } from '../../../db/index.ts'
import type { Cursors, Page } from '../../core/pagination.ts'
import { listFollowed } from '../../identity/relations/followed.ts'
import type { BoardPage } from './page.ts'
import { type FanScore, readManyScores } from './rank-index/entries.ts'
import type { RankedEntry } from './ranked-entry.ts'

type Position = Pick<FanScore, 'points' | 'reachedAt' | 'userId'>
type Side = 'after' | 'before'

export interface AmongPage extends BoardPage {
  /** The fan's rank among them; null when they are not on the board. */
  ownRank: number | null
}

/** `around`: the page with the fan in its middle. @throws DomainError `invalid_cursor` */
export async function readBoardAmong(
  reader: Reader,
  cursors: Cursors,
  board: string,
  userId: string,
  { limit, cursor, around }: Page & { around: boolean },
): Promise<AmongPage> {
  const list = `leaderboard ${board} among ${userId}`
  const position = cursors.decode(list, cursor)
  const scores = await readManyScores(reader, [...(await listFollowed(reader, userId)), userId], [board])
  scores.sort(byRank)
  const own = scores.findIndex(score => score.userId === userId)
  const start =
    position === undefined ? startAround(around ? own : 0, limit) : startAt(scores, position, limit)
  const shown = scores.slice(start.from, start.to)
  const encode = (side: Side, score: FanScore | undefined) =>
    score ? cursors.encode(list, JSON.stringify([side, score.points, score.reachedAt, score.userId])) : null
  return {
    entries: shown.map((score, index) => presentRank(score, start.from + index + 1)),
    total: scores.length,
    nextCursor: start.to < scores.length ? encode('after', shown.at(-1) ?? scores[0]) : null,
    previousCursor: start.from > 0 ? encode('before', shown[0] ?? scores.at(-1)) : null,
    ownRank: own < 0 ? null : own + 1,
  }
}

const presentRank = ({ userId, points, reachedAt }: FanScore, rank: number): RankedEntry => {
  return { rank, userId, points, reachedAt: new Date(reachedAt) }
}

/** The order of `membersAhead`. Ids are ASCII, so that JavaScript compares them by bytes. */
const byRank = (a: Position, b: Position): number =>
  b.points - a.points || a.reachedAt - b.reachedAt || (a.userId < b.userId ? -1 : a.userId > b.userId ? 1 : 0)

const startAround = (own: number, limit: number) => {
  const from = Math.max(0, own - Math.floor(limit / 2))
  return { from, to: from + limit }
}

/** Guarantee of the type: only `encode` writes positions, and cursors are authenticated. */
function startAt(scores: FanScore[], text: string, limit: number) {
  const [side, points, reachedAt, userId]: [Side, number, number, string] = JSON.parse(text)
  const key = { points, reachedAt, userId }
  if (side === 'after') {
    const from = scores.filter(score => byRank(score, key) <= 0).length
    return { from, to: from + limit }
  }
  const to = scores.filter(score => byRank(score, key) < 0).length
  return { from: Math.max(0, to - limit), to }
}
