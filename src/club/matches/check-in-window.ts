/** When fans can check in at a match. */

const HOUR_MS = 3_600_000
/** Before and after kick-off, inclusive. */
const OPEN_MS = 3 * HOUR_MS

/** Without postponed and cancelled. */
export const CHECK_IN_STATUSES = ['scheduled', 'live', 'finished']

/** The range of kick-offs of matches with open check-in at a time, both ends inclusive. */
export const kickoffsAround = (now: Date) => ({
  from: new Date(now.getTime() - OPEN_MS),
  to: new Date(now.getTime() + OPEN_MS),
})

/** Null: not at all. Both ends are inclusive. */
export function checkInOf({ status, kickoffAt }: { status: string; kickoffAt: Date }) {
  if (!CHECK_IN_STATUSES.includes(status)) return null
  const at = (ms: number) => new Date(kickoffAt.getTime() + ms)
  return { opensAt: at(-OPEN_MS), closesAt: at(OPEN_MS) }
}
