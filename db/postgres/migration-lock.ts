/**
 * The lock of migrations, a row: PostgreSQL releases it when the connection of its holder ends. Not an advisory lock, which
 * YugabyteDB has only since 2025.1.
 */
import type { Run } from '../migration-journal.ts'

const TABLE = '"__matchday_migration_lock"'
const CREATE = `CREATE TABLE IF NOT EXISTS ${TABLE} (id integer PRIMARY KEY)`
const INSERT = `INSERT INTO ${TABLE} VALUES (1) ON CONFLICT DO NOTHING`
const EXISTS = `SELECT 1 FROM pg_class WHERE oid = to_regclass('${TABLE}')`

/** Within an open transaction, until it ends. */
export const LOCK_MIGRATIONS = `SELECT id FROM ${TABLE} WHERE id = 1 FOR UPDATE`

const ATTEMPTS = 5

/** Creates the row that `LOCK_MIGRATIONS` locks. Outside of a transaction. */
export async function createMigrationLock(run: Run): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      if ((await run(EXISTS)).length === 0) await run(CREATE)
      await run(INSERT)
      return
    } catch (error) {
      // Of two processes that create it at once, one fails, with a code that depends on the engine, the isolation and the moment.
      if (tries === ATTEMPTS) throw error
      await Bun.sleep(2 ** tries * 10)
    }
  }
}
