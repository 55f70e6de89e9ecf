/**
 * Availability of a catalogue entry, such as a reward or a pack: its flag is on, and the current time is
 * between its start and end.
 */
import { and, asc, type Column, eq, gt, isNull, lte, or } from 'drizzle-orm'
import type { Reader, Tables } from '../../../db/index.ts'

interface Availability {
  active: boolean
  startsAt: Date | null
  endsAt: Date | null
}

export const isActive = (entry: Availability, now: Date): boolean => entry.active && isWithin(entry, now)

/** `startsAt` is inclusive, `endsAt` exclusive. */
export const isWithin = ({ startsAt, endsAt }: Omit<Availability, 'active'>, at: Date): boolean =>
  (!startsAt || startsAt <= at) && (!endsAt || at < endsAt)

/** The same rule as a condition on a table. */
export function activeAt(table: Record<keyof Availability, Column>, now: Date) {
  return and(
    eq(table.active, true),
    or(isNull(table.startsAt), lte(table.startsAt, now)),
    or(isNull(table.endsAt), gt(table.endsAt, now)),
  )
}

/** A table of entries: rewards, packs and the like. */
type CatalogueTable = Extract<Tables[keyof Tables], Record<keyof Availability, Column>>

/** When the next entry of a table starts or ends; null when none will. */
export async function readNextChange(reader: Reader, table: CatalogueTable, now: Date): Promise<Date | null> {
  const instants = [table.startsAt, table.endsAt].map(async column => {
    const [next] = await reader
      .select({ at: column })
      .from(table)
      .where(and(eq(table.active, true), gt(column, now)))
      .orderBy(asc(column))
      .limit(1)
    return next?.at ?? null
  })
  return earliest(await Promise.all(instants))
}

/** Null without an instant. */
export const earliest = (instants: (Date | null)[]): Date | null =>
  instants.reduce((first, at) => (first && (!at || first < at) ? first : at), null)
