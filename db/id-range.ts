/** Ranges of ids: large tables are checked range by range. */
import { and, type Column, eq, gt, inArray, lte, type SQL } from 'drizzle-orm'

/** Ids greater than `after` and up to `upTo`, where null means no bound; or a single id; or these. */
export type Range = Span | { only: string } | { among: string[] }
export interface Span {
  after: string | null
  upTo: string | null
}

export const EVERYONE: Span = { after: null, upTo: null }

export function inRange(column: Column, range: Range): SQL | undefined {
  if ('only' in range) return eq(column, range.only)
  if ('among' in range) return inArray(column, range.among)
  const { after, upTo } = range
  return and(after === null ? undefined : gt(column, after), upTo === null ? undefined : lte(column, upTo))
}

/** The first id of an instant. Ids are UUIDv7: the time of a fan and of an entry is that of the id, whose index is read. */
export function idFrom(instant: Date): string {
  const hex = Math.max(0, instant.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

/** The time of an id, in milliseconds. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** Clocks of processes differ by less than this. */
export const CLOCKS_DIFFER_MS = 3_600_000

/** The first id of an hour before or after an instant: no clock of a process is that far off. */
export const idAt = (instant: Date, hours: 1 | -1): string =>
  idFrom(new Date(instant.getTime() + hours * CLOCKS_DIFFER_MS))
