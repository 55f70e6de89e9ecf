/** Whether a copy of a database can be relied on. */
import { DatabaseError } from '../../db/index.ts'
import { type Inspection, inspectSqlite } from '../../db/sqlite-copy.ts'
import { fail } from '../command/explain.ts'

/**
 * The one place where a copy is judged, after a backup and before a restore: what the file itself says, then what our
 * own rules say of its content. Fails with the first fault.
 */
export async function verifyCopy(path: string): Promise<Inspection> {
  const inspection = inspect(path)
  const [fault] = inspection.faults
  if (fault) fail(`${path} is damaged: ${fault}.`)
  if (inspection.migrations === 0) fail(`${path} is no database of Matchday.`)
  return inspection
}

function inspect(path: string): Inspection {
  try {
    return inspectSqlite(path)
  } catch (error) {
    if (error instanceof DatabaseError && error.fault === 'corrupt')
      fail(`${path} is no sound SQLite database.`)
    throw error
  }
}
