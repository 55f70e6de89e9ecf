/**
 * The draw of a league head to head. It follows from the seed of the league, the number of the round and the numbers of the members:
 * anybody can compute it. `docs/leagues.md` has the rules, and an example that a test runs.
 */
import { createHash } from 'node:crypto'

/** Members who play each other, by their numbers. `away` is null for the one without an opponent. */
export interface Pair {
  home: number
  away: number | null
}

const hashOf = (seed: string, member: number) =>
  createHash('sha256').update(`${seed}:${member}`).digest('hex')

/** The pairs of a round, the first round being 1. Members stay in the order of their hashes, and the circle method rotates them. */
export function drawRound(seed: string, round: number, members: number[]): Pair[] {
  const hashed = members.map(member => ({ member, hash: hashOf(seed, member) }))
  const places: (number | null)[] = hashed
    .toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
    .map(({ member }) => member)
  if (places.length % 2 === 1) places.push(null)
  const [first = null, ...others] = places
  if (first === null) return []
  const shift = (round - 1) % others.length
  const circle = [first, ...others.slice(others.length - shift), ...others.slice(0, others.length - shift)]
  const half = circle.slice(0, circle.length / 2)
  return half.map((one, position) => {
    const other = circle[circle.length - 1 - position] ?? null
    const [home, away] = (round - 1 + position) % 2 === 0 ? [one, other] : [other, one]
    // Guarantee of the default: at most one of the two is null.
    return home === null ? { home: away ?? 0, away: null } : { home, away }
  })
}
