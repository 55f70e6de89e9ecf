/** Holds processes at a row that they write, so that a test can kill one in the middle of its work, however fast it is. */
import { withRawConnection } from '../db/probe.ts'
import type { TemporaryDatabase } from './engines.ts'

/** Any number: advisory locks are of one database, and nothing else in it takes them for a session. */
const LOCK = 7_120_034
const EVENTS = ['INSERT', 'UPDATE']

interface Held {
  table: string
  /** SQL about the row `NEW`. */
  row: string
}

/**
 * Each process stays in the unit of work in which it writes the first row that `row` describes. The answer ends it, and waits for
 * what killed processes have left on the server.
 */
export async function holdAt(
  temporary: Pick<TemporaryDatabase, 'db' | 'url'>,
  { table, row }: Held,
): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const held = withRawConnection(temporary, async run => {
    const { before, after } = temporary.db.engine === 'sqlite' ? onSqlite(table, row) : onServer(table, row)
    for (const statement of before) await run(statement)
    begun.resolve()
    await promise
    for (const statement of after) await run(statement)
  })
  await Promise.race([begun.promise, held])
  return () => {
    resolve()
    return held
  }
}

/** A query without an end, as a view: SQLite has no other statement that waits, and allows no WITH in a trigger. */
const onSqlite = (table: string, row: string) => ({
  before: [
    'CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT count(*) AS i FROM n',
    ...EVENTS.map(
      event =>
        `CREATE TRIGGER held_${event} BEFORE ${event} ON ${table} WHEN ${row} BEGIN SELECT i FROM endless; END`,
    ),
  ],
  after: [...EVENTS.map(event => `DROP TRIGGER held_${event}`), 'DROP VIEW endless'],
})

const onServer = (table: string, row: string) => ({
  before: [
    `SELECT pg_advisory_lock(${LOCK})`,
    `CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock(${LOCK}); RETURN NEW; END'`,
    `CREATE TRIGGER held BEFORE ${EVENTS.join(' OR ')} ON ${table} FOR EACH ROW WHEN (${row}) EXECUTE FUNCTION held()`,
  ],
  after: [`SELECT pg_advisory_unlock(${LOCK})`, `DROP TRIGGER held ON ${table}`, 'DROP FUNCTION held'],
})
