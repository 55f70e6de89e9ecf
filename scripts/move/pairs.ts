/** Tables of a move in pairs, and how their rows compare. */
import type { Database } from '../../db/index.ts'
import type { Row } from '../../db/pages.ts'
import { type MovedTable, tablesToMove } from './copy.ts'

/** The pair of tables of a move. */
export interface Pair {
  from: MovedTable
  to: MovedTable
}

export const pairsOf = (source: Database, target: Database): Pair[] => {
  const into = tablesToMove(target.tables)
  return tablesToMove(source.tables).flatMap((from, index) => {
    const to = into[index]
    return to ? [{ from, to }] : []
  })
}

export const keyOf = ({ shape }: MovedTable, row: Row) => shape.key.map(property => row[property])

export const isSame = ({ shape }: MovedTable, a: Row, b: Row) =>
  JSON.stringify(shape.columns.map(({ property }) => a[property])) ===
  JSON.stringify(shape.columns.map(({ property }) => b[property]))

const orderOf = (value: unknown) =>
  value instanceof Date ? value.getTime() : typeof value === 'boolean' ? Number(value) : value

/** As both engines order keys: numbers, times, false before true, and text by its bytes. */
export function compareKeys(a: unknown[], b: unknown[]): number {
  for (const [index, part] of a.entries()) {
    const [value, other] = [orderOf(part), orderOf(b[index])]
    const order =
      typeof value === 'number' && typeof other === 'number'
        ? value - other
        : Buffer.compare(Buffer.from(String(value)), Buffer.from(String(other)))
    if (order !== 0) return Math.sign(order)
  }
  return 0
}
