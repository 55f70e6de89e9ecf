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

/** As `countQueries`, for the statements of units of work. */
export async function countStatements(db: Pick<Database, 'write'>, work: () => Promise<unknown>) {
  let count = 0
  const write = db.write.bind(db)
  const counting = spyOn(db, 'write')
  counting.mockImplementation((async (run: Parameters<Database['write']>[0]) => {
    const spies: { mock: { calls: unknown[] }; mockRestore(): void }[] = []
    try {
      return await write(tx => {
        spies.push(spyOn(tx.statements, 'get'), ...BUILDERS.map(name => spyOn(tx, name)))
        return run(tx)
      })
    } finally {
      // With what is written at the end of the unit of work.
      count += spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
      for (const spy of spies) spy.mockRestore()
    }
  }) as Database['write'])
  try {
    await work()
    return count
  } finally {
    counting.mockRestore()
  }
}

const BUILDERS = ['select', 'insert', 'update', 'delete'] as const
