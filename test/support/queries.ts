/** Counts what is asked of the database outside units of work. */
import { spyOn } from 'bun:test'
import type { Database } from '../../db/index.ts'

/**
 * Queries that `work` puts to `db.read`, whether built for the occasion or prepared. A prepared one that is built in `work`
 * counts twice: let the work be done once before.
 */
export async function countQueries({ read }: Pick<Database, 'read'>, work: () => Promise<unknown>) {
  const built = spyOn(read, 'select')
  const prepared = spyOn(read.statements, 'get')
  try {
    await work()
    return built.mock.calls.length + prepared.mock.calls.length
  } finally {
    built.mockRestore()
    prepared.mockRestore()
  }
}
