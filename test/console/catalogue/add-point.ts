/** A number of each kind of entry that tests count with. */

type Members = Record<string, unknown>

const PLACES = [['pointsRequired'], ['points', 'fixed'], ['price', 'amount'], ['reward', 'points']] as const

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Members)[name] : undefined

/** The number, and where it is. */
export function pointsIn(entry: object): { at: (typeof PLACES)[number]; points: number } {
  for (const at of PLACES) {
    const points = at.reduce<unknown>(memberOf, entry)
    if (typeof points === 'number') return { at, points }
  }
  throw new Error('the entry has no number to count with')
}

/** The entry with one more. */
export function addPoint(entry: object): Members {
  const { at, points } = pointsIn(entry)
  const [outer, inner] = at
  const own = entry as Members
  if (inner === undefined) return { ...own, [outer]: points + 1 }
  return { ...own, [outer]: { ...(own[outer] as Members), [inner]: points + 1 } }
}
