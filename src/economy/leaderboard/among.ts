/**
 * A board among the fans that a fan follows, and the fan: at most 1,001, which one statement looks up and ranks. Only the page
 * leaves the database.
 */
import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import { byName, rowsOfEach } from '../../../db/first-of-each.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Cursors, Page } from '../../core/pagination.ts'
import { followedFans } from '../../identity/relations/follow.ts'
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
  const [{ skipped = 0, total = 0, ownRank = 0, own = null } = {}] = rows
  const shown = rows.flatMap(({ found }) => found ?? [])
  const encode = (side: Side, key: Key | undefined) =>
    key ? cursors.encode(list, JSON.stringify([side, key.minusPoints, key.reachedAt, key.userId])) : null
  const key = given?.after ?? given?.before
  return {
    entries: shown.map((row, index) => presentRank({ ...row, rank: skipped + index + 1 })),
    total,
    nextCursor: skipped + shown.length < total ? encode('after', shown.at(-1) ?? key) : null,
    previousCursor: skipped > 0 ? encode('before', shown[0] ?? key) : null,
    own: own && presentRank({ ...own, rank: ownRank }),
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
  /** For the page around the fan: the number of fans ahead. */
  half?: number | undefined
  after?: Key
  before?: Key
}

/**
 * The page, with its bounds and the own entry in each row. At least one row. The fans are counted, and only
 * as many are sorted as a page needs: their ranks follow from the number of skipped fans.
 */
const selectPage = prepared((reader: Reader, { board, userId, limit, half, after, before }: Wanted) => {
  const { leaderboardScores: scores } = reader.tables
  const columns = { minusPoints: scores.minusPoints, reachedAt: scores.reachedAt, userId: scores.userId }
  const followed = reader.$with('followed').as(followedFans(reader, userId))
  const found = byName(scores)
  const isOf = sql`${scores.board} = ${board} and ${scores.userId} = fan.user_id`
  const member = reader.$with('member', columns).as(sql`
    select ${found.minusPoints}, ${found.reachedAt}, ${found.userId}
    from ${rowsOfEach(sql`(select user_id from ${followed} union all select ${userId}) as fan`, scores, isOf)}`)
  const own = reader.$with('own').as(
    reader
      .select(columns)
      .from(scores)
      .where(and(eq(scores.board, board), eq(scores.userId, userId))),
  )
  const position = sql`minus_points, reached_at, user_id`
  const countUpTo = (operator: '<' | '<=', key: SQL) =>
    sql`count(case when (${position}) ${sql.raw(operator)} (${key}) then 1 end)`
  const given = after === undefined ? before : after
  const counts = reader.$with('counts', {}).as(sql`select count(*) as total,
    ${countUpTo('<=', sql`select ${position} from ${own}`)} as own_rank,
    ${given !== undefined ? countUpTo(after !== undefined ? '<=' : '<', sql`${given.minusPoints}, ${given.reachedAt}, ${given.userId}`) : sql`0`} as ahead
    from ${member}`)
  const wished =
    before !== undefined
      ? sql`ahead - ${limit}`
      : half === undefined
        ? sql`ahead`
        : sql`own_rank - 1 - ${half}`
  const bounds = reader
    .$with('bounds', {
      total: sql<number>`total`.mapWith(Number).as('total'),
      ownRank: sql<number>`own_rank`.mapWith(Number).as('own_rank'),
      skipped: sql<number>`skipped`.mapWith(Number).as('skipped'),
    })
    .as(
      sql`select total, own_rank, ahead, case when ${wished} > 0 then ${wished} else 0 end as skipped from ${counts}`,
    )
  const size = before !== undefined ? sql`(select ahead - skipped from ${bounds})` : sql`${limit}`
  const page = reader.$with('page', columns).as(sql`select ${position} from ${member} order by ${position}
    limit ${size} offset (select skipped from ${bounds})`)
  return reader
    .with(followed, member, own, counts, bounds, page)
    .select({
      total: bounds.total,
      skipped: bounds.skipped,
      ownRank: bounds.ownRank,
      own: { minusPoints: own.minusPoints, reachedAt: own.reachedAt, userId: own.userId },
      found: { minusPoints: page.minusPoints, reachedAt: page.reachedAt, userId: page.userId },
    })
    .from(bounds)
    .leftJoin(own, sql`true`)
    .leftJoin(page, sql`true`)
    .orderBy(asc(page.minusPoints), asc(page.reachedAt), asc(page.userId))
})
