/** Streams a file of fans, NDJSON or CSV: each line with its fan or with all its faults. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { Static } from '@sinclair/typebox'
import { ValueErrorType } from '@sinclair/typebox/errors'
import { Value } from '@sinclair/typebox/value'
import { type CsvError, parse } from 'csv-parse'
import type { FanFault, ImportedFan } from '../../src/admin/import/fans.ts'
import { FanRecord } from '../../src/admin/import/fans-schema.ts'
import { DomainError } from '../../src/core/problems.ts'
import { explainFault } from '../../src/http/contract/validation.ts'
import { normalizeProfile, PROFILE_FIELDS } from '../../src/profile/rules.ts'

export type FanFormat = 'ndjson' | 'csv'

export interface FanLine {
  /** Starts at 1; the first line of a CSV record that spans several. */
  line: number
  /** Undefined if there are faults. */
  fan?: ImportedFan
  faults: FanFault[]
  /** The rest of the file is unreadable. */
  fatal?: true
}

export interface ReadOptions {
  format: FanFormat
  provider: string
  now: Date
}

/** Maximum size of a line, or of a CSV record, in bytes. */
const MAX_LINE_BYTES = 65_536
/** Maximum of reported faults per line. */
const MAX_FAULTS = 20
const COLUMNS = Object.keys(FanRecord.properties)
/** An instant of RFC 3339. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i

/** Yields the lines in order, without empty ones. A subject or handle of an earlier line is a fault. */
export async function* readFans(
  path: string,
  { format, provider, now }: ReadOptions,
): AsyncGenerator<FanLine> {
  const subjects = new Map<string, number>()
  const handles = new Map<string, number>()
  for await (const row of format === 'csv' ? readCsv(path) : readNdjson(path)) {
    if (!('value' in row)) {
      yield row
      continue
    }
    const { line, value } = row
    const { fan, faults } = validateFan(value, provider, now)
    for (const [seen, field] of [
      [subjects, 'subject'],
      [handles, 'handle'],
    ] as const) {
      const name = (value as Record<string, unknown> | null)?.[field]
      if (typeof name !== 'string') continue
      const first = seen.get(name)
      if (first === undefined) seen.set(name, line)
      else faults.push({ field, message: `is a duplicate of line ${first}` })
    }
    yield fan && faults.length === 0 ? { line, fan, faults } : { line, faults }
  }
}

type Row = { line: number; value: unknown } | FanLine

async function* readNdjson(path: string): AsyncGenerator<Row> {
  let line = 0
  for await (const bytes of splitLines(path)) {
    line++
    const fault = (message: string): FanLine => ({ line, faults: [{ field: '', message }] })
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
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([rest, chunk.subarray(from, at)])
      yield tooLong || line.length > MAX_LINE_BYTES ? null : line
      rest = Buffer.alloc(0)
      tooLong = false
      from = at + 1
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

async function* readCsv(path: string): AsyncGenerator<Row> {
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
    const at = line
    line += 1 + record.reduce((breaks, cell) => breaks + countLineFeeds(cell), 0)
    if (cells.length === 1 && cells[0] === '') continue
    const fault = (message: string): FanLine => ({ line: at, faults: [{ field: '', message }] })
    if (!cells.every(cell => cell !== null)) yield fault('is not UTF-8')
    else if (columns === undefined) {
      columns = cells.map(cell => cell.trim())
      const faults = findHeaderFaults(columns)
      if (faults.length > 0) {
        yield { line: at, faults, fatal: true }
        return
      }
    } else if (cells.length !== columns.length) {
      yield fault(`has ${cells.length} cells, but the header has ${columns.length} columns`)
    } else yield { line: at, value: recordOf(columns, cells) }
  }
  if (!error) return
  const message = `is unreadable, as is the rest of the file: ${error.message}`
  yield { line, faults: [{ field: '', message }], fatal: true }
}

/** Counts the line feeds of a quoted cell; the parser counts CRLF in it twice. */
const countLineFeeds = (cell: Uint8Array) => cell.reduce((feeds, byte) => feeds + (byte === 10 ? 1 : 0), 0)

function findHeaderFaults(columns: string[]): FanFault[] {
  const unknown = columns.filter(name => !COLUMNS.includes(name))
  const twice = columns.filter((name, at) => columns.indexOf(name) < at)
  return [
    ...unknown.map(field => ({ field, message: `is not a column; columns: ${COLUMNS.join(', ')}` })),
    ...twice.map(field => ({ field, message: 'is duplicated' })),
    ...(columns.includes('subject') ? [] : [{ field: 'subject', message: 'is required' }]),
  ]
}

/** A cell that is not a number or a boolean remains text, so that the schema reports it. Empty cells are left out. */
function recordOf(columns: string[], cells: string[]): Record<string, unknown> {
  const typed = (name: string, cell: string) => {
    if (name === 'openingBalance' && /^\d{1,16}$/.test(cell)) return Number(cell)
    if (name === 'joinLeaderboard' && /^(true|false)$/.test(cell)) return cell === 'true'
    // Spreadsheets write CRLF for line breaks in a cell.
    return cell.replaceAll('\r\n', '\n')
  }
  const filled = columns.flatMap((name, at) => (cells[at] ? [[name, typed(name, cells[at])]] : []))
  return Object.fromEntries(filled)
}

/** Validates a value against the schema, then against the rules of its members. */
function validateFan(value: unknown, provider: string, now: Date): { fan?: ImportedFan; faults: FanFault[] } {
  const broken = findSchemaFaults(value)
  if (broken.length > 0) return { faults: broken }
  // Guarantee: validated against the schema.
  const record = value as Static<typeof FanRecord>
  const faults: FanFault[] = []
  const written = PROFILE_FIELDS.flatMap(field => (record[field] == null ? [] : [[field, record[field]]]))
  let profile: ImportedFan['profile'] = {}
  try {
    profile = normalizeProfile(Object.fromEntries(written), '')
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    for (const { message, ...at } of error.explanation.errors ?? [])
      faults.push({ field: 'pointer' in at ? at.pointer.slice(1) : '', message })
  }
  for (const [field, text] of Object.entries(record)) {
    const storable = typeof text !== 'string' || (text.isWellFormed() && !text.includes('\0'))
    if (!storable && !faults.some(fault => fault.field === field))
      faults.push({ field, message: 'must not contain NUL or a lone surrogate' })
  }
  const completed = record.onboardingCompletedAt ?? null
  const onboardingCompletedAt =
    completed === null ? null : new Date(INSTANT.test(completed) ? completed : Number.NaN)
  if (onboardingCompletedAt && !(onboardingCompletedAt.getTime() >= 0 && onboardingCompletedAt <= now)) {
    const message = 'must be an instant such as 2025-08-15T18:30:00Z, and not in the future'
    faults.push({ field: 'onboardingCompletedAt', message })
  }
  const { subject, openingBalance, joinLeaderboard } = record
  const fan: ImportedFan = {
    provider,
    subject,
    profile,
    openingBalance: openingBalance ?? 0,
    onboardingCompletedAt,
    joinLeaderboard: joinLeaderboard ?? false,
  }
  return { fan, faults }
}

/** The first fault of each member. */
function findSchemaFaults(value: unknown): FanFault[] {
  const faults = new Map<string, FanFault>()
  for (const error of Value.Errors(FanRecord, value)) {
    const field = error.path.slice(1)
    const unknown = error.type === ValueErrorType.ObjectAdditionalProperties
    if (!faults.has(field))
      faults.set(field, { field, message: unknown ? 'is unknown' : explainFault(error) })
    if (faults.size === MAX_FAULTS) break
  }
  return [...faults.values()]
}
