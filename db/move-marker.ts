/** Marks a database as the target of an unfinished move, with the fingerprint of the source. Removed at the end of the move. */
import { sql } from 'drizzle-orm'
import { runStatement } from './schema/shape.ts'
import type { Database, Transaction } from './types.ts'

const NAME = '__matchday_move'
const table = sql.identifier(NAME)

/** The fingerprint of the source; undefined when no move is unfinished. */
export async function readMoveMarker(db: Database): Promise<string | undefined> {
  const exists =
    db.engine === 'sqlite'
      ? sql`SELECT name FROM sqlite_master WHERE type = 'table' AND name = ${NAME}`
      : sql`SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename = ${NAME}`
  if ((await runStatement(db.read, exists)).length === 0) return undefined
  const [row] = await runStatement(db.read, sql`SELECT source FROM ${table}`)
  return row && String(row.source)
}

/** Repeatable: on YugabyteDB the table is created even if the unit of work fails. */
export async function writeMoveMarker(tx: Transaction, source: string): Promise<void> {
  await runStatement(tx, sql`CREATE TABLE IF NOT EXISTS ${table} (source text NOT NULL)`)
  await runStatement(tx, sql`INSERT INTO ${table} VALUES (${source})`)
}

export async function removeMoveMarker(tx: Transaction): Promise<void> {
  await runStatement(tx, sql`DROP TABLE IF EXISTS ${table}`)
}
