/** What operators did last, and figures for them. */
import type { ColumnKit } from '../columns.ts'

export function defineAdminTables(kit: ColumnKit) {
  const { table, id, integer, timestamp } = kit

  /** When each command of maintenance last ended well, for the metrics. */
  const maintenanceRuns = table('maintenance_runs', {
    /** `backup`, `verify-ledger` or `verify-quests`. */
    command: id().primaryKey(),
    finishedAt: timestamp().notNull(),
  })

  /** What happened on each day (UTC), counted once when it is over: events lose their data later, and are many. */
  const dailyFigures = table('daily_figures', {
    /** `2026-11-25` */
    day: id().primaryKey(),
    newFans: integer().notNull(),
    onboardings: integer().notNull(),
    /** Fans of whom anything was recorded. */
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

  return { maintenanceRuns, dailyFigures }
}
