/** The number of rows that a query reads on PostgreSQL, with a plan that was made while the table was empty. */
import { spyOn } from 'bun:test'
import { fillPlaceholders, type SQL, sql } from 'drizzle-orm'
import type { Transaction } from '../../db/index.ts'
import type { Query } from '../../db/types.ts'
import { execute, executeQuery } from './probe.ts'

/** From its sixth execution on, PostgreSQL keeps the plan of a statement. */
const EXECUTIONS = 10

/** `fill` inserts the rows. Index entries count as rows. */
export async function countRowsRead(
  tx: Transaction,
  table: string,
  { query, fill }: Record<'query' | 'fill', () => Promise<unknown>>,
): Promise<number> {
  // On a busy machine one statement, or the rows between two of them, can take longer than the server allows.
  for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout'])
    await execute(tx, `SET LOCAL ${name} = 0`)
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

interface PlanNode {
  'Actual Loops': number
  'Rows Removed by Join Filter'?: number
  Plans?: PlanNode[]
}

const comparedIn = (node: PlanNode): number =>
  (node['Rows Removed by Join Filter'] ?? 0) * node['Actual Loops'] +
  (node.Plans ?? []).reduce((sum, part) => sum + comparedIn(part), 0)

/** How many pairs of rows the joins of the prepared statements of a query compare in vain: few, if no join grows with the square. */
export async function countComparedPairs(tx: Transaction, query: () => Promise<unknown>): Promise<number> {
  await query()
  const asked: SQL[] = []
  const find = tx.statements.get.bind(tx.statements)
  const spy = spyOn(tx.statements, 'get').mockImplementation(name => {
    // Guarantee of the cast: `prepared` keeps its statements there.
    const found = find(name) as { execute(values: Record<string, unknown>): unknown; getQuery(): Query }
    return {
      execute(values: Record<string, unknown>) {
        const { sql: text, params } = found.getQuery()
        const filled = fillPlaceholders([...params], values)
        const parts = text
          .split(/\$\d+/)
          .map((part, n) => (n === 0 ? sql.raw(part) : sql`${filled[n - 1]}${sql.raw(part)}`))
        asked.push(sql`EXPLAIN (ANALYZE, FORMAT JSON) ${sql.join(parts)}`)
        return found.execute(values)
      },
    }
  })
  try {
    await query()
  } finally {
    spy.mockRestore()
  }
  let sum = 0
  for (const explain of asked)
    for (const row of await executeQuery(tx, explain)) {
      // Guarantee of the cast: the format of EXPLAIN.
      const [{ Plan }] = row['QUERY PLAN'] as [{ Plan: PlanNode }]
      sum += comparedIn(Plan)
    }
  return sum
}
