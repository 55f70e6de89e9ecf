import { type MaintenanceCommand, recordRun } from '../../src/operate/admin/maintenance.ts'
import { openExisting } from './database.ts'
import { explainError } from './explain.ts'

/** Tells the metrics that a command ended well. It has succeeded even where this fails, such as for a role that only reads. */
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
