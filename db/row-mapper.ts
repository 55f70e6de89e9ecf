/**
 * Maps the rows of a prepared statement to objects, as Drizzle does. Drizzle determines the type and position of each column
 * again for every row, which takes a quarter of the time of `GET /api/user/profile`. Here it is done once per statement.
 */
import { Column, getTableName, is } from 'drizzle-orm'
import { rowPartsOf, sqlOf } from './drizzle-internals.ts'

interface Cell {
  name: string
  index: number
  /** Undefined: the driver's value is the result. */
  decode: ((value: unknown) => unknown) | undefined
  /** For an object: its members. */
  members?: Cell[]
  /** For an object: it is null if this column is, because a left join had no row. */
  nullIndex?: number
}

/** Sets the mapper of a prepared statement that returns rows. One that nests objects in objects keeps Drizzle's. */
export function setRowMapper(statement: object): void {
  const query = rowPartsOf(statement)
  const { fields, joinsNotNullableMap: joins } = query
  if (!fields || query.customResultMapper || fields.some(({ path }) => path.length > 2)) return
  const cells: Cell[] = []
  for (const [index, { path, field }] of fields.entries()) {
    const [name = '', member] = path
    const cell = { name: member ?? name, index, decode: decoderOf(field) }
    const object = member === undefined ? undefined : cells.find(cell => cell.name === name && cell.members)
    if (member === undefined) cells.push(cell)
    else if (object) object.members?.push(cell)
    else cells.push({ name, index, decode: undefined, members: [cell] })
  }
  for (const cell of cells) {
    const of = fields.flatMap(({ path, field }, index) =>
      path.length === 2 && path[0] === cell.name && is(field, Column)
        ? [{ index, table: getTableName(field.table) }]
        : [],
    )
    const [first] = of
    if (joins && first && !joins[first.table] && of.every(({ table }) => table === first.table))
      cell.nullIndex = first.index
  }
  query.customResultMapper = rows => rows.map(row => mapCells(cells, row))
}

function mapCells(cells: Cell[], row: unknown[]): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const { name, index, decode, members, nullIndex } of cells) {
    const value = row[index]
    if (members)
      result[name] = nullIndex !== undefined && row[nullIndex] === null ? null : mapCells(members, row)
    else result[name] = decode === undefined || value === null ? value : decode(value)
  }
  return result
}

function decoderOf(field: unknown): Cell['decode'] {
  const decoder = is(field, Column) ? unproxied(field) : sqlOf(field).decoder
  const { mapFromDriverValue } = decoder
  // Most columns have the type of the driver's value.
  if (mapFromDriverValue === Column.prototype.mapFromDriverValue) return undefined
  return value => decoder.mapFromDriverValue(value)
}

/** A column of a subquery is a proxy, which takes longer than its decoder. */
const unproxied = (column: Column): Column =>
  Object.create(Object.getPrototypeOf(column), Object.getOwnPropertyDescriptors(column))
