/**
 * Times of the last success of maintenance commands. They are in the database, since commands and metrics run in different
 * processes.
 */
import type { Database, Reader, Transaction } from '../../../db/index.ts'

export type MaintenanceCommand =
  | 'automatic-leagues'
  | 'backup'
  | 'verify-ledger'
  | 'verify-quests'
  | 'verify-audit'
  | 'verify-pictures'
  | 'sweep-counts'

export async function recordRun(
  tx: Transaction,
  command: MaintenanceCommand,
  finishedAt = tx.now(),
): Promise<void> {
  const { maintenanceRuns: runs } = tx.tables
  await tx
    .insert(runs)
    .values({ command, finishedAt })
    .onConflictDoUpdate({ target: runs.command, set: { finishedAt } })
}

/** By command, without commands that never succeeded. */
export async function readRuns(reader: Reader): Promise<Map<string, Date>> {
  const rows = await reader.select().from(reader.tables.maintenanceRuns)
  return new Map(rows.map(({ command, finishedAt }) => [command, finishedAt]))
}

const DAY_MS = 86_400_000

/** Runs `work` if no process has finished it in the last day. `work` returns whether it has finished. */
export async function onceADay(
  db: Pick<Database, 'read' | 'write'>,
  command: MaintenanceCommand,
  work: () => Promise<boolean>,
): Promise<void> {
  const last = (await readRuns(db.read)).get(command)
  if (last && db.read.now().getTime() - last.getTime() < DAY_MS) return
  if (await work()) await db.write(tx => recordRun(tx, command))
}
