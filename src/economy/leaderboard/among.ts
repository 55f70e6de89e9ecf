/**
 * A board among the fans that a fan follows, and the fan: at most 1,001, which one statement looks up and ranks. Only the page
 * leaves the database.
 */
import { and, asc, eq, or, type SQL, sql } from 'drizzle-orm'
import { rowsOfEach } from '../../../db/first-of-each.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Cursors, Page } from '../../core/pagination.ts'
import { followedFans } from '../../identity/relations/followed.ts'
import type { BoardPage } from './page.ts'
import { scoreOf } from './rank-index/entries.ts'
import type { RankedEntry } from './ranked-entry.ts'

type Key = Pick<Tables['leaderboardScores']['$inferSelect'], 'minusPoints' | 'reachedAt' | 'userId'>
type Side = 'after' | 'before'

export interface AmongPage extends BoardPage {
  /** The fan's own entry, with the rank among them; null when they are not on the board. */
  own: RankedEntry | null
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
  const given = position === undefined ? undefined : positionOf(position)
  const half = around ? Math.floor(limit / 2) : undefined
  const rows = await selectPage(reader, { board, userId, limit, half, ...given })
  const [{ skipped = 0, end = 0, total = 0 } = {}] = rows
  const ranked = rows.flatMap(({ found }) => found ?? [])
  const shown = ranked.filter(({ rank }) => rank > skipped && rank <= end)
  const own = ranked.find(row => row.userId === userId)
  const encode = (side: Side, key: Key | undefined) =>
    key ? cursors.encode(list, JSON.stringify([side, key.minusPoints, key.reachedAt, key.userId])) : null
  const key = given?.after ?? given?.before
  return {
    entries: shown.map(presentRank),
    total,
    nextCursor: end < total ? encode('after', shown.at(-1) ?? key) : null,
    previousCursor: skipped > 0 ? encode('before', shown[0] ?? key) : null,
    own: own ? presentRank(own) : null,
  }
}

const presentRank = ({ rank, ...row }: Key & { rank: number }): RankedEntry => {
  const { points, reachedAt } = scoreOf({ board: '', ...row })
  return { rank, userId: row.userId, points, reachedAt: new Date(reachedAt) }
}

/** Guarantee of the type: only `encode` writes positions, and cursors are authenticated. */
function positionOf(text: string): { [side in Side]?: Key } {
  const [side, minusPoints, reachedAt, userId]: [Side, number, number, string] = JSON.parse(text)
  return { [side]: { minusPoints, reachedAt, userId } }
}

interface Wanted {
  board: string
  userId: string
  limit: number
  /** Of the page around the fan: how many are ahead of the fan. */
  half?: number | undefined
  after?: Key
  before?: Key
}

/** The page, and the fan. At least one row, which has the bounds of the page. */
const selectPage = prepared((reader: Reader, { board, userId, limit, half, after, before }: Wanted) => {
  const { leaderboardScores: scores } = reader.tables
  const followed = reader.$with('followed').as(followedFans(reader, userId))
  const isOf = sql`${scores.board} = ${board} and ${scores.userId} = member.user_id`
  const ranked = reader
    .$with('ranked', {
      ...{ userId: scores.userId, minusPoints: scores.minusPoints, reachedAt: scores.reachedAt },
      rank: sql<number>`rank`.mapWith(Number).as('rank'),
    })
    .as(sql`select ${scores.userId}, ${scores.minusPoints}, ${scores.reachedAt},
      row_number() over (order by ${scores.minusPoints}, ${scores.reachedAt}, ${scores.userId}) as rank
      from ${rowsOfEach(sql`(select user_id from ${followed} union all select ${userId}) as member`, scores, isOf)}`)
  const ahead = (operator: '<' | '<=', { minusPoints, reachedAt, userId }: Key) =>
    sql`(select count(*) from ${ranked} where (minus_points, reached_at, user_id) ${sql.raw(operator)} (${minusPoints}, ${reachedAt}, ${userId}))`
  const own = sql`coalesce((select rank from ranked where user_id = ${userId}), 0)`
  const atLeastZero = (value: SQL) => sql`case when ${value} > 0 then ${value} else 0 end`
  const skipped = after
    ? ahead('<=', after)
    : before
      ? atLeastZero(sql`(${ahead('<', before)} - ${limit})`)
      : half === undefined
        ? sql`0`
        : atLeastZero(sql`(${own} - 1 - ${half})`)
  const bounds = reader
    .$with('bounds', {
      skipped: sql<number>`skipped`.mapWith(Number).as('skipped'),
      end: sql<number>`page_end`.mapWith(Number).as('page_end'),
      total: sql<number>`total`.mapWith(Number).as('total'),
    })
    .as(sql`select ${skipped} as skipped, ${before ? ahead('<', before) : sql`${skipped} + ${limit}`} as page_end,
      (select count(*) from ${ranked}) as total`)
  const isOnPage = and(sql`${ranked.rank} > ${bounds.skipped}`, sql`${ranked.rank} <= ${bounds.end}`)
  return reader
    .with(followed, ranked, bounds)
    .select({
      ...{ skipped: bounds.skipped, end: bounds.end, total: bounds.total },
      found: {
        ...{ userId: ranked.userId, minusPoints: ranked.minusPoints, reachedAt: ranked.reachedAt },
        rank: ranked.rank,
      },
    })
    .from(bounds)
    .leftJoin(ranked, or(isOnPage, eq(ranked.userId, userId)))
    .orderBy(asc(ranked.rank))
})
