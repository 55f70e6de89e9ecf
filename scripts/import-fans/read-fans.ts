/** Reads a file of fans, NDJSON or CSV, as a stream: each line with its fan, or with all of its faults. */
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
  /** From 1; the first line of a CSV record that spans several. */
  line: number
  /** Undefined when there are faults. */
  fan?: ImportedFan
  faults: FanFault[]
  /** Nothing after this line can be read. */
  fatal?: true
}

export interface ReadOptions {
  format: FanFormat
  provider: string
  now: Date
}

/** A line, as CSV a record, holds no more. Bytes. */
const MAX_LINE = 65_536
/** Faults reported of one line. */
const MAX_FAULTS = 20
const COLUMNS = Object.keys(FanRecord.properties)
/** An instant of RFC 3339. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i

/** Lines in their order; empty ones are left out. A subject or handle that an earlier line has is a fault. */
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
    const { fan, faults } = judgeFan(value, provider, now)
    for (const [seen, field] of [
      [subjects, 'subject'],
      [handles, 'handle'],
    ] as const) {
      const name = (value as Record<string, unknown> | null)?.[field]
      if (typeof name !== 'string') continue
      const first = seen.get(name)
      if (first === undefined) seen.set(name, line)
      else faults.push({ field, message: `is there already, on line ${first}` })
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
      yield fault(`has more than ${MAX_LINE} bytes`)
      continue
    }
    const text = decode(bytes)
    if (text === null) yield fault('is not UTF-8')
    else if (text.trim() !== '') {
      try {
        yield { line, value: JSON.parse(text) }
      } catch {
        yield fault('is no JSON')
      }
    }
  }
}

/** The bytes of each line; null for one that is too long, whose bytes are dropped as they come. */
async function* splitLines(path: string): AsyncGenerator<Uint8Array | null> {
  let rest = Buffer.alloc(0)
  let tooLong = false
  for await (const chunk of readBytes(path)) {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([rest, chunk.subarray(from, at)])
      yield tooLong || line.length > MAX_LINE ? null : line
      rest = Buffer.alloc(0)
      tooLong = false
      from = at + 1
    }
    rest = Buffer.concat([rest, chunk.subarray(from)])
    if (rest.length <= MAX_LINE) continue
    tooLong = true
    rest = Buffer.alloc(0)
  }
  if (tooLong || rest.length > 0) yield tooLong ? null : rest
}

/** Without the byte order mark, which spreadsheets write. */
async function* readBytes(path: string): AsyncGenerator<Buffer> {
  let first = true
  // Guarantee: without an encoding the stream of a file reads buffers.
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    yield first && chunk.indexOf('\ufeff') === 0 ? chunk.subarray(3) : chunk
    first = false
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Null for what is not UTF-8. */
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
    ...{ info: true, relax_column_count: true, max_record_size: MAX_LINE },
    // Cells as bytes: the parser would put U+FFFD in the place of what is not UTF-8.
    encoding: null,
    // An error of the stream would discard the records that were parsed before it.
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
  // Guarantee: `info` and `encoding: null` make the parser answer this.
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
      yield fault(`has ${cells.length} cells, and the first line names ${columns.length} columns`)
    } else yield { line: at, value: recordOf(columns, cells) }
  }
  if (!error) return
  const message = `cannot be read, nor what follows it: ${error.message}`
  yield { line, faults: [{ field: '', message }], fatal: true }
}

/** Of a quoted cell; the parser's own count takes CRLF in it for two. */
const countLineFeeds = (cell: Uint8Array) => cell.reduce((feeds, byte) => feeds + (byte === 10 ? 1 : 0), 0)

function findHeaderFaults(columns: string[]): FanFault[] {
  const unknown = columns.filter(name => !COLUMNS.includes(name))
  const twice = columns.filter((name, at) => columns.indexOf(name) < at)
  return [
    ...unknown.map(field => ({ field, message: `is no column: there are ${COLUMNS.join(', ')}` })),
    ...twice.map(field => ({ field, message: 'is there twice' })),
    ...(columns.includes('subject') ? [] : [{ field: 'subject', message: 'is required' }]),
  ]
}

/** A cell that is not a number or a boolean remains text, so that the schema reports it. Empty cells are left out. */
function recordOf(columns: string[], cells: string[]): Record<string, unknown> {
  const typed = (name: string, cell: string) => {
    if (name === 'openingBalance' && /^\d{1,16}$/.test(cell)) return Number(cell)
    if (name === 'joinLeaderboard' && /^(true|false)$/.test(cell)) return cell === 'true'
    // Spreadsheets break the lines of a cell by CRLF.
    return cell.replaceAll('\r\n', '\n')
  }
  const filled = columns.flatMap((name, at) => (cells[at] ? [[name, typed(name, cells[at])]] : []))
  return Object.fromEntries(filled)
}

/** Holds a value to the schema, then to the rules of its members. */
function judgeFan(value: unknown, provider: string, now: Date): { fan?: ImportedFan; faults: FanFault[] } {
  const broken = findSchemaFaults(value)
  if (broken.length > 0) return { faults: broken }
  // Guarantee: the schema holds.
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
      faults.push({ field, message: 'must hold no NUL and no lone surrogate' })
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
      faults.set(field, { field, message: unknown ? 'is not known here' : explainFault(error) })
    if (faults.size === MAX_FAULTS) break
  }
  return [...faults.values()]
}
