/** A board as one answer: who is on it, and where the caller stands. */
import type { Reader } from '../../db/index.ts'
import type { AuthenticatedCaller } from '../caller.ts'
import { readFaces } from '../identity/faces.ts'
import type { Cursors } from '../pagination.ts'
import { DomainError } from '../problems.ts'
import { boardTopic, fanTopic } from '../views/topics.ts'
import type { ViewCache } from '../views/view-cache.ts'
import { type Board, boardAt, type Period, parseBoard } from './boards.ts'
import { type BoardPage, readBoardAround, readBoardPage } from './page.ts'
import { readStanding, type Standing } from './standing.ts'

export interface LeaderboardQuery {
  period?: Period
  /** Id of a week or month; the current one when left out. */
  of?: string
  around?: 'me'
  limit: number
  cursor?: string
}

interface Sources {
  read: Reader
  views: ViewCache
  cursors: Cursors
}

/** Longer than any unit of work may take: what was begun in the period has been written by then, or never will be. */
const SETTLED_MS = 60_000

/** @throws DomainError `invalid_cursor`, `validation_failed`, `unauthenticated` (`around` without a caller) */
export async function viewLeaderboard(
  { read, views, cursors }: Sources,
  caller: Pick<AuthenticatedCaller, 'userId'> | null,
  { period = 'all', of, around, limit, cursor }: LeaderboardQuery,
) {
  const board = requireBoard(period, of, read.now())
  if (around && cursor !== undefined) refuse('around', 'cannot be given with cursor')
  if (around && !caller) throw new DomainError('unauthenticated')
  const userId = caller?.userId

  const centre = around ? `around ${userId}` : cursor === undefined ? 'top' : `from ${cursor}`
  const page = await views.read(`leaderboard ${board.id} ${limit} ${centre}`, async () =>
    present(
      read,
      board,
      await (around
        ? readBoardAround(read, cursors, board.id, limit, userId)
        : readBoardPage(read, cursors, board.id, { limit, cursor })),
    ),
  )
  const me = page.entries.find(entry => entry.userId === userId)
  return {
    board: describe(board, read.now()),
    me: me ?? (await viewStanding({ read, views }, board.id, userId)),
    ...page,
  }
}

/** A fan's own place on a board; null when they have none. */
async function viewStanding(
  { read, views }: Pick<Sources, 'read' | 'views'>,
  board: string,
  userId: string | undefined,
) {
  if (userId === undefined) return null
  return views.read(`standing ${board} ${userId}`, async () => {
    const standing = await readStanding(read, board, userId)
    const [presented = null] = standing ? await presentStandings(read, [standing]) : []
    return { value: presented, topics: [boardTopic(board), fanTopic(userId)] }
  })
}

async function present(read: Reader, board: Board, { standings, ...page }: BoardPage) {
  return {
    value: { entries: await presentStandings(read, standings), ...page },
    topics: [boardTopic(board.id), ...standings.map(({ userId }) => fanTopic(userId))],
  }
}

const NO_FACE = { displayName: null, avatarUrl: null }

async function presentStandings(read: Reader, standings: Standing[]) {
  const faces = await readFaces(
    read,
    standings.map(({ userId }) => userId),
  )
  return standings.map(({ rank, userId, points, reachedAt }) => ({
    rank,
    userId,
    ...(faces.get(userId) ?? NO_FACE),
    points,
    reachedAt: reachedAt.toISOString(),
  }))
}

function requireBoard(period: Period, of: string | undefined, now: Date): Board {
  if (of === undefined) return boardAt(period, now)
  if (period === 'all') refuse('of', 'needs period=week or period=month')
  return parseBoard(period, of) ?? refuse('of', `must be a ${period} that there is`)
}

function describe({ id, period, startsAt, endsAt }: Board, now: Date) {
  return {
    id,
    period,
    startsAt: startsAt?.toISOString() ?? null,
    endsAt: endsAt?.toISOString() ?? null,
    final: endsAt !== null && now.getTime() >= endsAt.getTime() + SETTLED_MS,
  }
}

function refuse(parameter: string, message: string): never {
  throw new DomainError('validation_failed', { errors: [{ parameter, message }] })
}
