/**
 * Migrations where each DDL statement commits by itself: on YugabyteDB. A process may end between any two statements, or while
 * one runs. So the progress is recorded, and a statement whose outcome is unknown is repeated.
 */
import { isAlreadyDone, isRefusedStatement } from '../errors.ts'
import type { Migration } from '../expected-schema.ts'
import { openJournal, type Run, recordMigration } from '../migration-journal.ts'
import { isStatementTrigger, withoutComments } from './portable.ts'

const PROGRESS = '"__matchday_migration_progress"'

/** `begun`: the statement after the `done` ones has started, and its outcome is unknown. */
interface Progress {
  done: number
  begun: boolean
}

/**
 * Applies migrations in order, and records each when all of its statements are done. The caller holds the lock of migrations.
 * @param run on one connection, outside of a transaction
 */
export async function applyByStatement(migrations: Migration[], run: Run): Promise<void> {
  await openJournal('postgres', run)
  await run(
    `CREATE TABLE IF NOT EXISTS ${PROGRESS} (created_at bigint PRIMARY KEY, done integer NOT NULL, begun boolean NOT NULL)`,
  )
  for (const migration of migrations) await applyMigration(migration, run)
}

async function applyMigration(migration: Migration, run: Run): Promise<void> {
  const at = migration.folderMillis
  await run(`INSERT INTO ${PROGRESS} VALUES ($1, 0, false) ON CONFLICT DO NOTHING`, [at])
  const [row] = await run(`SELECT done, begun FROM ${PROGRESS} WHERE created_at = $1`, [at])
  let { done, begun } = { done: Number(row?.done), begun: row?.begun === true }

  /** @throws when another process has gone on: the connection that held the lock was lost */
  async function write(progress: Progress) {
    const rows = await run(
      `UPDATE ${PROGRESS} SET done = $2, begun = $3 WHERE created_at = $1 AND done = $4 RETURNING done`,
      [at, progress.done, progress.begun, done],
    )
    if (rows.length === 0) throw new Error('another process is migrating this database')
  }

  for (const statement of migration.sql.filter(sql => !isStatementTrigger(sql)).slice(done)) {
    const after = { done: done + 1, begun: false }
    if (changesData(statement)) {
      await atomically(run, async () => {
        await run(statement)
        await write(after)
      })
    } else {
      await write({ done, begun: true })
      await define(statement, run, begun).catch(async error => {
        if (isRefusedStatement(error)) await write({ done, begun: false })
        throw error
      })
      await write(after)
    }
    done = after.done
    begun = false
  }
  await atomically(run, async () => {
    await recordMigration('postgres', migration, run)
    await run(`DELETE FROM ${PROGRESS} WHERE created_at = $1`, [at])
  })
}

const changesData = (statement: string) => /^(INSERT|UPDATE|DELETE|WITH)\b/i.test(withoutComments(statement))

/** @param begun whether the statement may already be done */
async function define(statement: string, run: Run, begun: boolean): Promise<void> {
  const [, index] = /^CREATE (?:UNIQUE )?INDEX ("\w+")/.exec(withoutComments(statement)) ?? []
  // An index whose creation was interrupted may exist and be invalid.
  if (begun && index !== undefined) await run(`DROP INDEX IF EXISTS ${index}`)
  try {
    await run(statement)
  } catch (error) {
    if (!begun || !isAlreadyDone(error)) throw error
  }
}

async function atomically(run: Run, work: () => Promise<void>): Promise<void> {
  await run('BEGIN')
  try {
    await work()
    await run('COMMIT')
  } catch (error) {
    await run('ROLLBACK').catch(() => {})
    throw error
  }
}
