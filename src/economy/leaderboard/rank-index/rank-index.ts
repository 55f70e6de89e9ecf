/**
 * Computes how many fans are ahead of one without counting them.
 *
 * A board has buckets by points, each level 256 times as wide as the level below, down to single points; and, for fans with
 * equal points, buckets by time, each level 512 times as wide as the level below, down to 2 ms. `leaderboard_counts` stores the
 * number of fans in each bucket. The fans ahead of one are those in the better buckets of each level: a bounded number of short
 * index ranges, whatever the rank and the number of fans. Only fans with equal points within the same 2 ms are counted one by one.
 *
 * Buckets form a fixed grid, not a balanced tree: they never split or move. A write changes a few rows in its own transaction,
 * all in one order; and a fan who earns a few points stays in the wide buckets, which all fans share.
 */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { insertRows, subtractRows } from '../../../../db/bulk.ts'
import type { Deferred, Reader, Tables, Transaction } from '../../../../db/index.ts'
import { type Bucket, type BucketRow, changeBuckets, deleteEmpty, MAX_BUCKETS } from './bucket-writes.ts'

/** A fan's score on a board. */
export interface BoardScore {
  board: string
  points: number
  /** Milliseconds since 1970. */
  reachedAt: number
}

const POINTS_WIDTHS = [0, 8, 16, 24, 32, 40, 48].map(bits => 2 ** bits)
/** Milliseconds, wide to narrow. */
const TIME_WIDTHS = [28, 19, 10, 1].map(bits => 2 ** bits)
const WIDEST = POINTS_WIDTHS.length - 1
const levelOfTime = (index: number) => POINTS_WIDTHS.length + index
/** More than all points and times. */
const UNBOUNDED = 2 ** 53
/** Level, width, and width of the next wider level. */
const POINTS_LEVELS = POINTS_WIDTHS.map((width, index) => [
  index,
  width,
  POINTS_WIDTHS[index + 1] ?? UNBOUNDED,
])
const TIME_LEVELS = TIME_WIDTHS.map((width, index) => [
  levelOfTime(index),
  width,
  TIME_WIDTHS[index - 1] ?? UNBOUNDED,
])
const startOf = (value: number, width: number) => Math.floor(value / width) * width

type Changes = Map<string, BucketRow>

/**
 * Adds `fans` to each bucket of these scores, one per level. No rank reads the first bucket of a level, since no fan has fewer
 * points; it is stored on the widest level only, which counts all fans.
 */
function addToBuckets(changes: Changes, scores: Iterable<BoardScore>, fans: number): void {
  for (const { board, points, reachedAt } of scores) {
    for (const [level, width] of POINTS_WIDTHS.entries()) {
      const start = startOf(points, width)
      if (start > 0 || level === WIDEST) addToBucket(changes, board, level, start, 0, fans)
    }
    for (const [index, width] of TIME_WIDTHS.entries())
      addToBucket(changes, board, levelOfTime(index), points, startOf(reachedAt, width), fans)
  }
}

function addToBucket(
  changes: Changes,
  board: string,
  level: number,
  points: number,
  reachedAt: number,
  fans: number,
): void {
  const name = `${board} ${level} ${points} ${reachedAt}`
  const change = changes.get(name)
  if (change) change.fans += fans
  else changes.set(name, { board, level, points, reachedAt, fans })
}

/** All changes of a unit of work, written once at its end: fans share the buckets, which stay locked until the commit. */
const changesOfBuckets: Deferred<Changes> = {
  order: 4,
  start: () => new Map(),
  async write(tx, changes) {
    // One order for all writers prevents deadlocks.
    const moved = [...changes.values()].filter(({ fans }) => fans !== 0).toSorted(byBucket)
    const left = moved.filter(({ fans }) => fans < 0)
    const entered = moved.map(bucket => ({ ...bucket, fans: Math.max(bucket.fans, 0) }))
    if (moved.length > MAX_BUCKETS || left.some(({ fans }) => fans < -1)) {
      const { leaderboardCounts } = tx.tables
      await insertRows(tx, leaderboardCounts, entered, { add: 'fans' })
      const losses = left.map(bucket => ({ ...bucket, fans: -bucket.fans }))
      await subtractRows(tx, leaderboardCounts, losses, 'fans')
      return []
    }
    const emptied = left.map(({ fans: _, ...bucket }) => bucket)
    return [
      ...(moved.length > 0 ? [changeBuckets(tx, entered)] : []),
      ...(emptied.length > 0 ? [deleteEmpty(tx, emptied)] : []),
    ]
  },
}

/** Moves fans from the buckets of their old scores to those of their new ones. Ranks show it after the unit of work. */
export function moveMembers(tx: Transaction, from: BoardScore[], to: BoardScore[]): void {
  const changes = tx.deferred(changesOfBuckets)
  addToBuckets(changes, from, -1)
  addToBuckets(changes, to, 1)
}

/** How many members each bucket gains from new scores, in the order of the buckets. */
export function countMembers(scores: Iterable<BoardScore>): BucketRow[] {
  const gains: Changes = new Map()
  addToBuckets(gains, scores, 1)
  return [...gains.values()].toSorted(byBucket)
}

const byBucket = (a: Bucket, b: Bucket) =>
  (a.board < b.board ? -1 : a.board > b.board ? 1 : 0) ||
  a.level - b.level ||
  a.points - b.points ||
  a.reachedAt - b.reachedAt

/**
 * SQL for the number of fans ahead of the row of `leaderboard_scores` with the alias `row`. This is the only definition of
 * rank: more points first, then the earlier time of reaching them, then the id.
 */
export function membersAhead({ tables }: Pick<Reader, 'tables'>, row: string): SQL<number> {
  const { leaderboardCounts: buckets, leaderboardScores: scores } = tables
  const board = sql.raw(`${row}.board`)
  const points = sql.raw(`(-${row}.minus_points)`)
  const reachedAt = sql.raw(`${row}.reached_at`)
  const userId = sql.raw(`${row}.user_id`)
  const start = (value: SQL, width: SQL) => sql`(${value} - ${value} % ${width})`
  const [level, width, wider] = [sql.raw('l.column1'), sql.raw('l.column2'), sql.raw('l.column3')]
  // One subselect for all levels, because PostgreSQL prepares each one for each run. Not a join: planned while there are few
  // fans, it would read the whole board.
  const total = (levels: number[][], condition: SQL) => {
    const fans = sql`select sum(c.fans) from ${buckets} c where c.board = ${board} and c.level = ${level} and ${condition}`
    return sql`coalesce((select sum((${fans})) from (values ${rowsOf(levels)}) l), 0)`
  }
  const morePoints = total(
    POINTS_LEVELS,
    sql`c.points > ${points} and c.points < ${start(points, wider)} + ${wider}`,
  )
  const earlier = total(
    TIME_LEVELS,
    sql`c.points = ${points} and c.reached_at < ${start(reachedAt, width)} and c.reached_at >= ${start(reachedAt, wider)}`,
  )
  const narrowest = sql.raw(String(TIME_WIDTHS.at(-1) ?? 1))
  const sooner = sql`(s.reached_at, s.user_id) < (${reachedAt}, ${userId})`
  const equal = sql`from ${scores} s where s.board = ${board} and s.minus_points = -${points}`
  // Both ends of the bucket are explicit: the row value alone would not limit the index range.
  const sameBucket = sql`(select count(*) ${equal} and ${sooner}
    and s.reached_at between ${start(reachedAt, narrowest)} and ${reachedAt})`
  // Few fans share their points with another, except at a launch.
  const tied = sql`case when exists (select 1 ${equal} and ${sooner}) then ${earlier} + ${sameBucket} else 0 end`
  return sql<number>`cast(${morePoints} + ${tied} as bigint)`.mapWith(Number)
}

/** Constants, because PostgreSQL takes parameters in `values` for texts. */
const rowsOf = (rows: number[][]) => sql.raw(rows.map(row => `(${row})`).join())

/** SQL for the number of fans on a board, from the widest buckets. */
export function memberCount({ tables }: Pick<Reader, 'tables'>, board: string | SQL): SQL<number> {
  return sql<number>`cast(coalesce((select sum(c.fans) from ${tables.leaderboardCounts} c
    where c.board = ${board} and c.level = ${sql.raw(String(WIDEST))}), 0) as bigint)`.mapWith(Number)
}

/** Rebuilds the buckets of a board from its scores, after a bulk write or a repair. */
export async function rebuildRankIndex(tx: Transaction, board: string): Promise<void> {
  const { leaderboardCounts: buckets, leaderboardScores: scores } = tx.tables
  // Blocks all writers of the board, each of which changes its widest bucket, until the new buckets are written.
  await tx
    .update(buckets)
    .set({ fans: sql`${buckets.fans}` })
    .where(eq(buckets.board, board))
  await tx.delete(buckets).where(eq(buckets.board, board))
  for (const bucket of bucketLevels(scores)) {
    await tx.insert(buckets).select(
      tx
        .select({
          board: scores.board,
          level: sql<number>`${sql.raw(String(bucket.level))}`.as('level'),
          points: sql<number>`${bucket.points}`.as('bucket_points'),
          reachedAt: sql<number>`${bucket.reachedAt}`.as('bucket_reached_at'),
          fans: sql<number>`count(*)`.as('fans'),
        })
        .from(scores)
        .where(and(eq(scores.board, board), bucket.only))
        .groupBy(sql`1, 2, 3, 4`),
    )
  }
}

/**
 * SQL for the start of a score's bucket on each level, and the condition for having one: see `bucketsOf`. By `%`, since not
 * every engine divides integers as integers; no value is negative.
 */
export function bucketLevels(scores: Tables['leaderboardScores']) {
  const number = (value: number) => sql.raw(String(value))
  const points = sql`(-${scores.minusPoints})`
  return [
    ...POINTS_WIDTHS.map((width, level) => ({
      level,
      points: sql<number>`${points} - ${points} % ${number(width)}`,
      reachedAt: sql<number>`0`,
      only: level === WIDEST ? undefined : sql`${points} >= ${number(width)}`,
    })),
    ...TIME_WIDTHS.map((width, index) => ({
      level: levelOfTime(index),
      points: sql<number>`${points}`,
      reachedAt: sql<number>`${scores.reachedAt} - ${scores.reachedAt} % ${number(width)}`,
      only: undefined,
    })),
  ]
}
