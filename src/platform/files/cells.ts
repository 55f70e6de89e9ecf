/**
 * Reads the cells of a spreadsheet by the type of their column. Other programs write numbers in many ways: one that has a single
 * meaning is read, and any other is a fault, never text.
 */

export const CELL_TYPES = ['number', 'boolean', 'text'] as const
export type CellType = (typeof CELL_TYPES)[number]

export type Cell<Value = unknown> = { value: Value } | { message: string }

export const DECIMALS = ['point', 'comma'] as const
export type Decimal = (typeof DECIMALS)[number]

export interface Dialect {
  /** Between two cells. */
  delimiter: ',' | ';' | '\t'
  /** The decimal sign, if the operator states it. */
  decimal?: Decimal | undefined
}

/** Spaces around a number that programs write, no-break ones included. */
const trimmed = (cell: string) => cell.replaceAll(/[\s\u00a0\u202f]/g, '')

const PLAIN = /^([+-]?)(\d+)(?:\.(\d+))?$/

/** Three digits behind the sign: thousands in half of the world, and a fraction in the other. */
const AMBIGUOUS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/

/**
 * Where commas separate the cells, the decimal sign is a point. Otherwise it may be a comma, as in the files of most of Europe, or a
 * point: what could then be thousands is a fault.
 */
export function readNumber(cell: string, { delimiter, decimal }: Dialect): Cell<number> {
  const written = trimmed(cell)
  const stated = decimal ?? (delimiter === ',' ? 'point' : undefined)
  if (decimal === undefined && delimiter === ',' && /^[+-]?\d+,\d+$/.test(written))
    return { message: 'has a decimal comma: write 12.5, or separate the columns by semicolons' }
  if (stated === undefined && AMBIGUOUS.test(written))
    return { message: 'could be thousands or a fraction: write it without a separator' }
  // A point is no decimal sign where the comma is.
  const text = stated === 'comma' ? written.replaceAll(/[.,]/g, sign => (sign === ',' ? '.' : ',')) : written
  const found = PLAIN.exec(stated === undefined ? text.replace(',', '.') : text)
  if (!found) {
    if (/^[+-]?\d+(\.\d+)?e[+-]?\d+$/i.test(text))
      return {
        message: 'is in scientific notation, which may have lost digits: format the column as a number',
      }
    if (/^[+-]?\d[\d.,'’]*$/.test(text))
      return { message: 'has separators of thousands: write it without them' }
    return { message: 'is not a number' }
  }
  const [, sign = '', whole = '', fraction = ''] = found
  const significant = `${whole}${fraction}`.replace(/^0+/, '')
  if (significant.length > 15)
    return { message: 'has more than 15 digits, which a number does not hold: make it text' }
  const value = Number(`${sign === '-' ? '-' : ''}${whole}.${fraction || '0'}`)
  return { value: value === 0 ? 0 : value }
}

/** A whole number. */
export function readInteger(cell: string, dialect: Dialect): Cell<number> {
  const number = readNumber(cell, dialect)
  if ('message' in number || Number.isInteger(number.value)) return number
  return { message: 'is not a whole number' }
}

export function readBoolean(cell: string): Cell<boolean> {
  const text = trimmed(cell).toLowerCase()
  return text === 'true' || text === 'false'
    ? { value: text === 'true' }
    : { message: 'is neither true nor false' }
}

/** As spreadsheets show a number that is longer than its column, such as 4,71E+11. */
const SHORTENED = /^[+-]?\d([.,]\d{1,20})?E\+\d{2,3}$/

/** Text, such as an id: without the digits that a spreadsheet has left out, it is another one. */
export const readText = (cell: string): Cell<string> =>
  SHORTENED.test(cell)
    ? { message: 'is in scientific notation, which has lost digits: format the column as text' }
    : { value: cell }

/** Without a type: numbers as JavaScript writes them, true and false; all else is text, such as 007. */
function readAny(cell: string): Cell {
  if (cell === 'true' || cell === 'false') return { value: cell === 'true' }
  const number = Number(cell)
  return Number.isFinite(number) && String(number) === cell ? { value: number } : readText(cell)
}

/** `types`: those in which the cell is read; none if nothing reads it. */
export function readCell(cell: string, types: readonly CellType[], dialect: Dialect): Cell {
  const [type, ...others] = types
  if (others.length > 0)
    return { message: `is read as ${types.join(' and as ')} by rules or quests: state its type (--column)` }
  if (type === 'number') return readNumber(cell, dialect)
  if (type === 'boolean') return readBoolean(cell)
  return type === 'text' ? readText(cell) : readAny(cell)
}
