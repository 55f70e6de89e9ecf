/**
 * Copies tables from one database to another, parents first, by primary key. How far it got is what
 * the target holds: killed at any moment, the next run goes on after the last row of each table.
 */
import { insertRows } from '../../db/bulk.ts'
import type { Database, Tables } from '../../db/index.ts'
import { countRows, type Row, readLast, readPages } from '../../db/pages.ts'
import { type AnyTable, tablesInOrder } from '../../db/schema/shape.ts'
import { type BatchOptions, writeInBatches } from '../command/batches.ts'

/** Windows of a minute or so, which count anew wherever the API starts next. */
const LEFT_BEHIND: (keyof Tables)[] = ['rateLimitWindows']

/** What is moved: all tables but those of the moment, each after those that it refers to. */
export const tablesToMove = (tables: Tables) =>
  tablesInOrder(tables).filter(({ property }) => !LEFT_BEHIND.includes(property))

const PAGE_SIZE = 500
/** Pages in one unit of work, and so in memory. */
const PAGES_AHEAD = 8

interface Page {
  /** The target's. */
  table: AnyTable
  rows: Row[]
}

export interface CopyOptions extends Pick<BatchOptions, 'stopRequested'> {
  /** Hears how many more rows are in the target, those of earlier runs first. */
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
      // Guarantee: both engines' tables are one definition, so that what one reads the other takes.
      await insertRows(tx, table, rows as AnyTable['$inferInsert'][])
      tx.afterCommit(() => onRows(rows.length))
    },
    { exclusive: true, ahead: PAGES_AHEAD, stopRequested },
  )
}
