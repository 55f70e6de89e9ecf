/** The periods of a fan's memberships: which are active, since when without a gap, and which follow another. */
import type { Tables } from '../../../db/index.ts'

export type MembershipRow = Tables['fanMemberships']['$inferSelect']

type Period = Pick<MembershipRow, 'startsAt' | 'endsAt'>

export type MembershipState = 'upcoming' | 'active' | 'ended'

export function stateAt({ startsAt, endsAt }: Period, now: Date): MembershipState {
  // The same: it was ended before it started.
  if (endsAt <= now || +startsAt === +endsAt) return 'ended'
  return startsAt <= now ? 'active' : 'upcoming'
}

/** Not one that was ended before it started. */
export const hadStarted = ({ startsAt, endsAt }: Period, now: Date): boolean =>
  startsAt <= now && startsAt < endsAt

/** When the state changes next. */
export function nextChange(period: Period, now: Date): Date | null {
  const state = stateAt(period, now)
  if (state === 'ended') return null
  return state === 'active' ? period.endsAt : period.startsAt
}

type Named = Period & Pick<MembershipRow, 'ref' | 'kindId'>

/** Those of the same kind that were not ended before they started. */
const ofKind = <Row extends Named>({ kindId }: Named, rows: Row[]) =>
  rows.filter(row => row.kindId === kindId && row.startsAt < row.endsAt)

/** The start of the unbroken memberships of its kind. `rows`: all of the fan. */
export function sinceOf(row: Named, rows: Named[]): Date {
  let since = row.startsAt
  for (const { startsAt, endsAt } of ofKind(row, rows).toSorted((a, b) => +b.startsAt - +a.startsAt))
    if (startsAt < since && endsAt >= since) since = startsAt
  return since
}

/** Whether it follows another membership of its kind without a gap. */
export const isRenewal = (row: Named, rows: Named[]): boolean =>
  ofKind(row, rows).some(
    other => other.ref !== row.ref && other.startsAt < row.startsAt && other.endsAt >= row.startsAt,
  )

/** Whether another membership of its kind is active. */
export const isContinued = (row: Named, rows: Named[], now: Date): boolean =>
  ofKind(row, rows).some(other => other.ref !== row.ref && stateAt(other, now) === 'active')
