/** The tables of a database as its own catalogue describes them, in one form for both engines. */
import type { Run } from './probe.ts'

export interface TableDescription {
  /** By name. Types in lower case, with a collation other than the database's. */
  columns: { name: string; type: string; notNull: boolean; default: string | null }[]
  primaryKey: string[]
  /** `references`: TABLE(COLUMNS). */
  foreignKeys: { columns: string[]; references: string; onDelete: string; onUpdate: string }[]
  /** Without that of the primary key. `where`: null for all rows. */
  indexes: { name: string; unique: boolean; columns: string[]; where: string | null }[]
  checks: { name: string; expression: string }[]
}

type Engine = 'sqlite' | 'postgres'

/** Names of the tables, without those of the migrator and of SQLite. */
export async function readTableNames(run: Run, engine: Engine): Promise<string[]> {
  const names = await (engine === 'sqlite'
    ? run("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    : run(
        "SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')",
      ))
  return names
    .map(({ name }) => String(name))
    .filter(name => !name.startsWith('__'))
    .toSorted()
}

export const readTable = (run: Run, engine: Engine, name: string): Promise<TableDescription> =>
  engine === 'sqlite' ? readSqliteTable(run, name) : readPostgresTable(run, name)

/** The form in which `readTable` reports a condition on rows of a table. */
export const normalizeCondition = (run: Run, engine: Engine, table: string, condition: string) =>
  engine === 'sqlite' ? plain(condition) : asPostgresWritesIt(run, table, condition)

const plain = (sql: string) => sql.replace(/[`"]/g, '').replace(/\s+/g, ' ').trim()

/** The value of a literal: PostgreSQL tells the type of a text too. */
const literalIn = (literal: string) => literal.replace(/^'([^']*)'(?:::text)?$/, '$1')

/** PostgreSQL keeps a condition parsed, and writes it in words of its own. */
async function asPostgresWritesIt(run: Run, table: string, condition: string): Promise<string> {
  await run('BEGIN')
  await run(`ALTER TABLE "${table}" ADD CONSTRAINT "__probe" CHECK (${condition})`)
  const [row] = await run(
    "SELECT pg_get_expr(conbin, conrelid) AS text FROM pg_constraint WHERE conname = '__probe'",
  )
  await run('ROLLBACK')
  return String(row?.text)
}

async function readSqliteTable(run: Run, table: string): Promise<TableDescription> {
  const columns = await run(`PRAGMA table_xinfo("${table}")`)
  const [made] = await run(`SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = '${table}'`)
  const keys = Map.groupBy(await run(`PRAGMA foreign_key_list("${table}")`), ({ id }) => id)
  const indexes = []
  for (const { name, unique, origin } of await run(`PRAGMA index_list("${table}")`)) {
    if (origin === 'pk') continue
    const parts = (await run(`PRAGMA index_xinfo("${name}")`)).filter(({ key }) => key === 1)
    const [index] = await run(`SELECT sql FROM sqlite_schema WHERE name = '${name}'`)
    indexes.push({
      name: String(name),
      unique: unique === 1,
      columns: parts.map(({ name: column, desc }) => (desc === 1 ? `${column} desc` : String(column))),
      where: /\bWHERE (.+)$/is.exec(plain(String(index?.sql)))?.[1] ?? null,
    })
  }
  return {
    columns: columns
      .map(({ name, type, notnull, dflt_value }) => ({
        name: String(name),
        type: String(type).toLowerCase(),
        notNull: notnull === 1,
        default: dflt_value === null ? null : literalIn(String(dflt_value)),
      }))
      .toSorted(byName),
    primaryKey: columns
      .filter(({ pk }) => Number(pk) > 0)
      .toSorted((a, b) => Number(a.pk) - Number(b.pk))
      .map(({ name }) => String(name)),
    foreignKeys: [...keys.values()]
      .map(rows => {
        const parts = rows.toSorted((a, b) => Number(a.seq) - Number(b.seq))
        const [{ table: parent, on_delete, on_update } = {}] = parts
        return {
          columns: parts.map(({ from }) => String(from)),
          references: `${parent}(${parts.map(({ to }) => to)})`,
          onDelete: String(on_delete).toLowerCase(),
          onUpdate: String(on_update).toLowerCase(),
        }
      })
      .toSorted(byColumns),
    indexes: indexes.toSorted(byName),
    checks: checksIn(plain(String(made?.sql))).toSorted(byName),
  }
}

/** SQLite tells checks only in the statement that made the table. */
function checksIn(sql: string) {
  return [...sql.matchAll(/(?:CONSTRAINT (\w+) )?\bCHECK ?\(/gi)].map(
    ({ 0: opening, 1: name = '', index }) => {
      const start = index + opening.length
      let end = start
      for (let depth = 1; depth > 0; end++) depth += sql[end] === '(' ? 1 : sql[end] === ')' ? -1 : 0
      return { name, expression: sql.slice(start, end - 1).trim() }
    },
  )
}

const ACTIONS: Record<string, string> = {
  a: 'no action',
  r: 'restrict',
  c: 'cascade',
  n: 'set null',
  d: 'set default',
}

async function readPostgresTable(run: Run, table: string): Promise<TableDescription> {
  const of = `'"${table}"'::regclass`
  const columns = await run(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type, attnotnull AS "notNull",
       pg_get_expr(adbin, adrelid) AS default, CASE WHEN attcollation <> typcollation THEN collname END AS collation
     FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
       LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum LEFT JOIN pg_collation ON pg_collation.oid = attcollation
     WHERE attrelid = ${of} AND attnum > 0 AND NOT attisdropped`,
  )
  const names = (numbers: string, owner: string) =>
    `(SELECT json_agg(attname ORDER BY at) FROM unnest(${numbers}) WITH ORDINALITY AS part(number, at)
      JOIN pg_attribute ON attrelid = ${owner} AND attnum = number)`
  const constraints = await run(
    `SELECT conname AS name, contype::text AS kind, ${names('conkey', 'conrelid')} AS columns,
       confrelid::regclass::text AS parent, ${names('confkey', 'confrelid')} AS referenced,
       confdeltype::text AS deleted, confupdtype::text AS updated, pg_get_expr(conbin, conrelid) AS expression
     FROM pg_constraint WHERE conrelid = ${of} AND contype IN ('p', 'f', 'c', 'u', 'x')`,
  )
  const indexes = await run(
    `SELECT relname AS name, indisunique AS unique, pg_get_expr(indpred, indrelid) AS where, (
         SELECT json_agg(pg_get_indexdef(indexrelid, at::int, false) || CASE WHEN option = 0 THEN '' ELSE ' desc' END ORDER BY at)
         FROM unnest(indoption) WITH ORDINALITY AS part(option, at)
       ) AS columns
     FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE indrelid = ${of} AND NOT indisprimary`,
  )
  const ofKind = (kind: string) => constraints.filter(constraint => constraint.kind === kind)
  if (ofKind('u').length + ofKind('x').length > 0)
    throw new Error(`${table} has a constraint that Drizzle does not declare`)
  return {
    columns: columns
      .map(({ name, type, notNull, default: value, collation }) => ({
        name: String(name),
        type: collation === null ? String(type) : `${type} COLLATE "${collation}"`,
        notNull: notNull === true,
        default: value === null ? null : literalIn(plain(String(value))),
      }))
      .toSorted(byName),
    primaryKey: ofKind('p').flatMap(({ columns }) => columns as string[]),
    foreignKeys: ofKind('f')
      .map(({ columns, parent, referenced, deleted, updated }) => ({
        columns: columns as string[],
        references: `${parent}(${referenced as string[]})`,
        onDelete: ACTIONS[String(deleted)] ?? '',
        onUpdate: ACTIONS[String(updated)] ?? '',
      }))
      .toSorted(byColumns),
    indexes: indexes
      .map(({ name, unique, columns, where }) => ({
        name: String(name),
        unique: unique === true,
        columns: (columns as string[]).map(plain),
        where: where === null ? null : String(where),
      }))
      .toSorted(byName),
    checks: ofKind('c')
      .map(({ name, expression }) => ({ name: String(name), expression: String(expression) }))
      .toSorted(byName),
  }
}

export const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
export const byColumns = (a: { columns: string[] }, b: { columns: string[] }) =>
  a.columns.join() < b.columns.join() ? -1 : 1
