/** The events of fans as other systems get them, with those that have no row of their own. */
import { and, asc, isNotNull, type SQL } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { unfold } from '../../src/economy/events/folded.ts'

/** By fan and sequence. `condition`: of the rows into which others are folded. */
export async function readToldEvents(reader: Reader, condition?: SQL) {
  const { events } = reader.tables
  const rows = await reader
    .select()
    .from(events)
    .where(and(isNotNull(events.userId), condition))
    .orderBy(asc(events.userId), asc(events.sequence))
  return unfold(reader, rows)
}
