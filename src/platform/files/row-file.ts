/** A file of rows for imports, NDJSON or CSV, and what is wrong with its lines. */
import { findByteOrder } from '../../core/decode-text.ts'

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

export type ParsedLine = { line: number; value: unknown } | FaultyLine

/** Of an import of rows. Each is awaited. What one throws ends the import, between two batches. */
export interface ImportHooks {
  /** Lines so far. */
  onChecked(lines: number): void | Promise<void>
  /** A line that is not imported. */
  onFaulty(line: FaultyLine): void | Promise<void>
  onWritten(done: number, total: number): void | Promise<void>
}

/** Maximum size of a line, or of a CSV record, in bytes. */
export const MAX_LINE_BYTES = 65_536
/** Maximum of reported faults per line. */
export const MAX_FAULTS = 20

/** By the extension of the name of a file; null for another one. */
export function rowFormatOf(name: string): RowFormat | null {
  if (/\.(ndjson|jsonl)$/i.test(name)) return 'ndjson'
  return /\.csv$/i.test(name) ? 'csv' : null
}

/** Reads the file as UTF-8, without the byte order mark that spreadsheets write. */
export async function* readBytes(file: RowFile): AsyncGenerator<Buffer> {
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
export function decode(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}
