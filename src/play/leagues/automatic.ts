/**
 * Automatic leagues: the fans of a team and of a country, as their profiles say. Nobody joins, owns or changes one. The tables are
 * boards, whose ids are the ids of the leagues.
 */
import type { Reader } from '../../../db/index.ts'
import { findTeamName } from '../../club/teams/teams.ts'
import type { Viewer } from '../../core/caller.ts'
import type { Cursors, Page } from '../../core/pagination.ts'
import { groupBoardsOf, groupNamed } from '../../economy/leaderboard/boards.ts'
import { readBoardPage } from '../../economy/leaderboard/page.ts'
import { readPlaces } from '../../economy/leaderboard/ranked-entry.ts'
import { readNames } from '../../identity/relations/board-names.ts'
import { findUserById } from '../../identity/users/users.ts'
import type { AutomaticLeague, League } from './schema.ts'

export const isAutomatic = (leagueId: string) => groupNamed(leagueId) !== undefined

/** The leagues in which the fan has a place: none for one who has left the leaderboards. The team first. */
export async function listAutomatic(reader: Reader, { userId }: Viewer): Promise<AutomaticLeague[]> {
  const fan = await findUserById(reader, userId)
  const boards = fan ? groupBoardsOf(fan) : []
  if (!fan || boards.length === 0) return []
  const teamName = fan.favoriteTeamId === null ? undefined : await findTeamName(reader, fan.favoriteTeamId)
  const places = new Map((await readPlaces(reader, userId, boards)).map(place => [place.board, place]))
  return boards.flatMap(board => {
    const group = groupNamed(board)
    const place = places.get(board)
    if (!group || !place) return []
    const { rank, points, total } = place
    return [
      {
        id: board,
        automatic: group.group,
        name: (group.group === 'team' ? teamName : undefined) ?? group.id,
        ...FIXED,
        members: total,
        me: { rank, points },
        lastRound: null,
      },
    ]
  })
}

const FIXED = {
  code: null,
  scoring: 'points',
  competition: null,
  season: null,
  format: 'table',
  from: 'start',
  locked: true,
  owner: { handle: null, displayName: null },
  owned: false,
  createdAt: null,
} as const

/** Undefined for a fan who is not in it. @throws DomainError `invalid_cursor` */
export async function readAutomatic(
  reader: Reader,
  cursors: Cursors,
  viewer: Viewer,
  leagueId: string,
  page: Page,
): Promise<League | undefined> {
  const own = await listAutomatic(reader, viewer)
  const league = own.find(({ id }) => id === leagueId)
  if (!league) return undefined
  const { entries, nextCursor } = await readBoardPage(reader, cursors, leagueId, page)
  const nameOf = await readNames(
    reader,
    viewer.userId,
    entries.map(({ userId }) => userId),
  )
  return {
    ...league,
    entries: entries.map(({ userId, rank, points }) => {
      const { handle, displayName, avatarUrl } = nameOf(userId)
      return { number: null, handle, displayName, avatarUrl, rank, points, joinedAt: null }
    }),
    nextCursor,
  }
}
