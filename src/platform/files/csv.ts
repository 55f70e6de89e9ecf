/** Reads the records of a CSV file, as spreadsheets of many countries write it. */
import { Readable } from 'node:stream'
import type { CsvError } from 'csv-parse'
import type { Dialect } from './cells.ts'
import {
  decode,
  type FaultyLine,
  MAX_LINE_BYTES,
  type ParsedLine,
  type RowFault,
  type RowFile,
  readBytes,
} from './row-file.ts'

/** How CSV becomes values. */
export interface CsvColumns {
  /** What is wrong with the names of the first line. */
  headerFaults(columns: string[]): RowFault[]
  /** The value of a record, or what is wrong with its cells. Empty cells are left out, as is white space around a cell. */
  toValue(cells: Map<string, string>, dialect: Dialect): { value: unknown } | { faults: RowFault[] }
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
  // Guarantee of the cast: the pattern.
  const stated = /^sep=([,;\t])$/i.exec(line)?.[1] as Dialect['delimiter'] | undefined
  if (stated) return { delimiter: stated, hasOwnLine: true }
  const names = line
    .split('"')
    .filter((_, part) => part % 2 === 0)
    .join('')
  const delimiter = ([',', ';', '\t'] as const).find(one => names.includes(one)) ?? ','
  return { delimiter, hasOwnLine: false }
}

/** The rows of a CSV file, without empty lines. */
export async function* readCsv(
  file: RowFile,
  { headerFaults, toValue }: CsvColumns,
): AsyncGenerator<ParsedLine> {
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
    // Spreadsheets write rows without content, and cells behind the last column, as separators alone.
    if (cells.every(isBlank)) continue
    if (columns) while (cells.length > columns.length && isBlank(cells.at(-1))) cells.pop()
    const fault = (message: string): FaultyLine => ({ line: start, faults: [{ field: '', message }] })
    if (!cells.every(cell => cell !== null)) yield fault('is not UTF-8: export the file as CSV UTF-8')
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

const isBlank = (cell: string | null | undefined) => cell?.trim() === ''

/** Counts the line feeds of a quoted cell; the parser counts CRLF in it twice. */
const countLineFeeds = (cell: Uint8Array) => cell.reduce((feeds, byte) => feeds + (byte === 10 ? 1 : 0), 0)
