/** When commands of maintenance last ended well: in the database, since they run in other processes than the metrics. */
import type { Reader, Transaction } from '../../../db/index.ts'

export type MaintenanceCommand =
  | 'backup'
  | 'verify-ledger'
  | 'verify-quests'
  | 'verify-audit'
  | 'verify-pictures'

export async function recordRun(tx: Transaction, command: MaintenanceCommand): Promise<void> {
  const { maintenanceRuns: runs } = tx.tables
  const finishedAt = tx.now()
  await tx
    .insert(runs)
    .values({ command, finishedAt })
    .onConflictDoUpdate({ target: runs.command, set: { finishedAt } })
}

/** By command; without those that never ended well. */
export async function readRuns(reader: Reader): Promise<Map<string, Date>> {
  const rows = await reader.select().from(reader.tables.maintenanceRuns)
  return new Map(rows.map(({ command, finishedAt }) => [command, finishedAt]))
}
