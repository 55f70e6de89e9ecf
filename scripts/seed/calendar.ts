/**
 * The times of a demonstration, all relative to the instant for which it is seeded. The catalogue keeps the instant: a later
 * run on another day finds it there, and draws the same rows.
 */
import { inArray, min } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { teams } from './demo-catalogue.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Between the creation of the catalogue and the seed. */
const CATALOGUE_AGE_MS = 210 * DAY_MS
/** Between the first fan and the seed. */
const SEASON_AGE_MS = 180 * DAY_MS
/** The last fan has some days to act. */
export const JOINING_MS = 176 * DAY_MS
/** Fans act until then, and afterwards only in and around the stadium. */
const QUIET_MS = 4 * HOUR_MS

export interface Calendar {
  /** The instant of the seed: only what is to come is later. */
  now: Date
  /** When the catalogue was made: before every fan. */
  created: Date
  /** When the first fans join. */
  opened: Date
  /** When fans have done what they do at home. */
  quiet: Date
  /** So many days after the instant, or before it. */
  inDays(days: number): Date
  /** The same on the evening of that day, when matches begin. */
  eveningIn(days: number): Date
}

export function calendarOf(instant: Date): Calendar {
  const now = instant.getTime() - (instant.getTime() % MINUTE_MS)
  const midnight = now - (now % DAY_MS)
  return {
    now: new Date(now),
    created: new Date(now - CATALOGUE_AGE_MS),
    opened: new Date(now - SEASON_AGE_MS),
    quiet: new Date(now - QUIET_MS),
    inDays: days => new Date(now + days * DAY_MS),
    eveningIn: days => new Date(midnight + days * DAY_MS + 18.5 * HOUR_MS),
  }
}

/** The calendar of the seeded catalogue; without one, that of `instant`. */
export async function readCalendar(reader: Reader | null, instant: Date): Promise<Calendar> {
  const created = reader && (await findCreated(reader))
  const known = created && new Date(created.getTime() + CATALOGUE_AGE_MS)
  // A club may have a team of the same id.
  return calendarOf(known && known <= instant ? known : instant)
}

async function findCreated(reader: Reader): Promise<Date | null> {
  const { teams: table } = reader.tables
  const ids = teams.map(([id]) => id)
  const [row] = await reader
    .select({ first: min(table.createdAt) })
    .from(table)
    .where(inArray(table.id, ids))
  return row?.first ?? null
}
