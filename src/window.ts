/** When an entry of the catalogue, a reward or a pack, can be had: its flag is on and its window is open. */
import { and, type Column, eq, gt, isNull, lte, or } from 'drizzle-orm'

interface Windowed {
  active: boolean
  startsAt: Date | null
  endsAt: Date | null
}

/** From `startsAt` on, until before `endsAt`. */
export function isActive({ active, startsAt, endsAt }: Windowed, now: Date): boolean {
  return active && (!startsAt || startsAt <= now) && (!endsAt || now < endsAt)
}

/** The same rule as a condition on a table. */
export function activeAt(table: Record<keyof Windowed, Column>, now: Date) {
  return and(
    eq(table.active, true),
    or(isNull(table.startsAt), lte(table.startsAt, now)),
    or(isNull(table.endsAt), gt(table.endsAt, now)),
  )
}
