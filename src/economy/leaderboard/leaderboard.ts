/** A page of a board with the caller's own entry. */

import type { Reader } from '../../../db/index.ts'
import { type AuthenticatedCaller, viewerOf } from '../../core/caller.ts'
import type { Cursors, Page } from '../../core/pagination.ts'
import { DomainError, type FieldError } from '../../core/problems.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { type BoardName, nameless, readBoardNames } from '../../identity/relations/board-names.ts'
import { listHidden } from '../../identity/relations/visibility.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import { boardTag, fanTag } from '../../platform/cache/tags.ts'
import { type AmongPage, readBoardAmong } from './among.ts'
import { type Board, boardAt, isFinal, parseBoard, predictionBoard } from './boards.ts'
import { type BoardPage, readBoardAround, readBoardPage } from './page.ts'
import { type RankedEntry, readRankedEntry } from './ranked-entry.ts'
import type { LeaderboardQuery } from './schema.ts'

const EXAMPLES = { week: '2026-W47', month: '2026-11' }

/** The errors between the members of a query, which may break its schema. */
export function findQueryErrors(query: Partial<Record<string, string>>): FieldError[] {
  const { kind = 'points', season, period = 'all', of, around, cursor } = query
  const errors: FieldError[] = []
  if (season !== undefined && kind === 'points')
    errors.push({ parameter: 'season', message: 'needs kind=predictions' })
  if (period !== 'all' && kind === 'predictions')
    errors.push({ parameter: 'period', message: 'must be all with kind=predictions' })
  if (of !== undefined && period === 'all')
    errors.push({ parameter: 'of', message: 'needs period=week or period=month' })
  if (of !== undefined && (period === 'week' || period === 'month') && !parseBoard(period, of))
    errors.push({ parameter: 'of', message: `must be a ${period} that exists, such as ${EXAMPLES[period]}` })
  if (around !== undefined && cursor !== undefined)
    errors.push({ parameter: 'around', message: 'cannot be given with cursor' })
  return errors
}

/** A page of a board, for a query without errors. `around` requires a caller. */
export async function readLeaderboard(
  { read, cache, cursors }: ReadSource & { cursors: Cursors },
  caller: Pick<AuthenticatedCaller, 'userId' | 'hasBlocks'> | null,
  { around, among, limit, cursor, ...query }: Omit<LeaderboardQuery, keyof Page> & Page,
) {
  const board = boardOf(query, read.now())
  if ((around || among) && !caller) throw new DomainError(transportProblems.unauthenticated)
  const { userId } = viewerOf(caller)
  if (among) {
    const page = { limit, cursor, around: around !== undefined }
    return describeAmong(read, board, await readBoardAmong(read, cursors, board.id, userId, page))
  }

  // A page that does not depend on the caller is cached for all callers.
  const { userIds, ...page } = around
    ? await present(read, await readBoardAround(read, cursors, board.id, limit, userId))
    : await cache.get(`leaderboard ${JSON.stringify([board.id, limit, cursor])}`, async () => {
        const found = await readBoardPage(read, cursors, board.id, { limit, cursor })
        return {
          value: await present(read, found),
          tags: [boardTag(board.id), ...found.entries.map(({ userId }) => fanTag(userId))],
        }
      })
  const own = page.entries[userIds.indexOf(userId)]
  return {
    board: describe(board, read.now()),
    me: own ? { ...own, userId } : caller && (await presentOwn(read, board.id, userId)),
    ...page,
    ...(caller?.hasBlocks ? { entries: await hideBlocked(read, userId, userIds, page.entries) } : {}),
  }
}

/** A block ends the follow, so that no fan of the page is hidden from the caller. */
async function describeAmong(read: Reader, board: Board, { own, entries, ...page }: AmongPage) {
  const names = await readBoardNames(
    read,
    [...entries, ...(own ? [own] : [])].map(({ userId }) => userId),
  )
  const withName = (entry: RankedEntry) => presentEntry(entry, names.get(entry.userId))
  return {
    board: describe(board, read.now()),
    me: own && { ...withName(own), userId: own.userId },
    entries: entries.map(withName),
    ...page,
  }
}

function boardOf(
  { kind, season, period = 'all', of }: Omit<LeaderboardQuery, keyof Page | 'around' | 'among'>,
  now: Date,
): Board {
  if (kind === 'predictions') return predictionBoard(season ?? null)
  const board = of === undefined ? boardAt(period, now) : parseBoard(period, of)
  if (!board) throw new Error('the query was not checked')
  return board
}

/** A fan's own entry as others see it, except for the id; null when they are not on the board. */
async function presentOwn(read: Reader, board: string, userId: string) {
  const entry = await readRankedEntry(read, board, userId)
  return entry && { ...presentEntry(entry, entry.name), userId: entry.userId }
}

async function present(read: Reader, { entries, ...page }: BoardPage) {
  const userIds = entries.map(({ userId }) => userId)
  const names = await readBoardNames(read, userIds)
  return { entries: entries.map(entry => presentEntry(entry, names.get(entry.userId))), userIds, ...page }
}

/**
 * The page for a caller with blocks: the rows of hidden fans stay, without the members that identify them.
 */
async function hideBlocked(read: Reader, viewerId: string, userIds: string[], entries: PresentedEntry[]) {
  const hidden = await listHidden(read, viewerId, userIds)
  return entries.map((entry, index) => (hidden.has(userIds[index] ?? '') ? { ...entry, ...nameless } : entry))
}

type PresentedEntry = ReturnType<typeof presentEntry>

function presentEntry(
  { rank, userId, points, reachedAt }: RankedEntry,
  name: BoardName = { ...nameless, userId },
) {
  return { rank, ...name, points, reachedAt: reachedAt.toISOString() }
}

function describe(board: Board, now: Date) {
  const { id, kind, season, period, startsAt, endsAt } = board
  return {
    id,
    // A board of all points is described as it was before there were other kinds.
    ...(kind === 'predictions' ? { kind, season } : {}),
    period,
    startsAt: startsAt?.toISOString() ?? null,
    endsAt: endsAt?.toISOString() ?? null,
    final: isFinal(board, now),
  }
}
