/** The table of a league: the ranks of a board, restricted to its members, less what they had earned before. */
import { and, asc, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import type { Viewer } from '../../core/caller.ts'
import { type Cursors, cutPage, type Page } from '../../core/pagination.ts'
import { DomainError } from '../../core/problems.ts'
import { lookUpScores } from '../../economy/leaderboard/rank-index/entries.ts'
import { type BoardName, nameless, readBoardNames } from '../../identity/relations/board-names.ts'
import { isHiddenByModerators, listHidden } from '../../identity/relations/visibility.ts'
import { leagueProblems, MAX_JOINED } from './problems.ts'
import type { League } from './schema.ts'

export type LeagueRow = Tables['leagues']['$inferSelect']

type Key = { points: number; reachedAt: number; userId: string }

/** @throws DomainError `league_not_found` for a fan who is no member; `invalid_cursor` */
export async function readLeague(
  reader: Reader,
  cursors: Cursors,
  { userId }: Viewer,
  leagueId: string,
  { limit, cursor }: Page,
): Promise<League> {
  const list = `league ${leagueId}`
  const position = cursors.decode(list, cursor)
  const found = await selectLeague(reader, leagueId, userId)
  if (!found) throw new DomainError(leagueProblems.league_not_found)
  const after = position === undefined ? undefined : keyIn(position)
  // One more than the page, and the own entry, which may be on another page.
  const rows = await selectPage(reader, { leagueId, userId, limit: limit + 2, after })
  const me = rows.find(row => row.userId === userId)
  // A member who left meanwhile.
  if (!me) throw new DomainError(leagueProblems.league_not_found)
  const following = rows.filter(row => row.follows).toSorted((a, b) => a.rank - b.rank)
  const { shown, nextCursor } = cutPage(following, limit, ({ points, reachedAt, userId }) =>
    cursors.encode(list, JSON.stringify([points, reachedAt, userId])),
  )
  const nameOf = await readNames(reader, userId, [found.league.ownerId, ...shown.map(({ userId }) => userId)])
  const entries = shown.map(({ userId, number, rank, points, joinedAt }) => {
    const { handle, displayName, avatarUrl } = nameOf(userId)
    return { number, handle, displayName, avatarUrl, rank, points, joinedAt: joinedAt.toISOString() }
  })
  return { ...presentSummary(found, nameOf, userId), me: placeOf(me), entries, nextCursor }
}

/** The leagues of a fan, with the place of the fan in each. */
export async function listLeagues(reader: Reader, { userId }: Viewer) {
  const rows = await selectOwn(reader, userId)
  const nameOf = await readNames(
    reader,
    userId,
    rows.map(({ league }) => league.ownerId),
  )
  return { leagues: rows.map(row => ({ ...presentSummary(row, nameOf, userId), me: placeOf(row) })) }
}

const placeOf = ({ rank, points }: { rank: number; points: number }) => ({ rank, points })

function presentSummary(
  { league, isOwnerHidden }: { league: LeagueRow; isOwnerHidden: boolean },
  nameOf: (userId: string) => BoardName,
  viewerId: string,
) {
  const { id, name, code, season, locked, ownerId, members, createdAt } = league
  const { handle, displayName } = nameOf(ownerId)
  return {
    id,
    name: isOwnerHidden && ownerId !== viewerId ? null : name,
    code: code.replace(/^.{4}/, '$&-'),
    // Guarantee of the casts: the constraints of the columns.
    scoring: league.scoring as League['scoring'],
    season,
    format: 'table' as const,
    from: league.countFrom as League['from'],
    locked,
    owner: { handle, displayName },
    owned: ownerId === viewerId,
    members,
    createdAt: createdAt.toISOString(),
  }
}

/** What the viewer sees of fans: nothing if one has blocked the other. */
async function readNames(reader: Reader, viewerId: string, userIds: string[]) {
  const ids = [...new Set(userIds)]
  const names = await readBoardNames(reader, ids)
  const hidden = await listHidden(reader, viewerId, ids)
  return (userId: string): BoardName => (hidden.has(userId) ? nameless : (names.get(userId) ?? nameless))
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
const selectPage = prepared((reader: Reader, { leagueId, userId, limit, after }: Wanted) => {
  const { leagueMembers: members } = reader.tables
  const ranked = rankedMembers(reader, eq(members.leagueId, leagueId))
  const follows =
    after === undefined
      ? sql<boolean>`true`
      : sql<boolean>`(-points, reached_at, user_id) > (${sql.param(after.points)} * -1, ${after.reachedAt}, ${after.userId})`
  const isOwn = sql`case when user_id = ${userId} then 0 else 1 end`
  return reader
    .with(ranked)
    .select({
      userId: ranked.userId,
      joinedAt: ranked.joinedAt,
      number: ranked.number,
      points: ranked.points,
      reachedAt: ranked.reachedAt,
      rank: ranked.rank,
      follows: sql<boolean>`case when ${follows} then 1 else 0 end`.mapWith(value => Number(value) === 1),
    })
    .from(ranked)
    .where(sql`(${follows} or user_id = ${userId})`)
    .orderBy(isOwn, asc(ranked.rank))
    .limit(limit)
})

const selectOwn = prepared((reader: Reader, userId: string) => {
  const { leagues, leagueMembers: members } = reader.tables
  const own = reader.select({ id: members.leagueId }).from(members).where(eq(members.userId, userId))
  const ranked = rankedMembers(reader, inArray(members.leagueId, own))
  return reader
    .with(ranked)
    .select({
      league: leagues,
      isOwnerHidden: isOwnerHidden(reader),
      points: ranked.points,
      rank: ranked.rank,
    })
    .from(ranked)
    .innerJoin(leagues, eq(leagues.id, ranked.leagueId))
    .where(eq(ranked.userId, userId))
    .orderBy(desc(ranked.joinedAt), desc(leagues.id))
    .limit(MAX_JOINED)
})

/** For a member without a score, who comes after the others without points. */
const NEVER = sql.raw(String(Number.MAX_SAFE_INTEGER))

/**
 * For WITH: members with their ranks in their leagues. The score of each is looked up, once: for a join PostgreSQL may read the
 * whole board.
 */
function rankedMembers(reader: Reader, only: SQL | undefined) {
  const { leagues, leagueMembers: members } = reader.tables
  const { leagueId, userId, joinedAt, number } = members
  const chosen = sql`select ${leagueId}, ${userId}, ${joinedAt}, ${number}, ${members.baseline}, ${leagues.board}
    from ${members} inner join ${leagues} on ${leagues.id} = ${leagueId} where ${only}`
  const score = lookUpScores(reader, sql`(${chosen}) as chosen`, {
    board: sql`chosen.board`,
    userId: sql`chosen.user_id`,
  })
  // A fan who left the leaderboards has no score.
  const scored = sql`select chosen.league_id, chosen.user_id, chosen.joined_at, chosen.number,
      coalesce(${score.reachedAt}, ${NEVER}) as reached_at,
      case when -${score.minusPoints} > chosen.baseline then -${score.minusPoints} - chosen.baseline else 0 end as points
    from ${score.from}`
  return reader
    .$with('ranked', {
      leagueId,
      userId,
      joinedAt,
      number,
      points: sql<number>`points`.mapWith(Number).as('points'),
      reachedAt: sql<number>`reached_at`.mapWith(Number).as('reached_at'),
      rank: sql<number>`place`.mapWith(Number).as('place'),
    })
    .as(sql`select league_id, user_id, joined_at, number, points, reached_at,
      row_number() over (partition by league_id order by points desc, reached_at, user_id) as place
      from (${scored}) scored`)
}

/** Guarantee of the type: only `readLeague` writes positions, and cursors are authenticated. */
function keyIn(text: string): Key {
  const [points, reachedAt, userId]: [number, number, string] = JSON.parse(text)
  return { points, reachedAt, userId }
}
