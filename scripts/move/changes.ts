/**
 * Follows the changes of a source that is in use. Triggers write the key of each changed row into a table next to the others, in the
 * unit of work of the change: a committed change has its key there, whichever program made it.
 */
import { type SQL, sql } from 'drizzle-orm'
import { MOVED } from '../../db/errors.ts'
import type { Database, Reader, Transaction } from '../../db/index.ts'
import { followMarker } from '../../db/marker.ts'
import type { Row } from '../../db/pages.ts'
import { columnOf, nameIn, runStatement, type Shape, tableBeside } from '../../db/schema/shape.ts'
import { isArchiving } from '../../src/operate/admin/archive/archive-run.ts'
import { failDeadRuns } from '../../src/platform/jobs/runs.ts'
import { fail } from '../command/explain.ts'
import { type MovedTable, tablesToMove } from './copy.ts'

const CHANGES = '__matchday_move_changes'
const FUNCTION = '__matchday_move_note'
const REFUSE = '__matchday_move_refuse'

/** A key as text: the JSON array of its columns. */
export interface Change {
  id: number
  table: string
  key: string
}

/** A database whose triggers are made and dropped. */
type Source = Pick<Database, 'engine' | 'tables' | 'read' | 'write'>

const triggerOf = (shape: Shape, event: string) => `__matchday_move_${shape.name}_${event}`
const columnNames = ({ columns, key }: Shape) =>
  key.map(property => columns.find(column => column.property === property)?.name ?? property)

/** Whether an earlier run follows this source. */
export const isFollowed = async (source: Source, reader: Reader = source.read): Promise<boolean> =>
  (await followMarker.read(source, reader)) !== undefined

const schemaOf = ({ tables }: Pick<Database, 'tables'>) => tablesToMove(tables)[0]?.shape.schema ?? null

/**
 * Begins to follow, for the target with this fingerprint. All in one unit of work: there is no change between the triggers of two
 * tables.
 */
export const follow = (source: Source, target: string) =>
  source.write(async tx => {
    await lockTables(source, tx)
    // An archive whose process made no progress for a minute must not continue afterwards.
    await failDeadRuns(tx)
    await requireNoArchive(tx)
    for (const statement of source.engine === 'sqlite' ? sqliteTriggers(source) : postgresTriggers(source))
      await runStatement(tx, sql.raw(statement))
    await followMarker.write(tx, target)
  })

/** @throws CommandFailure while an archive runs: what it deletes could not be deleted in the target */
export async function requireNoArchive(source: Reader): Promise<void> {
  if (await isArchiving(source)) fail('An archive of this database is running: move when it has ended.')
}

/** @throws CommandFailure while a live move follows the database */
export async function requireUnfollowed(source: Source, reader: Reader = source.read): Promise<void> {
  if (await isFollowed(source, reader))
    fail('A live move follows this database: complete it, or end it with --abort.')
}

/** The source is as it was before the move, and takes writes. */
export const unfollow = (source: Source) =>
  source.write(async tx => {
    if (source.engine === 'postgres') {
      for (const name of [FUNCTION, REFUSE])
        await runStatement(tx, sql.raw(`DROP FUNCTION IF EXISTS ${nameIn(schemaOf(source), name)} CASCADE`))
    } else {
      for (const { shape } of tablesToMove(source.tables))
        for (const event of ['insert', 'update', 'delete'])
          await runStatement(tx, sql.raw(`DROP TRIGGER IF EXISTS "${triggerOf(shape, event)}"`))
      await dropSqliteRefusals(source, tx)
    }
    await runStatement(tx, sql`DROP TABLE IF EXISTS ${tableBeside(source, CHANGES)}`)
    await followMarker.remove(tx)
  })

/** Whether the source refuses writes. */
export async function isRefusing(source: Source): Promise<boolean> {
  const [first] = tablesToMove(source.tables)
  const exists =
    source.engine === 'sqlite'
      ? sql`SELECT name FROM sqlite_master WHERE type = 'trigger' AND name = ${first ? triggerOf(first.shape, 'refuse_insert') : ''}`
      : sql`SELECT proname FROM pg_proc JOIN pg_namespace AS space ON space.oid = pronamespace
          WHERE proname = ${REFUSE} AND nspname = coalesce(${schemaOf(source)}, current_schema())
            AND strpos(prosrc, ${MOVED}) > 0`
  return (await runStatement(source.read, exists)).length > 0
}

/** The source takes writes again, and is still followed. Locks no table of PostgreSQL, since a backup may hold them for hours. */
export const allowWrites = (source: Source) =>
  source.write(async tx => {
    if (source.engine === 'sqlite') await dropSqliteRefusals(source, tx)
    else await runStatement(tx, sql.raw(refusalOf(source, 'RETURN NULL;')))
  })

async function dropSqliteRefusals({ tables }: Source, tx: Transaction): Promise<void> {
  for (const { shape } of tablesToMove(tables))
    for (const event of ['insert', 'update', 'delete'])
      await runStatement(tx, sql.raw(`DROP TRIGGER IF EXISTS "${triggerOf(shape, `refuse_${event}`)}"`))
}

/** From its commit on, the source refuses writes: nothing that follows is lost, since nothing follows. Repeatable. */
export const refuseWrites = (source: Source) =>
  source.write(async tx => {
    await lockTables(source, tx)
    for (const statement of source.engine === 'sqlite' ? sqliteRefusals(source) : postgresRefusals(source))
      await runStatement(tx, sql.raw(statement))
  })

/** Waits for running writers of PostgreSQL. On SQLite a unit of work is the only writer. */
async function lockTables(source: Source, tx: Transaction): Promise<void> {
  if (source.engine === 'sqlite') return
  const names = tablesToMove(source.tables).map(({ shape }) => shape.sql)
  await runStatement(tx, sql.raw(`LOCK TABLE ${names.join(', ')} IN SHARE ROW EXCLUSIVE MODE`))
}

function* sqliteTriggers({ tables }: Source): Generator<string> {
  yield `CREATE TABLE "${CHANGES}" (id integer PRIMARY KEY AUTOINCREMENT, "table" text NOT NULL, key text NOT NULL)`
  for (const { shape } of tablesToMove(tables)) {
    const keyOf = (row: string) =>
      `json_array(${columnNames(shape)
        .map(name => `${row}."${name}"`)
        .join(', ')})`
    const note = (row: string) =>
      `INSERT INTO "${CHANGES}" ("table", key) VALUES ('${shape.name}', ${keyOf(row)});`
    const bodies = { insert: note('NEW'), update: `${note('OLD')} ${note('NEW')}`, delete: note('OLD') }
    for (const [event, body] of Object.entries(bodies))
      yield `CREATE TRIGGER "${triggerOf(shape, event)}" AFTER ${event.toUpperCase()} ON "${shape.name}" BEGIN ${body} END`
  }
}

function* sqliteRefusals({ tables }: Source): Generator<string> {
  for (const { shape } of tablesToMove(tables))
    for (const event of ['insert', 'update', 'delete'])
      yield `CREATE TRIGGER IF NOT EXISTS "${triggerOf(shape, `refuse_${event}`)}" BEFORE ${event.toUpperCase()} ON "${shape.name}"
        BEGIN SELECT RAISE(ABORT, '${MOVED}'); END`
}

function* postgresTriggers(source: Source): Generator<string> {
  const schema = schemaOf(source)
  const changes = nameIn(schema, CHANGES)
  yield `CREATE TABLE ${changes} (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "table" text NOT NULL, key text NOT NULL)`
  // As its owner: the role of the API needs no right on the table of changes.
  yield `CREATE FUNCTION ${nameIn(schema, FUNCTION)}() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path FROM CURRENT AS $$
    BEGIN
      IF TG_OP <> 'INSERT' THEN
        INSERT INTO ${changes} ("table", key) SELECT TG_TABLE_NAME, jsonb_agg(to_jsonb(OLD) -> name ORDER BY at)::text
          FROM unnest(TG_ARGV) WITH ORDINALITY AS k (name, at);
      END IF;
      IF TG_OP <> 'DELETE' THEN
        INSERT INTO ${changes} ("table", key) SELECT TG_TABLE_NAME, jsonb_agg(to_jsonb(NEW) -> name ORDER BY at)::text
          FROM unnest(TG_ARGV) WITH ORDINALITY AS k (name, at);
      END IF;
      RETURN NULL;
    END $$`
  for (const { shape } of tablesToMove(source.tables)) {
    const key = columnNames(shape).map(name => `'${name}'`)
    yield `CREATE TRIGGER ${FUNCTION} AFTER INSERT OR UPDATE OR DELETE ON ${shape.sql}
      FOR EACH ROW EXECUTE FUNCTION ${nameIn(schema, FUNCTION)}(${key.join(', ')})`
  }
}

const refusalOf = (source: Source, body: string) =>
  `CREATE OR REPLACE FUNCTION ${nameIn(schemaOf(source), REFUSE)}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN ${body} END $$`

function* postgresRefusals(source: Source): Generator<string> {
  // As a server that became read-only.
  yield refusalOf(source, `RAISE EXCEPTION '${MOVED}' USING ERRCODE = 'read_only_sql_transaction';`)
  for (const { shape } of tablesToMove(source.tables))
    yield `CREATE OR REPLACE TRIGGER ${REFUSE} BEFORE INSERT OR UPDATE OR DELETE ON ${shape.sql}
      FOR EACH STATEMENT EXECUTE FUNCTION ${nameIn(schemaOf(source), REFUSE)}()`
}

export async function countChanges(source: Source): Promise<number> {
  const [row] = await runStatement(
    source.read,
    sql`SELECT count(*) AS changes FROM ${tableBeside(source, CHANGES)}`,
  )
  return Number(row?.changes)
}

export async function readChanges(source: Source, max: number): Promise<Change[]> {
  const rows = await runStatement(
    source.read,
    sql`SELECT id, "table", key FROM ${tableBeside(source, CHANGES)} ORDER BY id LIMIT ${max}`,
  )
  const byName = new Map(tablesToMove(source.tables).map(moved => [moved.shape.name, moved]))
  return rows.flatMap(({ id, table, key }) => {
    const moved = byName.get(String(table))
    return moved
      ? { id: Number(id), table: moved.shape.name, key: JSON.stringify(readKey(moved, String(key))) }
      : []
  })
}

/** The values of a key, as in a row. Triggers write a boolean of SQLite as 0 or 1, and a time in the form of the engine. */
function readKey({ table, shape }: Pick<MovedTable, 'table' | 'shape'>, key: string): unknown[] {
  // Guarantee of the cast: the triggers write the columns of the key.
  const values = JSON.parse(key) as (string | number | boolean)[]
  return shape.key.map((property, index) => {
    const [type, value = ''] = [columnOf(table, property).dataType, values[index]]
    if (type === 'date') return new Date(Number(value) || String(value))
    return type === 'boolean' ? Boolean(value) : value
  })
}

export const forgetChanges = (source: Source, ids: number[]) =>
  source.write(tx =>
    runStatement(
      tx,
      source.engine === 'sqlite'
        ? sql`DELETE FROM ${tableBeside(source, CHANGES)} WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
        : sql`DELETE FROM ${tableBeside(source, CHANGES)} WHERE id IN (SELECT value::bigint FROM json_array_elements_text(${JSON.stringify(ids)}::text::json))`,
    ),
  )

/** Notes rows of the source that are to be copied again. */
export async function noteKeys(source: Source, { shape }: MovedTable, keys: unknown[][]): Promise<void> {
  if (keys.length === 0) return
  await source.write(async tx => {
    for (const key of keys)
      await runStatement(
        tx,
        sql`INSERT INTO ${tableBeside(source, CHANGES)} ("table", key) VALUES (${shape.name}, ${JSON.stringify(key)})`,
      )
  })
}

/** Keys of one statement. */
const KEYS = 200

/** Rows by their keys, as text. */
export async function findRows(
  reader: Reader,
  { table, shape }: MovedTable,
  keys: string[],
): Promise<Map<string, Row>> {
  const found = new Map<string, Row>()
  const list = (values: SQL[]) => sql`(${sql.join(values, sql`, `)})`
  const columns = list(shape.key.map(property => sql`${columnOf(table, property)}`))
  for (let first = 0; first < keys.length; first += KEYS) {
    const wanted = keys.slice(first, first + KEYS).map(key => readKey({ table, shape }, key))
    const encoders = shape.key.map(property => columnOf(table, property))
    const tuples = wanted.map(values =>
      list(values.map((value, index) => sql`${sql.param(value, encoders[index])}`)),
    )
    const among = reader
      .select()
      .from(table)
      .where(sql`${columns} in (${sql.join(tuples, sql`, `)})`)
    for (const row of await among)
      found.set(JSON.stringify(shape.key.map(property => (row as Row)[property])), row)
  }
  return found
}
