/** Streams the rows of a file, NDJSON or CSV, for imports: each with its line, and a value or what is wrong with it. */
import { findInexactNumbers } from '../../core/exact-json.ts'
import { explainFault } from '../../core/faults.ts'
import { errorsOf } from '../../core/formats.ts'
import { type TSchema, ValueErrorType } from '../../core/typebox.ts'
import { type CsvColumns, readCsv } from './csv.ts'
import {
  decode,
  type FaultyLine,
  MAX_FAULTS,
  MAX_LINE_BYTES,
  type ParsedLine,
  type RowFault,
  type RowFile,
  readBytes,
} from './row-file.ts'

/** Yields the rows in order, without empty lines. */
export const readRows = (file: RowFile, columns: CsvColumns): AsyncGenerator<ParsedLine> =>
  file.format === 'csv' ? readCsv(file, columns) : readNdjson(file)

/** The first fault of each member of a row. */
export function findSchemaFaults(schema: TSchema, value: unknown): RowFault[] {
  const faults = new Map<string, RowFault>()
  for (const error of errorsOf(schema, value)) {
    const field = error.path.slice(1)
    const unknown = error.type === ValueErrorType.ObjectAdditionalProperties
    if (!faults.has(field))
      faults.set(field, { field, message: unknown ? 'is unknown' : explainFault(error) })
    if (faults.size === MAX_FAULTS) break
  }
  return faults.size > 0 ? [...faults.values()] : findUnstorable(value)
}

/** Texts that the databases cannot store. */
const findUnstorable = (value: unknown): RowFault[] =>
  Object.entries(value ?? {})
    .filter(([, text]) => typeof text === 'string' && (!text.isWellFormed() || text.includes('\0')))
    .map(([field]) => ({ field, message: 'must not contain NUL or a lone surrogate' }))

/** The object of the cells that could be read, or the faults of the others. `field`: the column. */
export function objectOf(
  cells: ({ name: string; field: string } & ({ value: unknown } | { message: string }))[],
): { value: Record<string, unknown> } | { faults: RowFault[] } {
  const faults = cells.flatMap(cell =>
    'message' in cell ? [{ field: cell.field, message: cell.message }] : [],
  )
  if (faults.length > 0) return { faults: faults.slice(0, MAX_FAULTS) }
  return {
    value: Object.fromEntries(cells.flatMap(cell => ('value' in cell ? [[cell.name, cell.value]] : []))),
  }
}

/** White space around a name that identifies: in a cell it is left out, in JSON it would make another name. */
export const findPadded = (names: Record<string, string | undefined>): RowFault[] =>
  Object.entries(names)
    .filter(([, name]) => name !== undefined && name !== name.trim())
    .map(([field]) => ({ field, message: 'must not begin or end with white space' }))

/** Each column must be known and occur once, and the required ones must be there. */
export function findColumnFaults(columns: string[], known: string[], required: string[]): RowFault[] {
  const unknown = columns.filter(name => !known.includes(name))
  const twice = columns.filter((name, index) => columns.indexOf(name) < index)
  return [
    ...unknown.map(field => ({ field, message: `is not a column; columns: ${known.join(', ')}` })),
    ...twice.map(field => ({ field, message: 'is duplicated' })),
    ...required.filter(name => !columns.includes(name)).map(field => ({ field, message: 'is required' })),
  ]
}

async function* readNdjson(file: RowFile): AsyncGenerator<ParsedLine> {
  let line = 0
  for await (const bytes of splitLines(file)) {
    line++
    const fault = (message: string): FaultyLine => ({ line, faults: [{ field: '', message }] })
    if (bytes === null) {
      yield fault(`has more than ${MAX_LINE_BYTES} bytes`)
      continue
    }
    const text = decode(bytes)
    if (text === null) yield fault('is not UTF-8')
    else if (text.trim() !== '') {
      try {
        const value: unknown = JSON.parse(text)
        const faults = findInexactNumbers(text, MAX_FAULTS).map(({ pointer, message }) => ({
          field: pointer.slice(1),
          message,
        }))
        yield faults.length > 0 ? { line, faults } : { line, value }
      } catch {
        yield fault('is not JSON')
      }
    }
  }
}

/** The bytes of each line; null for one that is too long, whose bytes are discarded while reading. */
async function* splitLines(file: RowFile): AsyncGenerator<Uint8Array | null> {
  let rest = Buffer.alloc(0)
  let tooLong = false
  for await (const chunk of readBytes(file)) {
    let from = 0
    for (let index = chunk.indexOf(10); index >= 0; index = chunk.indexOf(10, from)) {
      const line = Buffer.concat([rest, chunk.subarray(from, index)])
      yield tooLong || line.length > MAX_LINE_BYTES ? null : line
      rest = Buffer.alloc(0)
      tooLong = false
      from = index + 1
    }
    rest = Buffer.concat([rest, chunk.subarray(from)])
    if (rest.length <= MAX_LINE_BYTES) continue
    tooLong = true
    rest = Buffer.alloc(0)
  }
  if (tooLong || rest.length > 0) yield tooLong ? null : rest
}

/** Items in lists of `size`, the last one with the rest. */
export async function* chunksOf<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let chunk: Item[] = []
  for await (const item of items) {
    if (chunk.push(item) < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
