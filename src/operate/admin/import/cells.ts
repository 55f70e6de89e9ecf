/**
 * Reads the cells of a spreadsheet by the type of their column. Other programs write numbers in many ways: one that has a single
 * meaning is read, and any other is a fault, never text.
 */

export const CELL_TYPES = ['number', 'boolean', 'text'] as const
export type CellType = (typeof CELL_TYPES)[number]

export type Cell<Value = unknown> = { value: Value } | { message: string }

export interface Dialect {
  /** Between two cells. */
  delimiter: ',' | ';' | '\t'
}

/** Spaces around a number that programs write, no-break ones included. */
const trimmed = (cell: string) => cell.replaceAll(/[\s\u00a0\u202f]/g, '')

const PLAIN = /^([+-]?)(\d+)(?:\.(\d+))?$/

/** `12,50` is a number where the comma separates no cells, as in the files of most of Europe. */
export function readNumber(cell: string, { delimiter }: Dialect): Cell<number> {
  const text = trimmed(cell)
  if (/^[+-]?\d+,\d+$/.test(text)) {
    if (delimiter === ',')
      return { message: 'has a decimal comma: write 12.5, or separate the columns by semicolons' }
    if (/,\d{3}$/.test(text))
      return { message: 'could be thousands or a fraction: write it without a separator' }
  }
  const found = PLAIN.exec(delimiter === ',' ? text : text.replace(',', '.'))
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

/** Without a type: numbers as JavaScript writes them, true and false; all else is text, such as 007. */
function readAny(cell: string): Cell {
  if (cell === 'true' || cell === 'false') return { value: cell === 'true' }
  const number = Number(cell)
  return { value: Number.isFinite(number) && String(number) === cell ? number : cell }
}

export function readCell(cell: string, type: CellType | undefined, dialect: Dialect): Cell {
  if (type === 'number') return readNumber(cell, dialect)
  if (type === 'boolean') return readBoolean(cell)
  return type === 'text' ? { value: cell } : readAny(cell)
}
