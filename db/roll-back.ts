/** Dry runs: a unit of work that does everything and is rolled back. */
import type { Database, Transaction } from './index.ts'

class RolledBack extends Error {}

/** Runs `work` in a unit of work that is rolled back, and returns its result. */
export async function rollBack<Result>(
  db: Pick<Database, 'write'>,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  let done: { result: Result } | undefined
  try {
    await db.write(async tx => {
      done = { result: await work(tx) }
      throw new RolledBack()
    })
  } catch (error) {
    if (!(error instanceof RolledBack) || !done) throw error
    return done.result
  }
  throw new Error('a dry run was committed')
}
