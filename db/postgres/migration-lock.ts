/**
 * The lock of migrations is a row lock: PostgreSQL releases it when the connection of its holder ends. It is not an advisory
 * lock, because YugabyteDB has these only since 2025.1.
 */
import { databaseCodeOf, SchemaError } from '../errors.ts'
import type { Run } from '../migration-journal.ts'

const TABLE = '"__matchday_migration_lock"'
const CREATE = `CREATE TABLE IF NOT EXISTS ${TABLE} (id integer PRIMARY KEY)`
const INSERT = `INSERT INTO ${TABLE} VALUES (1) ON CONFLICT DO NOTHING`
const EXISTS = `SELECT 1 FROM pg_class WHERE oid = to_regclass('${TABLE}')`

/** Within an open transaction, until it ends. */
export const LOCK_MIGRATIONS = `SELECT id FROM ${TABLE} WHERE id = 1 FOR UPDATE`

const ATTEMPTS = 5

/** The schema of DATABASE_SCHEMA does not exist. */
class MissingSchemaError extends SchemaError {
  constructor(schema: string) {
    super(
      `there is no schema ${schema}, and the role may not create it; as the owner of the database: ` +
        `CREATE SCHEMA ${schema} AUTHORIZATION the role of DATABASE_URL`,
    )
    this.name = 'MissingSchemaError'
  }
}

/** The role may not use the schema, whose tables look to it as if they were missing. */
class RefusedSchemaError extends SchemaError {
  constructor(schema: string) {
    super(
      `the role of DATABASE_URL may not use the schema ${schema}: it belongs to another role. Use that role, or as its owner: ` +
        `GRANT USAGE ON SCHEMA ${schema} TO the role of DATABASE_URL, with rights on its tables`,
    )
    this.name = 'RefusedSchemaError'
  }
}

/** For a schema in which no table is found. @throws RefusedSchemaError */
export async function requireUsableSchema(run: Run, schema: string): Promise<void> {
  const refused = await run(
    "SELECT 1 FROM pg_namespace WHERE nspname = $1 AND NOT has_schema_privilege(oid, 'USAGE')",
    [schema],
  )
  if (refused.length > 0) throw new RefusedSchemaError(schema)
}

const INSUFFICIENT_PRIVILEGE = 'SQLSTATE 42501'

/** With IF NOT EXISTS alone, a role that may not create schemas would be refused where the schema exists. */
async function createSchema(run: Run, schema: string): Promise<void> {
  if ((await run('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])).length > 0) return
  await run(`CREATE SCHEMA IF NOT EXISTS "${schema}"`).catch(error => {
    throw databaseCodeOf(error) === INSUFFICIENT_PRIVILEGE ? new MissingSchemaError(schema) : error
  })
}

/** Creates the row that `LOCK_MIGRATIONS` locks, and the schema. Outside of a transaction. @throws MissingSchemaError */
export async function createMigrationLock(run: Run, schema: string | null): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      if (schema !== null) await createSchema(run, schema)
      if ((await run(EXISTS)).length === 0) await run(CREATE)
      await run(INSERT)
      return
    } catch (error) {
      // If two processes create it at once, one fails, with a code that depends on the engine, the isolation and the timing.
      if (tries === ATTEMPTS || error instanceof MissingSchemaError) throw error
      await Bun.sleep(2 ** tries * 10)
    }
  }
}
