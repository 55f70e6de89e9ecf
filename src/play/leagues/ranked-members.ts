/** Members of leagues with their points and ranks, in larger statements. */
import { isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { lookUpScores } from '../../economy/leaderboard/rank-index/entries.ts'
import { recordsOf } from '../../identity/users/merges.ts'
import { lookUpSettled } from '../predictions/settled-points.ts'

/** For a member without a score, who comes after the others without points. */
const NEVER = sql.raw(String(Number.MAX_SAFE_INTEGER))

interface Choice {
  only: SQL | undefined
  /** Whether the leagues are of one competition. */
  ofCompetition: boolean
}

/** For WITH: members with their ranks in their leagues. */
export function rankedMembers(reader: Reader, { only, ofCompetition }: Choice) {
  const { leagues, leagueMembers: members } = reader.tables
  const { leagueId, userId, joinedAt, number, matchPoints } = members
  const { competition } = leagues
  const chosen = sql`select ${leagueId}, ${userId}, ${joinedAt}, ${number}, ${matchPoints}, ${members.baseline},
      ${members.countsFrom}, ${members.finalPoints}, ${leagues.board}, ${competition}, ${leagues.season}
    from ${members} inner join ${leagues} on ${leagues.id} = ${leagueId}
    where ${only} and ${ofCompetition ? isNotNull(competition) : isNull(competition)}`
  return reader
    .$with('ranked', {
      leagueId,
      userId,
      joinedAt,
      number,
      matchPoints,
      points: sql<number>`points`.mapWith(Number).as('points'),
      reachedAt: sql<number>`reached_at`.mapWith(Number).as('reached_at'),
      rank: sql<number>`place`.mapWith(Number).as('place'),
    })
    .as(sql`with chosen as (${chosen}) select league_id, user_id, joined_at, number, match_points, points, reached_at,
      row_number() over (partition by league_id order by match_points desc, points desc, reached_at, user_id) as place
      from (${ofCompetition ? scoredByCompetition(reader) : scoredByBoard(reader)}) scored`)
}

const CHOSEN = sql`chosen.league_id, chosen.user_id, chosen.joined_at, chosen.number, chosen.match_points`

/** The score of each is looked up, once: for a join PostgreSQL may read the whole board. A fan who left the leaderboards has none. */
function scoredByBoard(reader: Reader): SQL {
  const { from, minusPoints, reachedAt } = lookUpScores(reader, sql`chosen`, {
    board: sql`chosen.board`,
    userId: sql`chosen.user_id`,
  })
  return sql`select ${CHOSEN}, coalesce(${reachedAt}, ${NEVER}) as reached_at,
      case when chosen.final_points is not null then chosen.final_points
        when -${minusPoints} > chosen.baseline then -${minusPoints} - chosen.baseline else 0 end as points
    from ${from}`
}

/**
 * There are no boards of competitions: the predictions of each member are looked up. With equal points, who joined first is ahead. Members
 * and sums are added up: without knowing how many there are, PostgreSQL would compare each with each in a join.
 */
function scoredByCompetition(reader: Reader): SQL {
  const settled = lookUpSettled(reader, sql`records`, {
    userId: sql`records.record_id`,
    competition: sql`records.competition`,
    season: sql`records.season`,
    since: sql`records.counts_from`,
  })
  const sums = sql`select records.league_id, records.user_id, sum(${settled.booked}) as points
    from ${settled.from} group by records.league_id, records.user_id`
  const { from, minusPoints } = lookUpScores(reader, sql`members`, {
    board: sql`'all'`,
    userId: sql`members.user_id`,
  })
  return sql`with records as (${recordsOf(reader, sql`chosen`)}), sums as (${sums}), members as (
      select league_id, user_id, max(joined_at) joined_at, max(number) number, max(match_points) match_points, coalesce(max(points), 0) points
      from (select league_id, user_id, joined_at, number, match_points, null points from chosen
        union all select league_id, user_id, null, null, null, points from sums) parts
      group by league_id, user_id)
    select members.league_id, members.user_id, members.joined_at, members.number, members.match_points, members.number as reached_at,
      case when ${minusPoints} is null then 0 else members.points end as points
    from ${from}`
}
