/** The schema of a PostgreSQL database, read from its system catalogue. */
import type { Row } from './probe.ts'

const QUERIES = {
  columns: `SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name, datetime_precision
    FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position`,
  constraints: `SELECT conrelid::regclass::text AS on, conname, contype::text, condeferrable, convalidated,
      pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND conrelid <> 0 ORDER BY 1, 2`,
  indexes: `SELECT indexrelid::regclass::text AS name, indisvalid, amname AS method, pg_get_indexdef(indexrelid) AS definition
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
    WHERE relnamespace = current_schema()::regnamespace ORDER BY 1`,
  triggers: `SELECT tgname AS name, tgrelid::regclass::text AS on, pg_get_triggerdef(oid) AS definition
    FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1`,
  functions: `SELECT proname AS name, pg_get_functiondef(oid) AS definition
    FROM pg_proc WHERE pronamespace = current_schema()::regnamespace ORDER BY 1`,
  relations: `SELECT relname AS name, relkind::text AS kind, relpersistence::text AS persistence
    FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind <> 'i' ORDER BY 1`,
  parents: `SELECT inhrelid::regclass::text AS name FROM pg_inherits ORDER BY 1`,
}

export type Schema = Record<keyof typeof QUERIES, Row[]>

/** Without the tables of the migrator. */
export async function schemaOf(run: (statement: string) => Promise<Row[]>): Promise<Schema> {
  const isOurs = (row: Row) => !/__(drizzle|matchday)/.test(String(row.table_name ?? row.on ?? row.name))
  const read = async (query: string) => (await run(query)).filter(isOurs)
  const { columns, constraints, indexes, triggers, functions, relations, parents } = QUERIES
  return {
    columns: await read(columns),
    constraints: await read(constraints),
    indexes: await read(indexes),
    triggers: await read(triggers),
    functions: await read(functions),
    relations: await read(relations),
    parents: await read(parents),
  }
}
