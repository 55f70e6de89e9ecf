/** The figures of each day. */
import type { ColumnKit } from '../columns.ts'

export function defineDaysTables(kit: ColumnKit) {
  const { table, id, integer } = kit

  /**
   * Figures of each day (UTC), counted once after its end: later, events lose their data, and counting again would be slow.
   */
  const dailyFigures = table('daily_figures', {
    /** `2026-11-25` */
    day: id().primaryKey(),
    newFans: integer().notNull(),
    onboardings: integer().notNull(),
    /** Fans with at least one event. */
    activeFans: integer().notNull(),
    pointsGranted: integer().notNull(),
    pointsSpent: integer().notNull(),
    /** Expired, or taken back. */
    pointsTaken: integer().notNull(),
    claims: integer().notNull(),
    redemptions: integer().notNull(),
    orders: integer().notNull(),
    packs: integer().notNull(),
  })

  return { dailyFigures }
}
