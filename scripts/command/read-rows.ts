/** Streams the rows of a file, NDJSON or CSV, for imports: each with its line, and a value or what is wrong with it. */
import { createReadStream, existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import { type CsvError, parse } from 'csv-parse'
import { explainFault } from '../../src/core/faults.ts'
import { errorsOf } from '../../src/core/formats.ts'
import { type TSchema, ValueErrorType } from '../../src/core/typebox.ts'
import { isDirectory } from './database.ts'
import { fail, failUsage } from './explain.ts'

export type RowFormat = 'ndjson' | 'csv'

export interface RowFault {
  /** A member of the row; empty if the fault concerns none. */
  field: string
  message: string
}

export interface FaultyRow {
  /** Starts at 1; the first line of a CSV record that spans several. */
  line: number
  faults: RowFault[]
  /** The rest of the file is unreadable. */
  fatal?: true
}

export type Row = { line: number; value: unknown } | FaultyRow

/** How CSV becomes values. */
export interface CsvColumns {
  /** What is wrong with the names of the first line. */
  headerFaults(columns: string[]): RowFault[]
  /** The value of a record. Empty cells are left out. */
  toValue(cells: Map<string, string>): unknown
}

/** Maximum size of a line, or of a CSV record, in bytes. */
const MAX_LINE_BYTES = 65_536
/** Maximum of reported faults per line. */
const MAX_FAULTS = 20

/** The format by the name of the file. Fails unless the file exists. */
export function formatOf(path: string): RowFormat {
  if (isDirectory(path)) fail(`${path} is a directory: name the file.`)
  if (!existsSync(path)) fail(`There is no file ${path}.`)
  if (/\.(ndjson|jsonl)$/i.test(path)) return 'ndjson'
  return /\.csv$/i.test(path) ? 'csv' : failUsage('the name of the file must end in .ndjson, .jsonl or .csv')
}

/** Yields the rows in order, without empty lines. */
export const readRows = (path: string, format: RowFormat, columns: CsvColumns): AsyncGenerator<Row> =>
  format === 'csv' ? readCsv(path, columns) : readNdjson(path)

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

async function* readNdjson(path: string): AsyncGenerator<Row> {
  let line = 0
  for await (const bytes of splitLines(path)) {
    line++
    const fault = (message: string): FaultyRow => ({ line, faults: [{ field: '', message }] })
    if (bytes === null) {
      yield fault(`has more than ${MAX_LINE_BYTES} bytes`)
      continue
    }
    const text = decode(bytes)
    if (text === null) yield fault('is not UTF-8')
    else if (text.trim() !== '') {
      try {
        yield { line, value: JSON.parse(text) }
      } catch {
        yield fault('is not JSON')
      }
    }
  }
}

/** The bytes of each line; null for one that is too long, whose bytes are discarded while reading. */
async function* splitLines(path: string): AsyncGenerator<Uint8Array | null> {
  let rest = Buffer.alloc(0)
  let tooLong = false
  for await (const chunk of readBytes(path)) {
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

/** Reads the file without the byte order mark that spreadsheets write. */
async function* readBytes(path: string): AsyncGenerator<Buffer> {
  let first = true
  // Guarantee: a file stream without encoding yields buffers.
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    yield first && chunk.indexOf('\ufeff') === 0 ? chunk.subarray(3) : chunk
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

async function* readCsv(path: string, { headerFaults, toValue }: CsvColumns): AsyncGenerator<Row> {
  const parser = parse({
    ...{ info: true, relax_column_count: true, max_record_size: MAX_LINE_BYTES },
    // Cells as bytes: the parser would replace invalid UTF-8 by U+FFFD.
    encoding: null,
    // A stream error would discard the records parsed before it.
    skip_records_with_error: true,
  })
  let error: CsvError | undefined
  parser.on('skip', skipped => {
    error ??= skipped
  })
  const bytes = Readable.from(readBytes(path))
  bytes.on('error', failure => parser.destroy(failure)).pipe(parser)
  let columns: string[] | undefined
  let line = 1
  // Guarantee: with `info` and `encoding: null` the parser yields this.
  for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
    if (error && info.lines >= Number(error.lines)) break
    const cells = record.map(cell => decode(cell))
    const start = line
    line += 1 + record.reduce((breaks, cell) => breaks + countLineFeeds(cell), 0)
    if (cells.length === 1 && cells[0] === '') continue
    const fault = (message: string): FaultyRow => ({ line: start, faults: [{ field: '', message }] })
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
      // Spreadsheets write CRLF for line breaks in a cell.
      const filled = columns.flatMap((name, nth): [string, string][] =>
        cells[nth] ? [[name, cells[nth].replaceAll('\r\n', '\n')]] : [],
      )
      yield { line: start, value: toValue(new Map(filled)) }
    }
  }
  if (!error) return
  const message = `is unreadable, as is the rest of the file: ${error.message}`
  yield { line, faults: [{ field: '', message }], fatal: true }
}

/** Counts the line feeds of a quoted cell; the parser counts CRLF in it twice. */
const countLineFeeds = (cell: Uint8Array) => cell.reduce((feeds, byte) => feeds + (byte === 10 ? 1 : 0), 0)
