/** Pages of a board in the order of rank, forwards and backwards. */
import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Cursors, Page } from '../../core/pagination.ts'
import { memberCount, membersAhead } from './rank-index/rank-index.ts'
import type { RankedEntry } from './ranked-entry.ts'

type Scores = Tables['leaderboardScores']
type Key = Pick<Scores['$inferSelect'], 'minusPoints' | 'reachedAt' | 'userId'>

/** Where a page begins or ends, relative to a key. */
interface Position {
  side: 'after' | 'before' | 'from' | 'upto'
  key: Key
}

export interface BoardPage {
  entries: RankedEntry[]
  /** Fans on the board. */
  total: number
  nextCursor: string | null
  previousCursor: string | null
}

/** @throws DomainError `invalid_cursor` */
export async function readBoardPage(
  reader: Reader,
  cursors: Cursors,
  board: string,
  { limit, cursor }: Page,
): Promise<BoardPage> {
  const position = cursors.decode(listOf(board), cursor)
  return readPageAt(reader, cursors, board, limit, position === undefined ? null : parsePosition(position))
}

/** The page with a fan in its middle; empty when they are not on the board. */
export async function readBoardAround(
  reader: Reader,
  cursors: Cursors,
  board: string,
  limit: number,
  userId: string,
): Promise<BoardPage> {
  const [own] = await selectKey(reader, { board, userId })
  if (!own) {
    const total = await readTotal(reader, board)
    return { entries: [], total, nextCursor: null, previousCursor: null }
  }
  const ahead = await selectAhead(reader, { ...own, board, limit: Math.floor(limit / 2) })
  return readPageAt(reader, cursors, board, limit, { side: 'from', key: ahead.at(-1) ?? own })
}

const keyColumns = ({ minusPoints, reachedAt, userId }: Scores) => ({ minusPoints, reachedAt, userId })

const selectKey = prepared((reader: Reader, { board, userId }: { board: string; userId: string }) => {
  const { leaderboardScores: scores } = reader.tables
  return reader
    .select(keyColumns(scores))
    .from(scores)
    .where(and(eq(scores.board, board), eq(scores.userId, userId)))
})

/** Values of the statements below. */
type PageValues = Key & { board: string; limit: number }

const selectAhead = prepared((reader: Reader, values: PageValues) => {
  const { leaderboardScores: scores } = reader.tables
  return reader
    .select(keyColumns(scores))
    .from(scores)
    .where(and(eq(scores.board, values.board), compare(scores, 'before', values)))
    .orderBy(desc(scores.minusPoints), desc(scores.reachedAt), desc(scores.userId))
    .limit(values.limit)
})

async function readPageAt(
  reader: Reader,
  cursors: Cursors,
  board: string,
  limit: number,
  position: Position | null,
): Promise<BoardPage> {
  const backwards = position !== null && isBackwards(position.side)
  const rows = position
    ? await selectPage[position.side](reader, { ...position.key, board, limit: limit + 1 })
    : await selectTop(reader, { board, limit: limit + 1 })
  const encodeKey = (side: Position['side'], key: Key) =>
    cursors.encode(listOf(board), JSON.stringify([side, key.minusPoints, key.reachedAt, key.userId]))
  if (rows.length === 0) {
    // The fans after a cursor may have risen above it: then the previous page ends at the cursor itself.
    const previousCursor = position && encodeKey('upto', position.key)
    return { entries: [], total: await readTotal(reader, board), nextCursor: null, previousCursor }
  }
  const more = rows.length > limit
  const firstRank = (rows[0]?.ahead ?? 0) + 1
  const kept = rows.map((row, index) => ({ ...row, rank: firstRank + index }))
  // One row more than the limit is read, to learn whether another page follows. It is removed here.
  const shown = backwards ? kept.slice(more ? 1 : 0) : kept.slice(0, limit)
  const first = shown[0]
  const last = shown.at(-1)
  return {
    entries: shown.map(({ rank, minusPoints, reachedAt, userId }) => {
      return { rank, userId, points: -minusPoints, reachedAt: new Date(reachedAt) }
    }),
    total: rows[0]?.total ?? 0,
    nextCursor: last && (backwards || more) ? encodeKey('after', last) : null,
    previousCursor: first && first.rank > 1 ? encodeKey('before', first) : null,
  }
}

const isBackwards = (side?: Position['side']) => side === 'before' || side === 'upto'

const selectTop = prepared((reader: Reader, values: Pick<PageValues, 'board' | 'limit'>) =>
  rankedPage(reader, values),
)
const selectPageAt = (side: Position['side']) =>
  prepared((reader: Reader, values: PageValues) =>
    rankedPage(reader, values, side, compare(reader.tables.leaderboardScores, side, values)),
  )
const selectPage = {
  after: selectPageAt('after'),
  before: selectPageAt('before'),
  from: selectPageAt('from'),
  upto: selectPageAt('upto'),
}

/** One statement, and so one snapshot: the rank index gives the first row's rank, from which the others follow. */
function rankedPage(
  reader: Reader,
  { board, limit }: Pick<PageValues, 'board' | 'limit'>,
  side?: Position['side'],
  only?: SQL,
) {
  const { leaderboardScores: scores } = reader.tables
  const order = isBackwards(side) ? desc : asc
  const page = reader.$with('page').as(
    reader
      .select()
      .from(scores)
      .where(and(eq(scores.board, board), only))
      .orderBy(order(scores.minusPoints), order(scores.reachedAt), order(scores.userId))
      .limit(limit),
  )
  const ascending = [asc(page.minusPoints), asc(page.reachedAt), asc(page.userId)] as const
  const head = reader.$with('head').as(
    reader
      .select()
      .from(page)
      .orderBy(...ascending)
      .limit(1),
  )
  return reader
    .with(page, head)
    .select({
      minusPoints: page.minusPoints,
      reachedAt: page.reachedAt,
      userId: page.userId,
      ahead: sql`(select ${membersAhead(reader, 'head')} from head)`.mapWith(Number),
      total: memberCount(reader, board),
    })
    .from(page)
    .orderBy(...ascending)
}

async function readTotal(reader: Reader, board: string): Promise<number> {
  const [row] = await selectTotal(reader, board)
  return row?.total ?? 0
}

const selectTotal = prepared((reader: Reader, board: string) =>
  reader.select({ total: memberCount(reader, board) }).from(sql`(select 1) one`),
)

const listOf = (board: string) => `leaderboard ${board}`

const SIDES = { after: sql.raw('>'), before: sql.raw('<'), from: sql.raw('>='), upto: sql.raw('<=') }

/** Compares row values, which one index serves: a late page costs as much as the first one. */
function compare(scores: Scores, side: Position['side'], key: Key): SQL {
  return sql`(${scores.minusPoints}, ${scores.reachedAt}, ${scores.userId})
    ${SIDES[side]} (${key.minusPoints}, ${key.reachedAt}, ${key.userId})`
}

/** Guarantee of the type: only `encodeKey` writes positions, and cursors are authenticated. */
function parsePosition(text: string): Position {
  const [side, minusPoints, reachedAt, userId]: [Position['side'], number, number, string] = JSON.parse(text)
  return { side, key: { minusPoints, reachedAt, userId } }
}
