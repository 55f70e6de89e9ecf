/** Marks a database in which long work is not finished. A marker is not a table of the schema, and is not copied. */
import { sql } from 'drizzle-orm'
import { runStatement, shapeOf, tableBeside } from './schema/shape.ts'
import type { Database, Reader, Transaction } from './types.ts'

function createMarker(name: string) {
  return {
    /** What `write` left; undefined when nothing is unfinished. */
    async read(
      db: Pick<Database, 'engine' | 'tables' | 'read'>,
      reader: Reader = db.read,
    ): Promise<string | undefined> {
      const exists =
        db.engine === 'sqlite'
          ? sql`SELECT name FROM sqlite_master WHERE type = 'table' AND name = ${name}`
          : sql`SELECT tablename FROM pg_tables WHERE tablename = ${name}
              AND schemaname = coalesce(${shapeOf(db.tables.users).schema}, current_schema())`
      if ((await runStatement(reader, exists)).length === 0) return undefined
      const [row] = await runStatement(reader, sql`SELECT source FROM ${tableBeside(db, name)}`)
      return row && String(row.source)
    },
    /** Repeatable: on YugabyteDB the table is created even if the unit of work fails. */
    async write(tx: Transaction, source: string): Promise<void> {
      const table = tableBeside(tx, name)
      await runStatement(tx, sql`CREATE TABLE IF NOT EXISTS ${table} (source text NOT NULL)`)
      await runStatement(tx, sql`INSERT INTO ${table} VALUES (${source})`)
    },
    async remove(tx: Transaction): Promise<void> {
      await runStatement(tx, sql`DROP TABLE IF EXISTS ${tableBeside(tx, name)}`)
    },
  }
}

/** Marks the target of an unfinished move, with the fingerprint of the source. */
export const moveMarker = createMarker('__matchday_move')

/** Marks the source of a live move, with the fingerprint of the target that its changes are noted for. */
export const followMarker = createMarker('__matchday_move_target')

/** Marks a database that `dev` began to seed, with the parameters of the seed. */
export const seedMarker = createMarker('__matchday_seed')
