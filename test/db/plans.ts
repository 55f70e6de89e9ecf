/** The number of rows that a query reads on PostgreSQL, with a plan that was made while the table was empty. */
import type { Transaction } from '../../db/index.ts'
import { execute } from './probe.ts'

/** From its sixth execution on, PostgreSQL keeps the plan of a statement. */
const EXECUTIONS = 10

/** `fill` inserts the rows. Index entries count as rows. */
export async function countRowsRead(
  tx: Transaction,
  table: string,
  { query, fill }: Record<'query' | 'fill', () => Promise<unknown>>,
): Promise<number> {
  // As outside of a unit of work, where more plans are possible.
  await execute(tx, 'SET LOCAL enable_seqscan = on')
  // As in a new database: without rows and without statistics. It comes before the other in the search path.
  await execute(tx, `CREATE TEMP TABLE ${table} (LIKE ${table} INCLUDING INDEXES) ON COMMIT DROP`)
  // Statements of an earlier test on this connection would still read the other table.
  await execute(tx, 'DISCARD PLANS')
  for (let n = 0; n < EXECUTIONS; n++) await query()
  await fill()
  const before = await rowsRead(tx, table)
  await query()
  return (await rowsRead(tx, table)) - before
}

/** How many rows this unit of work has read of a table. */
export async function rowsRead(tx: Transaction, table: string): Promise<number> {
  const [row] = await execute(
    tx,
    `SELECT sum(pg_stat_get_xact_tuples_returned(indexrelid)) + pg_stat_get_xact_tuples_returned('${table}'::regclass) AS rows
     FROM pg_index WHERE indrelid = '${table}'::regclass`,
  )
  return Number(row?.rows)
}
