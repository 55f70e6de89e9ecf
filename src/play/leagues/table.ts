/** The table of a league: the ranks of a board, restricted to its members, less what they had earned before. */
import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import type { Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import type { BoardName } from '../../identity/relations/board-names.ts'
import { readNames } from '../../identity/relations/board-names.ts'
import { isHiddenByModerators } from '../../identity/relations/visibility.ts'
import { isAutomatic, listAutomatic, readAutomatic } from './automatic.ts'
import { readLastRounds } from './present-round.ts'
import { leagueProblems, MAX_JOINED } from './problems.ts'
import { rankedMembers } from './ranked-members.ts'
import type { League, Leagues } from './schema.ts'

export type LeagueRow = Tables['leagues']['$inferSelect']

type Key = { matchPoints: number; points: number; reachedAt: number; userId: string }

/** @throws DomainError `league_not_found` for a fan who is no member; `invalid_cursor` */
export async function readLeague(
  reader: Reader,
  cursors: Cursors,
  { userId }: Viewer,
  leagueId: string,
  { limit, cursor }: Page,
): Promise<League> {
  if (isAutomatic(leagueId)) {
    const league = await readAutomatic(reader, cursors, { userId }, leagueId, { limit, cursor })
    if (!league) throw new DomainError(leagueProblems.league_not_found)
    return league
  }
  const list = `league ${leagueId}`
  const position = cursors.decode(list, cursor)
  const found = await selectLeague(reader, leagueId, userId)
  if (!found) throw new DomainError(leagueProblems.league_not_found)
  const after = position === undefined ? undefined : keyIn(position)
  // One more than the page, and the own entry, which may be on another page.
  const ofCompetition = found.league.competition !== null
  const select = ofCompetition ? selectPageOfCompetition : selectPage
  const rows = await select(reader, { leagueId, userId, limit: limit + 2, after })
  const me = rows.find(row => row.userId === userId)
  // A member who left meanwhile.
  if (!me) throw new DomainError(leagueProblems.league_not_found)
  const following = rows.filter(row => row.follows).toSorted((a, b) => a.rank - b.rank)
  const { shown, nextCursor } = cutPage(following, limit, ({ matchPoints, points, reachedAt, userId }) =>
    cursors.encode(list, JSON.stringify([matchPoints, points, reachedAt, userId])),
  )
  const nameOf = await readNames(reader, userId, [found.league.ownerId, ...shown.map(({ userId }) => userId)])
  const entries = shown.map(({ userId, number, joinedAt, ...place }) => {
    const { handle, displayName, avatarUrl } = nameOf(userId)
    return {
      number,
      handle,
      displayName,
      avatarUrl,
      ...placeOf(found.league, place),
      joinedAt: joinedAt.toISOString(),
    }
  })
  const lastRoundOf = await readLastRounds(reader, userId, [{ ...found.league, number: me.number }])
  return {
    ...presentSummary(found, nameOf, userId),
    me: placeOf(found.league, me),
    entries,
    lastRound: lastRoundOf(leagueId),
    nextCursor,
  }
}

/** The leagues of a fan, with the place of the fan in each: in a number of statements that does not depend on them. */
export async function listLeagues(reader: Reader, { userId }: Viewer): Promise<Leagues> {
  const own = await selectOwn(reader, userId)
  const places = await Promise.all(
    [false, true].map(ofCompetition =>
      own.some(({ league }) => (league.competition !== null) === ofCompetition)
        ? selectPlaces(reader, userId, ofCompetition)
        : [],
    ),
  )
  const placeIn = new Map(places.flat().map(({ leagueId, ...place }) => [leagueId, place]))
  // A fan who joins between the statements has no place.
  const rows = own.map(row => ({ points: 0, rank: 1, ...row, ...placeIn.get(row.league.id) }))
  const nameOf = await readNames(
    reader,
    userId,
    rows.map(({ league }) => league.ownerId),
  )
  const lastRoundOf = await readLastRounds(
    reader,
    userId,
    rows.map(({ league, number }) => ({ ...league, number })),
  )
  const leagues = rows.map(row => ({
    ...presentSummary(row, nameOf, userId),
    me: placeOf(row.league, row),
    lastRound: lastRoundOf(row.league.id),
  }))
  return { leagues, automatic: await listAutomatic(reader, { userId }) }
}

interface Place {
  rank: number
  points: number
  matchPoints: number
}

const placeOf = ({ format }: Pick<LeagueRow, 'format'>, { rank, points, matchPoints }: Place) => ({
  rank,
  points: format === 'table' ? points : matchPoints,
})

function presentSummary(
  { league, isOwnerHidden }: { league: LeagueRow; isOwnerHidden: boolean },
  nameOf: (userId: string) => BoardName,
  viewerId: string,
) {
  const { id, name, code, competition, locked, ownerId, members, createdAt } = league
  const { handle, displayName } = nameOf(ownerId)
  return {
    id,
    automatic: null,
    name: isOwnerHidden && ownerId !== viewerId ? null : name,
    code: code.replace(/^.{4}/, '$&-'),
    // Guarantee of the casts: the constraints of the columns.
    scoring: league.scoring as League['scoring'],
    competition,
    season: league.season ?? league.seasonId,
    format: league.format as League['format'],
    from: league.countFrom as League['from'],
    locked,
    owner: { handle, displayName },
    owned: ownerId === viewerId,
    members,
    createdAt: createdAt.toISOString(),
  }
}

const selectLeague = preparedRow((reader: Reader, leagueId: string, userId: string) => {
  const { leagues, leagueMembers: members } = reader.tables
  return reader
    .select({ league: leagues, isOwnerHidden: isOwnerHidden(reader) })
    .from(members)
    .innerJoin(leagues, eq(leagues.id, members.leagueId))
    .where(and(eq(members.leagueId, leagueId), eq(members.userId, userId)))
})

/** As a member sees it; undefined for others. */
export const findLeague = async (reader: Reader, userId: string, leagueId: string) =>
  (await selectLeague(reader, leagueId, userId))?.league

const isOwnerHidden = (reader: Reader) =>
  sql<boolean>`${isHiddenByModerators(reader, reader.tables.leagues.ownerId)}`.mapWith(Boolean)

interface Wanted {
  leagueId: string
  userId: string
  limit: number
  after?: Key | undefined
}

/** The own entry first, and then those that follow the cursor. */
const pageOf = (
  reader: Reader,
  { leagueId, userId, limit, after, ofCompetition }: Wanted & { ofCompetition: boolean },
) => {
  const { leagueMembers: members } = reader.tables
  const ranked = rankedMembers(reader, { only: eq(members.leagueId, leagueId), ofCompetition })
  const follows =
    after === undefined
      ? sql<boolean>`true`
      : sql<boolean>`(-match_points, -points, reached_at, user_id) >
          (${sql.param(after.matchPoints)} * -1, ${sql.param(after.points)} * -1, ${after.reachedAt}, ${after.userId})`
  const isOwn = sql`case when user_id = ${userId} then 0 else 1 end`
  return reader
    .with(ranked)
    .select({
      userId: ranked.userId,
      joinedAt: ranked.joinedAt,
      number: ranked.number,
      matchPoints: ranked.matchPoints,
      points: ranked.points,
      reachedAt: ranked.reachedAt,
      rank: ranked.rank,
      follows: sql<boolean>`case when ${follows} then 1 else 0 end`.mapWith(value => Number(value) === 1),
    })
    .from(ranked)
    .where(sql`(${follows} or user_id = ${userId})`)
    .orderBy(isOwn, asc(ranked.rank))
    .limit(limit)
}

const selectPage = prepared((reader: Reader, wanted: Wanted) =>
  pageOf(reader, { ...wanted, ofCompetition: false }),
)

const selectPageOfCompetition = prepared((reader: Reader, wanted: Wanted) =>
  pageOf(reader, { ...wanted, ofCompetition: true }),
)

const selectOwn = prepared((reader: Reader, userId: string) => {
  const { leagues, leagueMembers: members } = reader.tables
  return reader
    .select({
      league: leagues,
      isOwnerHidden: isOwnerHidden(reader),
      userId: members.userId,
      number: members.number,
      matchPoints: members.matchPoints,
    })
    .from(members)
    .innerJoin(leagues, eq(leagues.id, members.leagueId))
    .where(eq(members.userId, userId))
    .orderBy(desc(members.joinedAt), desc(leagues.id))
    .limit(MAX_JOINED)
})

/** Not joined with the leagues: PostgreSQL may rank all members again for each of them. */
const selectPlaces = prepared((reader: Reader, userId: string, ofCompetition: boolean) => {
  const ranked = rankedMembers(reader, { only: isInLeagueOf(reader, userId), ofCompetition })
  return reader
    .with(ranked)
    .select({ leagueId: ranked.leagueId, points: ranked.points, rank: ranked.rank })
    .from(ranked)
    .where(eq(ranked.userId, userId))
})

function isInLeagueOf(reader: Reader, userId: string) {
  const { leagueMembers: members } = reader.tables
  const own = reader.select({ id: members.leagueId }).from(members).where(eq(members.userId, userId))
  return inArray(members.leagueId, own)
}

/** Guarantee of the type: only `readLeague` writes positions, and cursors are authenticated. */
function keyIn(text: string): Key {
  const [matchPoints, points, reachedAt, userId]: [number, number, number, string] = JSON.parse(text)
  return { matchPoints, points, reachedAt, userId }
}
