/** Systems to which all events are published. */
import { sql } from 'drizzle-orm'
import type { ColumnKit } from '../columns.ts'

export function defineEventSinkTables(kit: ColumnKit) {
  const { table, id, integer, timestamp } = kit

  /** Systems to which all events are published. */
  const eventSinks = table(
    'event_sinks',
    {
      name: id().primaryKey(),
      /** All events up to this position are published or need no publication. */
      position: integer().notNull(),
      /** The process that publishes, until `leaseEndsAt` at the latest. */
      leaseHolder: id(),
      leaseEndsAt: timestamp(),
    },
    t => [kit.check('event_sinks_lease', sql`(${t.leaseHolder} is null) = (${t.leaseEndsAt} is null)`)],
  )

  return { eventSinks }
}
