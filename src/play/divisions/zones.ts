/** Who of a table rises, falls, stays and leaves. */
import type { Level } from './division-set.ts'

type Zone = 'up' | 'down' | 'stays' | 'leaves'

export interface Member {
  userId: string
  seat: number
  points: number
  /** When the points were reached; null without points. */
  reachedAt: Date | null
}

export type Ranked<Of extends Member> = Of & { rank: number; zone: Zone }

interface Rules {
  levels: Level[]
  size: number
}

/** How many of a table rise and fall: in a table that is not full as many in proportion, rounded up. */
export function zonesOf({ levels, size }: Rules, level: number, members: number) {
  const { up = 0, down = 0 } = levels[level] ?? {}
  const shareOf = (count: number) => Math.ceil((count * Math.min(members, size)) / size)
  return { up: level < levels.length - 1 ? shareOf(up) : 0, down: level > 0 ? shareOf(down) : 0 }
}

/**
 * By points; with equal points, who reached them first is ahead. Who earned nothing leaves. Of the others the best rise and the last fall;
 * who rises does not fall, nor does who is first.
 */
export function rankTable<Of extends Member>(
  members: Of[],
  { up, down }: { up: number; down: number },
): Ranked<Of>[] {
  const timeOf = ({ reachedAt }: Of) => reachedAt?.getTime() ?? Infinity
  const sorted = members.toSorted(
    (a, b) =>
      b.points - a.points || (timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : a.seat - b.seat),
  )
  const scorers = sorted.filter(({ points }) => points > 0).length
  const zoneOf = (rank: number): Zone => {
    if (rank > scorers) return 'leaves'
    if (rank <= up) return 'up'
    return rank > 1 && rank > scorers - down ? 'down' : 'stays'
  }
  return sorted.map((member, index) => ({ ...member, rank: index + 1, zone: zoneOf(index + 1) }))
}
