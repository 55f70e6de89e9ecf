/**
 * How many fans are ahead of one, without counting them.
 *
 * A board is cut into buckets of points, each level's 256 times as wide as those of the level below, down to single
 * points; and fans with the same points into buckets of time, each level's 512 times as wide, down to 2 ms. `leaderboard_counts`
 * has how many fans are in each. Those ahead of a fan are in the better buckets of each level: a bounded number of short index
 * ranges wherever the fan stands and however many there are. What is left are fans with the same points within the same 2 ms,
 * and those are counted one by one.
 *
 * Buckets are places in a fixed grid, not nodes of a balanced tree: they never split or move, so a write adds to some and takes
 * from others in its own transaction, exactly, with nothing to lock but those rows, all in one order; and a fan who gains a few
 * points stays in the wide buckets, which all fans share.
 */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { addFans, type Bucket, MOST_BUCKETS, removeFan } from './bucket-writes.ts'

/** A place on a board. */
export interface Place {
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
const startOf = (value: number, width: number) => Math.floor(value / width) * width

/**
 * The buckets that a place is in, one per level. Nobody has fewer points than the first bucket of a level: no rank asks for it,
 * and it is kept on the widest level alone, which holds all fans.
 */
function bucketsOf({ board, points, reachedAt }: Place): Bucket[] {
  return [
    ...POINTS_WIDTHS.map((width, level) => ({
      board,
      level,
      points: startOf(points, width),
      reachedAt: 0,
    })).filter(({ level, points }) => points > 0 || level === WIDEST),
    ...TIME_WIDTHS.map((width, index) => {
      return { board, level: levelOfTime(index), points, reachedAt: startOf(reachedAt, width) }
    }),
  ]
}

const nameOf = ({ board, level, points, reachedAt }: Bucket) => `${board} ${level} ${points} ${reachedAt}`

/** Takes fans out of their old places and puts them into new ones: buckets that both have in common stay untouched. */
export async function moveCounts(tx: Transaction, from: Place[], to: Place[]): Promise<void> {
  const left = from.flatMap(bucketsOf)
  const entered = to.flatMap(bucketsOf)
  const stay = new Set(left.map(nameOf)).intersection(new Set(entered.map(nameOf)))
  const fewer = left.filter(bucket => !stay.has(nameOf(bucket)))
  const more = entered.filter(bucket => !stay.has(nameOf(bucket)))
  const changes = [
    ...fewer.map(bucket => ({ ...bucket, fans: 0 })),
    ...more.map(bucket => ({ ...bucket, fans: 1 })),
  ]
  // Locks every bucket, those to be left too, in one order for all writers: so none waits for another in a circle.
  for (const part of inParts(changes.sort(byPlace))) await addFans(tx, part)
  // A bucket that was lost has nobody to give up: the fan's place is put right all the same, and a repair counts anew.
  for (const part of inParts(fewer)) await removeFan(tx, part)
}

/** What a booking moves is one part; what a repair does may be several. */
const inParts = <Item>(items: Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / MOST_BUCKETS) }, (_, part) =>
    items.slice(part * MOST_BUCKETS, (part + 1) * MOST_BUCKETS),
  )

/** How many fans each bucket gains when fans come to some places, in the order of the buckets. */
export function countPlaces(places: Iterable<Place>): (Bucket & { fans: number })[] {
  const gains = new Map<string, Bucket & { fans: number }>()
  for (const place of places) {
    for (const bucket of bucketsOf(place)) {
      const name = nameOf(bucket)
      const gain = gains.get(name)
      if (gain) gain.fans++
      else gains.set(name, { ...bucket, fans: 1 })
    }
  }
  return [...gains.values()].toSorted(byPlace)
}

const byPlace = (a: Bucket, b: Bucket) =>
  (a.board < b.board ? -1 : a.board > b.board ? 1 : 0) ||
  a.level - b.level ||
  a.points - b.points ||
  a.reachedAt - b.reachedAt

/**
 * SQL for the number of fans ahead of the one whose row of `leaderboard_scores` goes by the name `row`. This is the
 * one definition of rank: more points first, then who got there first, then by id.
 */
export function fansAhead({ tables }: Pick<Reader, 'tables'>, row: string): SQL<number> {
  const { leaderboardCounts: counts, leaderboardScores: scores } = tables
  const board = sql.raw(`${row}.board`)
  const points = sql.raw(`(-${row}.minus_points)`)
  const reachedAt = sql.raw(`${row}.reached_at`)
  const userId = sql.raw(`${row}.user_id`)
  const number = (value: number) => sql.raw(String(value))
  /** Integer division: SQLite's and PostgreSQL's both round towards zero, and nothing here is below it. */
  const start = (value: SQL, width: number) => sql`(${value} / ${number(width)} * ${number(width)})`
  const total = (condition: SQL) =>
    sql`coalesce((select sum(c.fans) from ${counts} c where c.board = ${board} and ${condition}), 0)`

  const morePoints = POINTS_WIDTHS.map((_, level) => {
    const wider = POINTS_WIDTHS[level + 1]
    const inWider = wider ? sql` and c.points < ${start(points, wider)} + ${number(wider)}` : sql``
    return total(sql`c.level = ${number(level)} and c.points > ${points}${inWider}`)
  })
  const earlier = TIME_WIDTHS.map((width, index) => {
    const wider = TIME_WIDTHS[index - 1]
    const inWider = wider ? sql` and c.reached_at >= ${start(reachedAt, wider)}` : sql``
    const sooner = sql`c.reached_at < ${start(reachedAt, width)}${inWider}`
    return total(sql`c.level = ${number(levelOfTime(index))} and c.points = ${points} and ${sooner}`)
  })
  const narrowest = TIME_WIDTHS.at(-1) ?? 1
  // Both ends of the bucket are said outright: the row value alone would not bound what the index reads.
  const sameBucket = sql`(select count(*) from ${scores} s where s.board = ${board} and s.minus_points = -${points}
    and s.reached_at between ${start(reachedAt, narrowest)} and ${reachedAt}
    and (s.reached_at, s.user_id) < (${reachedAt}, ${userId}))`
  return sql<number>`cast(${sql.join([...morePoints, ...earlier, sameBucket], sql` + `)} as bigint)`.mapWith(
    Number,
  )
}

/** SQL for how many fans a board has: the widest buckets hold them all. */
export function fansOn({ tables }: Pick<Reader, 'tables'>, board: string): SQL<number> {
  return sql<number>`cast(coalesce((select sum(c.fans) from ${tables.leaderboardCounts} c
    where c.board = ${board} and c.level = ${sql.raw(String(WIDEST))}), 0) as bigint)`.mapWith(Number)
}

/** Counts a board anew from its scores: after they were written in bulk, or when a check found them wrong. */
export async function recount(tx: Transaction, board: string): Promise<void> {
  const { leaderboardCounts: counts, leaderboardScores: scores } = tx.tables
  // Holds off every writer of the board, all of whom touch its widest bucket, until the new counts are there.
  await tx
    .update(counts)
    .set({ fans: sql`${counts.fans}` })
    .where(eq(counts.board, board))
  await tx.delete(counts).where(eq(counts.board, board))
  for (const bucket of bucketLevels(scores)) {
    await tx.insert(counts).select(
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

/** SQL for where the bucket of a score begins, on each level, and which scores have one there: see `bucketsOf`. */
export function bucketLevels(scores: Tables['leaderboardScores']) {
  const number = (value: number) => sql.raw(String(value))
  const points = sql`(-${scores.minusPoints})`
  return [
    ...POINTS_WIDTHS.map((width, level) => ({
      level,
      points: sql<number>`${points} / ${number(width)} * ${number(width)}`,
      reachedAt: sql<number>`0`,
      only: level === WIDEST ? undefined : sql`${points} >= ${number(width)}`,
    })),
    ...TIME_WIDTHS.map((width, index) => ({
      level: levelOfTime(index),
      points: sql<number>`${points}`,
      reachedAt: sql<number>`${scores.reachedAt} / ${number(width)} * ${number(width)}`,
      only: undefined,
    })),
  ]
}
