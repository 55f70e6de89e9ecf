/**
 * Refreshes planner statistics after a command has written many rows. A statement that PostgreSQL prepared while a table was small
 * keeps its plan, often a sequential scan, until ANALYZE runs. Autovacuum runs it within minutes; this runs it at once.
 */
import { sql } from 'drizzle-orm'
import { DatabaseError } from './errors.ts'
import { runStatement, shapeOf, tableBeside, tablesInOrder } from './schema/shape.ts'
import type { Database } from './types.ts'

/**
 * PostgreSQL plans a table that was never analyzed as if it had ten pages, which favours indexes. An analyzed empty table has
 * none, which favours sequential scans. So a smaller table is not analyzed.
 */
const MIN_PAGES = 10

/**
 * Analyzes each table that has at least doubled since its last ANALYZE, and returns their names. All connections of all
 * processes then plan their statements on these tables again. Does nothing on SQLite, whose plans here do not depend on size.
 */
export async function refreshStatistics(db: Database): Promise<string[]> {
  if (db.engine === 'sqlite') return []
  const ours = new Set(tablesInOrder(db.tables).map(({ shape }) => shape.name))
  const grown = await db.write(async tx => {
    // On Citus a table has no pages: its shard has, which is hidden and has a number after its name.
    await runStatement(tx, sql`SET LOCAL citus.override_table_visibility = off`)
    return runStatement(
      tx,
      sql`SELECT relname FROM (
        SELECT relname, relpages, pg_relation_size(pg_class.oid) / current_setting('block_size')::int AS pages
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE relkind = 'r' AND nspname = coalesce(${shapeOf(db.tables.users).schema}, current_schema())
      ) AS sized WHERE pages > ${MIN_PAGES} AND pages >= 2 * relpages`,
    )
  })
  const names = grown
    .map(({ relname }) => String(relname))
    .map(name => (ours.has(name) ? name : name.slice(0, name.lastIndexOf('_'))))
    .filter(name => ours.has(name))
  for (const name of names) {
    await db.write(tx => runStatement(tx, sql`ANALYZE ${tableBeside(tx, name)}`)).catch(leaveToAutovacuum)
  }
  return names
}

/** The rows are committed: an ANALYZE that exceeds the statement timeout must not fail the command. */
function leaveToAutovacuum(error: unknown): void {
  if (!(error instanceof DatabaseError) || error.fault !== 'busy') throw error
}
