/** A fan's page, as another fan or an anonymous caller sees it. */

import { teamKind } from '../../club/teams/team-kind.ts'
import type { Viewer } from '../../core/caller.ts'
import type { Static } from '../../core/typebox.ts'
import { readShownTiers } from '../../economy/accounts/fan-tiers.ts'
import { readRankedEntry } from '../../economy/leaderboard/ranked-entry.ts'
import { readFan } from '../../identity/relations/find-fan.ts'
import type { ReadSource } from '../../platform/cache/public-reads.ts'
import { readLockerTitle } from '../../play/lockers/lockers.ts'
import type { FanPage } from './schema.ts'

const GLOBAL_BOARD = 'all'

/** @throws DomainError `fan_not_found`, after the same statement for a handle that nobody has and for a fan who is hidden */
export async function readFanPage(
  source: ReadSource,
  viewer: Viewer,
  handle: string,
): Promise<Static<typeof FanPage>> {
  const { isShown, userId, favoriteTeamId, leaderboardName, displayName, avatarUrl, ...fan } = await readFan(
    source.read,
    viewer.userId,
    handle,
  )
  const hidden = {
    displayName: null,
    avatarUrl: null,
    favoriteTeam: null,
    rank: null,
    points: null,
    tier: [],
  }
  const locker = await readLockerTitle(source.read, viewer.userId, handle)
  if (!isShown) return { ...fan, handle, ...hidden, locker }
  const { teams } = await teamKind.getActive(source)
  const favoriteTeam = teams.find(({ id }) => id === favoriteTeamId) ?? null
  // A rank would name the entry without a name on the leaderboard.
  const isRanked = leaderboardName !== 'anonymous' || userId === viewer.userId
  const entry = isRanked ? await readRankedEntry(source.read, GLOBAL_BOARD, userId) : null
  const { rank = null, points = null } = entry ?? {}
  const tier = await readShownTiers(source.read, userId, { onlyPublic: true })
  return { ...fan, handle, displayName, avatarUrl, favoriteTeam, rank, points, tier, locker }
}
