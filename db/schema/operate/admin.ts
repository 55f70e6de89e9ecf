/** What operators did last. */
import type { ColumnKit } from '../columns.ts'

export function defineAdminTables(kit: ColumnKit) {
  const { table, id, timestamp } = kit

  /** When each command of maintenance last ended well, for the metrics. */
  const maintenanceRuns = table('maintenance_runs', {
    /** `backup`, `verify-ledger` or `verify-quests`. */
    command: id().primaryKey(),
    finishedAt: timestamp().notNull(),
  })

  return { maintenanceRuns }
}
