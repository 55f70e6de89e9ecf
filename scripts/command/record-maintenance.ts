import { type MaintenanceCommand, recordRun } from '../../src/operate/admin/maintenance.ts'
import { openExisting } from './database.ts'
import { explainError } from './explain.ts'

/**
 * Records the success of a command for the metrics. A failure to record it, for example with a read-only role, does not fail
 * the command.
 */
export async function recordMaintenance(
  url: string,
  command: MaintenanceCommand,
  note: (line: string) => void,
): Promise<void> {
  try {
    const db = await openExisting(url)
    await db.write(tx => recordRun(tx, command)).finally(() => db.close())
  } catch (error) {
    note(`The metrics do not know of this run: ${explainError(error)}`)
  }
}
