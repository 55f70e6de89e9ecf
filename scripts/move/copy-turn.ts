/** Copies changed rows of a live move, in units of work that fit the rules of the tables. */
import { deleteRows, insertRows, updateRows } from '../../db/bulk.ts'
import { type Database, describeViolation, isMissingParent, type Transaction } from '../../db/index.ts'
import type { Row } from '../../db/pages.ts'
import type { AnyTable } from '../../db/schema/shape.ts'
import { findRows, forgetChanges, readChanges } from './changes.ts'
import { isSame, type Pair } from './pairs.ts'

export const insert = (tx: Transaction, table: AnyTable, rows: Row[]) =>
  // Guarantee: both engines share one table definition, so rows of one fit the other.
  insertRows(tx, table, rows as AnyTable['$inferInsert'][])

export interface Failed<Item> {
  item: Item
  error: unknown
}

/** The violation of a rule of the tables that stops this unit of work. @throws any other error, and then nothing is skipped */
async function findViolation(
  target: Database,
  work: (tx: Transaction) => Promise<unknown>,
): Promise<unknown> {
  try {
    await target.write(work)
    return undefined
  } catch (error) {
    if (describeViolation(error) === undefined) throw error
    return error
  }
}

/** Writes all in one unit of work, or in halves. Returns those that do not fit yet, for example since a parent is missing. */
export async function writeEach<Item>(
  target: Database,
  items: Item[],
  write: (tx: Transaction, items: Item[]) => Promise<unknown>,
): Promise<Failed<Item>[]> {
  const [item] = items
  if (item === undefined) return []
  const error = await findViolation(target, tx => write(tx, items))
  if (error === undefined) return []
  if (items.length === 1) return [{ item, error }]
  const half = Math.ceil(items.length / 2)
  const first = await writeEach(target, items.slice(0, half), write)
  return [...first, ...(await writeEach(target, items.slice(half), write))]
}

export interface Due {
  pair: Pair
  key: string
  ids: number[]
  row: Row | undefined
  there: Row | undefined
}

/** Copies changed rows as they are now. A change that follows is noted again. */
export async function copyTurn(
  source: Database,
  target: Database,
  pairs: Pair[],
  size: number,
): Promise<{ read: number; done: number; left: Failed<Due>[] }> {
  const changes = await readChanges(source, size)
  const byTable = Map.groupBy(changes, ({ table }) => table)
  const lists: Due[][] = []
  for (const pair of pairs) {
    const byKey = Map.groupBy(byTable.get(pair.from.shape.name) ?? [], ({ key }) => key)
    const keys = [...byKey.keys()]
    const rows = await findRows(source.read, pair.from, keys)
    const known = await findRows(target.read, pair.to, keys)
    lists.push(
      Array.from(byKey, ([key, all]) => {
        return { pair, key, ids: all.map(({ id }) => id), row: rows.get(key), there: known.get(key) }
      }),
    )
  }
  const left: Failed<Due>[] = []
  // Parents first; their rows are deleted last.
  for (const list of lists) {
    const failed = await writeEach(
      target,
      list.filter(({ row }) => row !== undefined),
      applyChanges,
    )
    const unfit = failed.filter(({ error }) => !isMissingParent(error)).map(({ item }) => item)
    const replaced = unfit.length > 1 && !(await findViolation(target, tx => replaceAll(tx, unfit)))
    left.push(...(replaced ? failed.filter(({ item }) => !unfit.includes(item)) : failed))
  }
  for (const list of lists.toReversed())
    left.push(
      ...(await writeEach(
        target,
        list.filter(({ row }) => row === undefined),
        applyChanges,
      )),
    )
  const open = new Set(left.flatMap(({ item }) => item.ids))
  const done = changes.map(({ id }) => id).filter(id => !open.has(id))
  if (done.length > 0) await forgetChanges(source, done)
  return { read: changes.length, done: done.length, left }
}

/** Rows of one table that hold unique values of one another, such as two items that swapped places, fit only together. */
async function replaceAll(tx: Transaction, list: Due[]): Promise<void> {
  const [first] = list
  if (!first) return
  const { table } = first.pair.to
  const there = list.flatMap(({ there: row }) => (row ? [row] : []))
  // Guarantee of the cast: they were read from this table.
  await deleteRows(tx, table, there as AnyTable['$inferSelect'][])
  await insert(
    tx,
    table,
    list.flatMap(({ row }) => (row ? [row] : [])),
  )
}

/** Changes of one table. */
async function applyChanges(tx: Transaction, list: Due[]): Promise<void> {
  const [first] = list
  if (!first) return
  const { table, shape } = first.pair.to
  const rowsOf = (choose: (due: Due) => Row | undefined) => list.map(choose).filter(row => row !== undefined)
  await insert(
    tx,
    table,
    rowsOf(({ row, there }) => (there ? undefined : row)),
  )
  const names = shape.columns.flatMap(({ property }) => (shape.key.includes(property) ? [] : property))
  const changed = rowsOf(({ row, there }) =>
    row && there && !isSame(first.pair.to, row, there) ? row : undefined,
  )
  // Guarantee of the casts: both engines share one table definition, so rows and columns of one fit the other.
  await updateRows(tx, table, changed as Partial<AnyTable['$inferInsert']>[], names as never[])
  const gone = rowsOf(({ row, there }) => (row ? undefined : there))
  await deleteRows(tx, table, gone as AnyTable['$inferSelect'][])
}
