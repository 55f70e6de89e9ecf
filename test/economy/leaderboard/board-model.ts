/** A reference model of the leaderboards: stores every change and sorts whole boards. */
import type { Reader, Tables } from '../../../db/index.ts'
import { boardsAt } from '../../../src/economy/leaderboard/boards.ts'

export interface ModelEntry {
  userId: string
  points: number
  reachedAt: number
}

interface Earned {
  points: number
  at: Date
}

interface ModelFan {
  /** Earned before the enrolment. */
  waiting: Earned[]
  enrolled: boolean
  balance: number
}

export class BoardModel {
  readonly boards: Map<string, Map<string, ModelEntry>>
  readonly fans: Map<string, ModelFan>

  constructor(
    { boards, fans }: Pick<BoardModel, 'boards' | 'fans'> = { boards: new Map(), fans: new Map() },
  ) {
    this.boards = structuredClone(boards)
    this.fans = structuredClone(fans)
  }

  fan(userId: string): ModelFan {
    const fan = this.fans.get(userId) ?? { waiting: [], enrolled: false, balance: 0 }
    this.fans.set(userId, fan)
    return fan
  }

  earn(userId: string, points: number, at: Date) {
    const fan = this.fan(userId)
    fan.balance += points
    if (!fan.enrolled) return void fan.waiting.push({ points, at })
    for (const { id } of boardsAt(at)) this.add(id, userId, { points, at })
  }

  enrol(userId: string, at: Date) {
    const fan = this.fan(userId)
    if (fan.enrolled) return
    fan.enrolled = true
    for (const { id, startsAt, endsAt } of boardsAt(at)) {
      const inside = fan.waiting.filter(
        earned => (!startsAt || earned.at >= startsAt) && (!endsAt || earned.at < endsAt),
      )
      if (id === 'all' && inside.length === 0) this.add(id, userId, { points: 0, at })
      for (const earned of inside) this.add(id, userId, earned)
    }
  }

  private add(board: string, userId: string, { points, at }: Earned) {
    const entries = this.boards.get(board) ?? new Map<string, ModelEntry>()
    this.boards.set(board, entries)
    const before = entries.get(userId) ?? { userId, points: 0, reachedAt: 0 }
    // The time starts with the first points.
    const reachedAt = before.points === 0 ? at.getTime() : Math.max(before.reachedAt, at.getTime())
    entries.set(userId, { userId, points: before.points + points, reachedAt })
  }

  /** The whole board in the order of rank. */
  sorted(board: string): ModelEntry[] {
    return [...(this.boards.get(board)?.values() ?? [])].sort(
      (a, b) => b.points - a.points || a.reachedAt - b.reachedAt || (a.userId < b.userId ? -1 : 1),
    )
  }
}

type BucketRow = Tables['leaderboardCounts']['$inferSelect']

/** Every bucket, sorted, for comparison. */
export async function readBuckets(reader: Reader): Promise<BucketRow[]> {
  const rows = await reader.select().from(reader.tables.leaderboardCounts)
  const nameOf = ({ board, level, points, reachedAt }: BucketRow) =>
    `${board} ${level} ${points} ${reachedAt}`
  return rows.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

/** mulberry32: the same numbers in every run, from 0 to `below`, exclusive. */
export function seededNumbers(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}
