/** Streams a file of events, NDJSON or CSV: each line with its event or with all its faults. */

import { findInexactNumbers } from '../../../core/exact-json.ts'
import { DomainError, type FieldError } from '../../../core/problems.ts'
import { findUnsafe } from '../../../core/unsafe-text.ts'
import { findDataFault } from '../../../economy/events/data-faults.ts'
import { Event } from '../../../economy/events/schema.ts'
import { type CellType, type Decimal, readCell, readText } from '../../../platform/files/cells.ts'
import type { CsvColumns } from '../../../platform/files/csv.ts'
import type { FaultyLine, RowFault, RowFile } from '../../../platform/files/row-file.ts'
import {
  findColumnFaults,
  findPadded,
  findSchemaFaults,
  objectOf,
  readRows,
} from '../../../platform/files/rows.ts'
import { type MemberTypes, pointerTo } from './member-types.ts'

export interface EventLine extends FaultyLine {
  /** Undefined if there are faults. */
  event?: Event
}

/** As `maxBodyLevels` of the API. */
const MAX_LEVELS = 32
const COLUMNS = ['id', 'type', 'occurredAt', 'userId', 'subject', 'provider', 'data']
/** Prefix of the columns for single members of `data`. */
const MEMBER = 'data.'

interface ReadOptions {
  provider: string
  /** What rules and quests read of the columns. */
  members?: Pick<MemberTypes, 'typesOf' | 'findUnfit'> | undefined
  /** By the name of the member: stated by the operator, before what rules read. */
  columns?: Record<string, CellType> | undefined
  /** Stated by the operator. */
  decimal?: Decimal | undefined
}

/** Yields the lines in order, without empty ones. An id of an earlier line is a fault. */
export async function* readEvents(file: RowFile, options: ReadOptions): AsyncGenerator<EventLine> {
  const ids = new Map<string, number>()
  for await (const row of readRows(file, columnsOf(options))) {
    if (!('value' in row)) {
      yield row
      continue
    }
    const { line, value } = row
    const faults = findFaults(value, options)
    // Guarantee of the cast: nothing is known of the member.
    const id = (value as Record<string, unknown> | null)?.id
    const first = typeof id === 'string' ? ids.get(id) : undefined
    if (first !== undefined) faults.push({ field: 'id', message: `is a duplicate of line ${first}` })
    else if (typeof id === 'string') ids.set(id, line)
    // Guarantee of the cast: validated against the schema.
    yield faults.length === 0 ? { line, event: value as Event, faults } : { line, faults }
  }
}

/** By the schema of the API, and the checks of its bodies. */
function findFaults(value: unknown, { members, columns = {} }: ReadOptions): RowFault[] {
  const faults = findSchemaFaults(Event, value)
  if (faults.length > 0) return faults
  let unsafe: FieldError[]
  try {
    unsafe = findUnsafe(value, MAX_LEVELS)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return [{ field: 'data', message: `is nested deeper than ${MAX_LEVELS} levels` }]
  }
  // Guarantee of the cast: validated against the schema.
  const { id, type, fan, data = {} } = value as Event
  const fault = findDataFault(data)
  const stated = new Set(Object.keys(columns).map(name => `data${pointerTo(name)}`))
  return [
    ...unsafe.map(({ message, ...at }) => ({ field: 'pointer' in at ? at.pointer.slice(1) : '', message })),
    ...(fault ? [{ field: `data${fault.pointer}`, message: fault.message }] : []),
    ...findPadded({ id, ...('subject' in fan ? { 'fan/subject': fan.subject } : {}) }),
    // What the operator has stated of a column is what they want.
    ...(members?.findUnfit(type, data).filter(({ field }) => !stated.has(field)) ?? []),
  ]
}

/** Columns with ids, which a spreadsheet can have shortened. */
const IDS = ['id', 'userId', 'provider', 'subject']

const columnsOf = ({ provider, members, columns = {}, decimal }: ReadOptions): CsvColumns => ({
  headerFaults(columns) {
    const own = columns.filter(name => !name.startsWith(MEMBER))
    const members = columns.filter(name => name.startsWith(MEMBER))
    const fan = own.includes('userId') || own.includes('subject') ? [] : ['subject']
    return [
      ...findColumnFaults(own, COLUMNS, ['id', 'type', 'occurredAt', ...fan]),
      ...findColumnFaults(members, members, []),
      ...(own.includes('data') && members.length > 0
        ? [{ field: 'data', message: `excludes the columns ${members.join(', ')}` }]
        : []),
    ]
  },
  toValue(cells, dialect) {
    const { userId, subject, provider: named = provider, data, ...rest } = Object.fromEntries(cells)
    const own = Object.entries(rest).filter(([name]) => !name.startsWith(MEMBER))
    const isData = ([name]: [string, string]) => name.startsWith(MEMBER)
    const ids = objectOf(
      IDS.flatMap(field => {
        const cell = cells.get(field)
        return cell === undefined ? [] : { name: field, field, ...readText(cell) }
      }),
    )
    if ('faults' in ids) return ids
    const read = objectOf(
      [...cells].filter(isData).map(([field, cell]) => {
        const name = field.slice(MEMBER.length)
        const stated = columns[name]
        const types = stated ? [stated] : (members?.typesOf(rest.type ?? '', name) ?? [])
        return { name, field, ...readCell(cell, types, { ...dialect, decimal }) }
      }),
    )
    if ('faults' in read) return read
    const hasMembers = [...cells].some(isData)
    const value = {
      ...Object.fromEntries(own),
      fan: {
        ...(userId === undefined ? {} : { userId }),
        ...(subject === undefined ? {} : { provider: named, subject }),
      },
      ...(data === undefined ? {} : { data: parsed(data) }),
      ...(hasMembers ? { data: read.value } : {}),
    }
    const inexact = data === undefined ? [] : findInexactNumbers(data, 1)
    return inexact.length === 0
      ? { value }
      : { faults: inexact.map(({ pointer, message }) => ({ field: `data${pointer}`, message })) }
  },
})

/** Text that is not JSON stays text, so that the schema reports it. */
function parsed(cell: string): unknown {
  try {
    return JSON.parse(cell)
  } catch {
    return cell
  }
}
