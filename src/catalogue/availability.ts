/** When an entry of the catalogue, a reward or a pack, can be had: its flag is on and its window is open. */
import { and, asc, type Column, eq, gt, isNull, lte, or, type Param } from 'drizzle-orm'
import type { Reader, Tables } from '../../db/index.ts'

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
export function activeAt(table: Record<keyof Windowed, Column>, now: Date | Param) {
  return and(
    eq(table.active, true),
    or(isNull(table.startsAt), lte(table.startsAt, now)),
    or(isNull(table.endsAt), gt(table.endsAt, now)),
  )
}

/** When the next of some windows opens or closes; null when none will. */
export function nextEdge(entries: Windowed[], now: Date): Date | null {
  const edges = entries.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt])
  const [first = null] = edges
    .filter(edge => edge !== null && edge > now)
    .toSorted((a, b) => Number(a) - Number(b))
  return first
}

/** A table of entries: rewards, packs and the like. */
type CatalogueTable = {
  [Name in keyof Tables]: Tables[Name] extends Record<keyof Windowed, Column> ? Tables[Name] : never
}[keyof Tables]

/** When the next window of a catalogue opens or closes; null when none will. */
export async function nextChange(reader: Reader, table: CatalogueTable, now: Date): Promise<Date | null> {
  const edges = [table.startsAt, table.endsAt].map(async edge => {
    const [next] = await reader
      .select({ at: edge })
      .from(table)
      .where(and(eq(table.active, true), gt(edge, now)))
      .orderBy(asc(edge))
      .limit(1)
    return next?.at ?? null
  })
  const [startsAt = null, endsAt = null] = await Promise.all(edges)
  return nextEdge([{ active: true, startsAt, endsAt }], now)
}
