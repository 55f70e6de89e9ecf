/** Streams the rows of a file, NDJSON or CSV, for imports: each with its line, and a value or what is wrong with it. */
import { Readable } from 'node:stream'
import type { CsvError } from 'csv-parse'
import { findByteOrder } from '../../../core/decode-text.ts'
import { findInexactNumbers } from '../../../core/exact-json.ts'
import { explainFault } from '../../../core/faults.ts'
import { errorsOf } from '../../../core/formats.ts'
import { type TSchema, ValueErrorType } from '../../../core/typebox.ts'
import type { Dialect } from './cells.ts'

type RowFormat = 'ndjson' | 'csv'

/** A file of rows, which is read more than once. */
export interface RowFile {
  format: RowFormat
  /** Its bytes from the beginning. */
  open(): AsyncIterable<Buffer>
}

export interface RowFault {
  /** A member of the row; empty if the fault concerns none. */
  field: string
  message: string
}

export interface FaultyLine {
  /** Starts at 1; the first line of a CSV record that spans several. */
  line: number
  faults: RowFault[]
  /** The rest of the file is unreadable. */
  fatal?: true
}

type ParsedLine = { line: number; value: unknown } | FaultyLine

/** How CSV becomes values. */
export interface CsvColumns {
  /** What is wrong with the names of the first line. */
  headerFaults(columns: string[]): RowFault[]
  /** The value of a record, or what is wrong with its cells. Empty cells are left out, as is white space around a cell. */
  toValue(cells: Map<string, string>, dialect: Dialect): { value: unknown } | { faults: RowFault[] }
}

/** Maximum size of a line, or of a CSV record, in bytes. */
const MAX_LINE_BYTES = 65_536
/** Maximum of reported faults per line. */
const MAX_FAULTS = 20

/** By the extension of the name of a file; null for another one. */
export function rowFormatOf(name: string): RowFormat | null {
  if (/\.(ndjson|jsonl)$/i.test(name)) return 'ndjson'
  return /\.csv$/i.test(name) ? 'csv' : null
}

/** Yields the rows in order, without empty lines. */
export const readRows = (file: RowFile, columns: CsvColumns): AsyncGenerator<ParsedLine> =>
  file.format === 'csv' ? readCsv(file, columns) : readNdjson(file)

/** The first fault of each member. */
export function findSchemaFaults(schema: TSchema, value: unknown): RowFault[] {
  const faults = new Map<string, RowFault>()
  for (const error of errorsOf(schema, value)) {
    const field = error.path.slice(1)
    const unknown = error.type === ValueErrorType.ObjectAdditionalProperties
    if (!faults.has(field))
      faults.set(field, { field, message: unknown ? 'is unknown' : explainFault(error) })
    if (faults.size === MAX_FAULTS) break
  }
  return [...faults.values()]
}

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

/** Reads the file as UTF-8, without the byte order mark that spreadsheets write. */
async function* readBytes(file: RowFile): AsyncGenerator<Buffer> {
  let first = true
  let decoder: TextDecoder | undefined
  for await (const chunk of file.open()) {
    if (first) {
      const order = findByteOrder(chunk)
      // It ignores the byte order mark.
      if (order) decoder = new TextDecoder(order)
    }
    if (decoder) yield Buffer.from(decoder.decode(chunk, { stream: true }))
    else yield first && chunk.indexOf('\ufeff') === 0 ? chunk.subarray(3) : chunk
    first = false
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Null if the bytes are not UTF-8. */
function decode(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

interface CsvRecord {
  record: Uint8Array[]
  info: { lines: number }
}

/** How the cells are separated, by `sep=;` as the first line, which is then not a row, or by what the header has. */
async function readDialect(file: RowFile): Promise<Dialect & { hasOwnLine: boolean }> {
  let head = ''
  for await (const chunk of readBytes(file)) {
    head += chunk.toString('latin1')
    if (/[\r\n]/.test(head) || head.length > MAX_LINE_BYTES) break
  }
  const line = head.split(/[\r\n]/, 1)[0] ?? ''
  const stated = /^sep=([,;\t])$/i.exec(line)?.[1] as Dialect['delimiter'] | undefined
  if (stated) return { delimiter: stated, hasOwnLine: true }
  const names = line
    .split('"')
    .filter((_, part) => part % 2 === 0)
    .join('')
  const delimiter = ([',', ';', '\t'] as const).find(one => names.includes(one)) ?? ','
  return { delimiter, hasOwnLine: false }
}

async function* readCsv(file: RowFile, { headerFaults, toValue }: CsvColumns): AsyncGenerator<ParsedLine> {
  // Loaded for imports only.
  const { parse } = await import('csv-parse')
  const { hasOwnLine, ...dialect } = await readDialect(file)
  const parser = parse({
    delimiter: dialect.delimiter,
    from_line: hasOwnLine ? 2 : 1,
    info: true,
    relax_column_count: true,
    max_record_size: MAX_LINE_BYTES,
    // Cells as bytes: the parser would replace invalid UTF-8 by U+FFFD.
    encoding: null,
    // A stream error would discard the records parsed before it.
    skip_records_with_error: true,
  })
  let error: CsvError | undefined
  parser.on('skip', skipped => {
    error ??= skipped
  })
  const bytes = Readable.from(readBytes(file))
  bytes.on('error', failure => parser.destroy(failure)).pipe(parser)
  let columns: string[] | undefined
  let line = hasOwnLine ? 2 : 1
  // Guarantee: with `info` and `encoding: null` the parser yields this.
  for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
    if (error && info.lines >= Number(error.lines)) break
    const cells = record.map(cell => decode(cell))
    const start = line
    line += 1 + record.reduce((breaks, cell) => breaks + countLineFeeds(cell), 0)
    if (cells.length === 1 && cells[0] === '') continue
    const fault = (message: string): FaultyLine => ({ line: start, faults: [{ field: '', message }] })
    if (!cells.every(cell => cell !== null)) yield fault('is not UTF-8')
    else if (columns === undefined) {
      columns = cells.map(cell => cell.trim())
      const faults = headerFaults(columns)
      if (faults.length > 0) {
        yield { line: start, faults, fatal: true }
        return
      }
    } else if (cells.length !== columns.length) {
      yield fault(`has ${cells.length} cells, but the header has ${columns.length} columns`)
    } else {
      // Spreadsheets write CRLF for line breaks in a cell. White space around it would make another id or subject of the same one.
      const filled = columns.flatMap((name, nth): [string, string][] => {
        const cell = cells[nth]?.trim()
        return cell ? [[name, cell.replaceAll('\r\n', '\n')]] : []
      })
      yield { line: start, ...toValue(new Map(filled), dialect) }
    }
  }
  if (!error) return
  const message = `is unreadable, as is the rest of the file: ${error.message}`
  yield { line, faults: [{ field: '', message }], fatal: true }
}

/** Counts the line feeds of a quoted cell; the parser counts CRLF in it twice. */
const countLineFeeds = (cell: Uint8Array) => cell.reduce((feeds, byte) => feeds + (byte === 10 ? 1 : 0), 0)
