import type { Transaction } from '../../db/index.ts'
import { type MaintenanceCommand, recordRun } from '../../src/platform/jobs/maintenance.ts'
import { openExisting } from './database.ts'
import { explainError } from './explain.ts'

/**
 * Records the success of a command for the metrics, if `isComplete`. A failure to record it, for example with a read-only role, does not fail
 * the command.
 */
export async function recordMaintenance(
  url: string,
  command: MaintenanceCommand,
  note: (line: string) => void,
  isComplete: (tx: Transaction) => Promise<boolean> = async () => true,
): Promise<void> {
  try {
    const db = await openExisting(url)
    const record = async (tx: Transaction) => void ((await isComplete(tx)) && (await recordRun(tx, command)))
    await db.write(record).finally(() => db.close())
  } catch (error) {
    note(`This run is missing in the metrics: ${explainError(error)}`)
  }
}
