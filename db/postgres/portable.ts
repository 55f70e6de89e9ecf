/**
 * The rules that keep schema and statements portable to Citus and to YugabyteDB's YSQL, with reasons. Beyond one PostgreSQL
 * server, Matchday runs on an existing distributed engine instead of sharding itself. `portable-schema.test.ts` checks
 * migrations and sources against this list. The tests check each statement that they run as well: see `test/support/portable-statements.ts`.
 * `bun run test:distributed` runs the tests on a cluster. @see docs/scaling.md
 */

/** Patterns that no SQL may contain. The example proves that the check finds the pattern. */
export const UNPORTABLE: { what: string; why: string; pattern: RegExp; example: string }[] = [
  {
    what: 'advisory lock',
    why: 'YSQL has them since 2025.1 only: a row is locked instead',
    pattern: /\bpg_(try_)?advisory_/i,
    example: 'SELECT pg_advisory_lock(1)',
  },
  {
    what: 'LISTEN and NOTIFY',
    why: 'YSQL 2024.2 has none, and on PostgreSQL they serialise commits: processes poll',
    pattern: /['"`] ?(UN)?LISTEN \w|\bNOTIFY \w+|\bpg_notify\b/,
    example: "'LISTEN events'",
  },
  {
    what: 'SKIP LOCKED',
    why: 'YSQL has it below SERIALIZABLE only: work is claimed by leases',
    pattern: /\bSKIP LOCKED\b/i,
    example: 'SELECT 1 FOR UPDATE SKIP LOCKED',
  },
  {
    what: 'transaction ids',
    why: 'those of YSQL have no order: events are ordered by columns of their own',
    pattern: /\b(txid_|pg_current_xact|pg_snapshot)/i,
    example: 'txid_current()',
  },
  {
    what: 'system columns',
    why: 'YSQL refuses them',
    pattern: /\b(xmin|xmax|ctid)\b/,
    example: 'SELECT xmin FROM t',
  },
  {
    what: 'LOCK TABLE',
    why: 'YSQL 2024.2 has ACCESS SHARE only: constraints and conditional statements decide',
    pattern: /\bLOCK TABLE\b/,
    example: 'LOCK TABLE users',
  },
  {
    what: 'two-phase commit',
    why: 'YSQL has none',
    pattern: /\bPREPARE TRANSACTION\b/,
    example: "PREPARE TRANSACTION 'x'",
  },
  {
    what: 'MERGE',
    why: 'YSQL 2024.2 is PostgreSQL 11, which has none: ON CONFLICT',
    pattern: /\bMERGE INTO\b/,
    example: 'MERGE INTO t USING s',
  },
]

export const findUnportableSql = (text: string): string[] =>
  UNPORTABLE.filter(({ pattern }) => pattern.test(text)).map(({ what }) => what)

/** The statements of migrations: each can commit by itself, and be repeated after a crash. */
const KNOWN_DDL = [
  /^CREATE TABLE "\w+" \(/,
  /^CREATE (UNIQUE )?INDEX "\w+" ON "\w+" USING btree \([^()]*\)( WHERE .*)?;?$/,
  /^CREATE (OR REPLACE )?FUNCTION \w+\(\) RETURNS trigger\b/,
  /^CREATE TRIGGER \w+ BEFORE [A-Z]+( OR [A-Z]+){0,3} ON \w+\s{1,4}FOR EACH ROW\b/,
  /^DROP (INDEX|TABLE) "\w+";?$/,
  /^ALTER TABLE "\w+" (ADD COLUMN|DROP COLUMN|DROP CONSTRAINT) "\w+"[^,]*;?$/,
  /^ALTER TABLE "\w+" ADD CONSTRAINT "\w+" (CHECK|PRIMARY KEY|FOREIGN KEY)\b/,
  /^ALTER TABLE "\w+" ALTER COLUMN "\w+" DROP NOT NULL;?$/,
  /^(INSERT INTO|UPDATE|DELETE FROM) "\w+"/,
]
const UNPORTABLE_DDL =
  /\b(DEFERRABLE|EXCLUDE USING|CONCURRENTLY|UNLOGGED|INHERITS|GENERATED ALWAYS|TEMP|CONSTRAINT TRIGGER|REFERENCING (OLD|NEW) TABLE)\b/i

export const withoutComments = (statement: string): string => statement.replace(/^\s*--.*$/gm, '').trim()

/** A statement of a migration. */
export function isPortableDdl(statement: string): boolean {
  const sql = withoutComments(statement)
  return (
    KNOWN_DDL.some(form => form.test(sql)) && !UNPORTABLE_DDL.test(sql) && findUnportableSql(sql).length === 0
  )
}

/** YugabyteDB, as `PostgreSQL 15.12-YB-2025.1.4.0-b0 on …`, commits each DDL statement by itself, unless it is told otherwise. */
export const hasTransactionalDdl = (version: string): boolean => !/-YB-/.test(version)

/**
 * Left out where DDL is not transactional. On PostgreSQL such triggers refuse TRUNCATE of append-only tables; on YugabyteDB a role
 * without the right to truncate does.
 */
export const isStatementTrigger = (statement: string): boolean => /FOR EACH STATEMENT/i.test(statement)
