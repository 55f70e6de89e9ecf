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
