/** A page of a board with the caller's own entry. */
import type { Reader } from '../../db/index.ts'
import type { ResponseCache } from '../cache/response-cache.ts'
import { boardTag, fanTag } from '../cache/tags.ts'
import type { AuthenticatedCaller } from '../core/caller.ts'
import type { Cursors, Page } from '../core/pagination.ts'
import { DomainError, refuseField } from '../core/problems.ts'
import { type PublicProfile, readPublicProfiles } from '../users/public-profile.ts'
import { type Board, boardAt, type Period, parseBoard } from './boards.ts'
import { type BoardPage, readBoardAround, readBoardPage } from './page.ts'
import { type RankedEntry, readRankedEntry } from './ranked-entry.ts'
import type { LeaderboardQuery } from './schema.ts'

interface Sources {
  read: Reader
  cache: ResponseCache
  cursors: Cursors
}

/** Longer than any unit of work: after it, no write that began in the period is still running. */
const SETTLED_MS = 60_000

/** A page of a board. `around` requires a caller. */
export async function readLeaderboard(
  { read, cache, cursors }: Sources,
  caller: Pick<AuthenticatedCaller, 'userId'> | null,
  { period = 'all', of, around, limit, cursor }: Omit<LeaderboardQuery, keyof Page> & Page,
) {
  const board = requireBoard(period, of, read.now())
  if (around && cursor !== undefined)
    refuseField({ parameter: 'around', message: 'cannot be given with cursor' })
  if (around && !caller) throw new DomainError('unauthenticated')
  const userId = caller?.userId

  // A page that does not depend on the caller is cached for all callers.
  const page = around
    ? await present(read, await readBoardAround(read, cursors, board.id, limit, userId))
    : await cache.get(`leaderboard ${board.id} ${limit} ${cursor ?? 'top'}`, async () => {
        const found = await readBoardPage(read, cursors, board.id, { limit, cursor })
        return {
          value: await present(read, found),
          tags: [boardTag(board.id), ...found.entries.map(({ userId }) => fanTag(userId))],
        }
      })
  const me = page.entries.find(entry => entry.userId === userId)
  return {
    board: describe(board, read.now()),
    me: me ?? (await presentOwn(read, board.id, userId)),
    ...page,
  }
}
readLeaderboard.problems = ['invalid_cursor', 'validation_failed', 'unauthenticated'] as const

/** A fan's own entry; null when they are not on the board. */
async function presentOwn(read: Reader, board: string, userId: string | undefined) {
  const entry = userId === undefined ? null : await readRankedEntry(read, board, userId)
  return entry && presentEntry(entry, entry)
}

async function present(read: Reader, { entries, ...page }: BoardPage) {
  const profiles = await readPublicProfiles(
    read,
    entries.map(({ userId }) => userId),
  )
  return {
    entries: entries.map(entry => presentEntry(entry, profiles.get(entry.userId) ?? NO_PROFILE)),
    ...page,
  }
}

const NO_PROFILE: PublicProfile = { displayName: null, avatarUrl: null }

function presentEntry(
  { rank, userId, points, reachedAt }: RankedEntry,
  { displayName, avatarUrl }: PublicProfile,
) {
  return { rank, userId, displayName, avatarUrl, points, reachedAt: reachedAt.toISOString() }
}

function requireBoard(period: Period, of: string | undefined, now: Date): Board {
  if (of === undefined) return boardAt(period, now)
  if (period === 'all') refuseField({ parameter: 'of', message: 'needs period=week or period=month' })
  return (
    parseBoard(period, of) ?? refuseField({ parameter: 'of', message: `must be a ${period} that exists` })
  )
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
