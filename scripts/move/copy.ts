/**
 * Copies tables from one database to another, parents first, by primary key. The target itself records the progress:
 * after an interruption, the next run continues after the last row of each table.
 */
import { insertRows } from '../../db/bulk.ts'
import type { Database, Tables } from '../../db/index.ts'
import { countRows, type Row, readLast, readPages } from '../../db/pages.ts'
import { type AnyTable, tablesInOrder } from '../../db/schema/shape.ts'
import { type BatchOptions, writeInBatches } from '../command/batches.ts'

/** Rate-limit windows last about a minute and need not be moved. */
const NOT_MOVED: (keyof Tables)[] = ['rateLimitWindows']

export type MovedTable = ReturnType<typeof tablesInOrder>[number]

/** The moved tables in dependency order. */
export const tablesToMove = (tables: Tables) =>
  tablesInOrder(tables).filter(({ property }) => !NOT_MOVED.includes(property))

export const PAGE_SIZE = 500
/** Pages per unit of work, which limits memory. */
const PAGES_AHEAD = 8

interface Page {
  /** The table of the target. */
  table: AnyTable
  rows: Row[]
}

export interface CopyOptions extends Pick<BatchOptions, 'stopRequested'> {
  /** Called with the number of further rows in the target, first with those of earlier runs. */
  onRows(rows: number): void
}

export async function countAll({ read, tables }: Database): Promise<{ table: string; rows: number }[]> {
  const counts = []
  for (const { table, shape } of tablesToMove(tables)) {
    counts.push({ table: shape.name, rows: await countRows(read, table) })
  }
  return counts
}

/** @throws Interrupted */
export async function copyTables(
  source: Database,
  target: Database,
  { onRows, stopRequested }: CopyOptions,
): Promise<void> {
  async function* read(): AsyncGenerator<Page> {
    for (const { property, table: from } of tablesToMove(source.tables)) {
      const table = target.tables[property]
      const last = await readLast(target.read, table)
      if (last) onRows(await countRows(target.read, table))
      for await (const rows of readPages(source.read, from, PAGE_SIZE, last)) yield { table, rows }
    }
  }

  await writeInBatches(
    target,
    read(),
    async (tx, { table, rows }) => {
      // Guarantee: both engines share one table definition, so rows of one fit the other.
      await insertRows(tx, table, rows as AnyTable['$inferInsert'][])
      tx.afterCommit(() => onRows(rows.length))
    },
    { exclusive: true, ahead: PAGES_AHEAD, stopRequested },
  )
}
