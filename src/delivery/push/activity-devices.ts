/** The devices whose Live Activities show a match, and those that can start one. */
import { and, asc, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import type { MatchRow } from '../../club/matches/matches.ts'
import { hasFavoriteTeam } from '../../identity/users/favorite-teams.ts'
import { LIVE_ACTIVITY } from './activities.ts'

export type Place = Pick<Tables['devices']['$inferSelect'], 'userId' | 'deviceId'>

/** Those of the matches that some device shows. */
export async function findShown(reader: Reader, matchIds: string[]): Promise<ReadonlySet<string>> {
  const { devices } = reader.tables
  if (matchIds.length === 0) return new Set()
  const rows = await reader
    .selectDistinct({ matchId: devices.matchId })
    .from(devices)
    .where(and(isNotNull(devices.matchId), isListed(reader, devices.matchId, toList(matchIds))))
  return new Set(rows.flatMap(({ matchId }) => matchId ?? []))
}

/** Devices after a place, by fan. `starting`: of fans of the teams who do not see the match yet. */
export function selectActivities(
  reader: Reader,
  { id, homeTeamId, awayTeamId }: MatchRow,
  { starting, after, max }: { starting: boolean; after: Place; max: number },
): Promise<Place[]> {
  const { devices } = reader.tables
  const isAfter = sql`(${devices.userId}, ${devices.deviceId}) > (${after.userId}, ${after.deviceId})`
  const shows = sql`exists (select 1 from ${devices} own where own.user_id = ${devices.userId} and own.match_id = ${id})`
  const isOf: SQL | undefined = starting
    ? and(
        eq(devices.kind, LIVE_ACTIVITY),
        isNull(devices.matchId),
        hasFavoriteTeam(reader, devices.userId, [homeTeamId, awayTeamId]),
        sql`not ${shows}`,
      )
    : and(isNotNull(devices.matchId), eq(devices.matchId, id))
  return reader
    .select({ userId: devices.userId, deviceId: devices.deviceId })
    .from(devices)
    .where(and(isOf, isAfter))
    .orderBy(asc(devices.userId), asc(devices.deviceId))
    .limit(max)
}

/** Those that are still registered. */
export async function findRegistered(reader: Reader, places: Place[]): Promise<Place[]> {
  const { userId, deviceId } = reader.tables.devices
  const ids = toList([...new Set(places.map(place => place.userId))])
  const rows = await reader
    .select({ userId, deviceId })
    .from(reader.tables.devices)
    .where(isListed(reader, userId, ids))
  const names = new Set(rows.map(nameOf))
  return places.filter(place => names.has(nameOf(place)))
}

const nameOf = ({ userId, deviceId }: Place) => `${userId} ${deviceId}`
