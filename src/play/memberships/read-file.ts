/** Streams a file of memberships, as a ticket office exports it: each line with its membership or with all its faults. */
import { parseInstant } from '../../core/instant.ts'
import { Closed, Slug } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { normalizeEmail } from '../../identity/users/emails.ts'
import type { FanReference } from '../../identity/users/fan-reference.ts'
import { type Cell, readText } from '../../platform/files/cells.ts'
import type { CsvColumns } from '../../platform/files/csv.ts'
import type { FaultyLine, RowFile } from '../../platform/files/row-file.ts'
import { findColumnFaults, findSchemaFaults, objectOf, readRows } from '../../platform/files/rows.ts'
import { type DateOrder, MEMBERSHIP_COLUMNS } from './file-columns.ts'
import { membershipMembers } from './schema.ts'

const MembershipRecord = Closed({
  ref: membershipMembers.ref,
  kind: Slug('A kind of membership.'),
  number: Type.Optional(membershipMembers.number),
  holder: Type.Optional(membershipMembers.holder),
  email: Type.Optional(Type.String({ minLength: 3, maxLength: 254 })),
  provider: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  subject: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  startsAt: Type.String(),
  endsAt: Type.String(),
})
type MembershipRecord = typeof MembershipRecord.static

interface ImportedMembership {
  ref: string
  kindId: string
  number: string | null
  holder: string | null
  /** Null: the line names nobody. */
  fan: FanReference | null
  startsAt: Date
  endsAt: Date
  /** Why the fan is not clear. */
  unclear?: string
  /** An earlier line with the same fan and kind, whose period has days of this one. */
  overlaps?: number
}

export interface MembershipLine extends FaultyLine {
  /** Undefined if there are faults, or if the line repeats an earlier one. */
  membership?: ImportedMembership
}

interface ReadOptions {
  provider: string
  /** Days without a time are days of this zone. */
  timeZone: string
  /** For dates with two meanings. */
  dates?: DateOrder | undefined
  /** Our columns, by the names that the file has. */
  map?: Record<string, string> | undefined
}

/** Yields the lines in order, without empty ones. A ref of an earlier line is a fault, unless the lines are the same. */
export async function* readMembershipLines(
  file: RowFile,
  options: ReadOptions,
): AsyncGenerator<MembershipLine> {
  const refs = new Map<string, { line: number; text: string }>()
  const earlier: Earlier = { holders: new Map(), periods: new Map() }
  for await (const row of readRows(file, columnsOf(options))) {
    if (!('value' in row)) {
      yield row
      continue
    }
    const { line, value } = row
    const read = validate(value, options)
    if ('faults' in read) {
      yield { line, faults: read.faults }
      continue
    }
    const text = JSON.stringify(read.membership)
    const { ref } = read.membership
    const first = refs.get(ref)
    if (first && first.text === text) yield { line, faults: [] }
    else if (first)
      yield {
        line,
        faults: [{ field: 'ref', message: `is a duplicate of line ${first.line}, with other content` }],
      }
    else {
      refs.set(ref, { line, text })
      yield {
        line,
        faults: [],
        membership: {
          ...read.membership,
          ...findUnclear(line, read.membership, earlier),
          ...findOverlap(line, read.membership, earlier),
        },
      }
    }
  }
}

/** What earlier lines say about a fan and a kind. */
interface Earlier {
  /** The holder of the first line with an e-mail. */
  holders: Map<string, { line: number; holder: string | null }>
  periods: Map<string, { line: number; startsAt: Date; endsAt: Date }[]>
}

/** Who pays for the tickets of others states one e-mail for all: only the first holder is the fan of the address. */
function findUnclear(
  line: number,
  { fan, kindId, holder }: ImportedMembership,
  { holders }: Earlier,
): Pick<ImportedMembership, 'unclear'> {
  if (!fan || !('email' in fan)) return {}
  const name = `${normalizeEmail(fan.email)} ${kindId}`
  const first = holders.get(name)
  if (!first) holders.set(name, { line, holder })
  if (!first || first.holder?.toLowerCase() === holder?.toLowerCase()) return {}
  return {
    unclear: `has the e-mail of line ${first.line}, with another holder: state the subject of the fan`,
  }
}

/** The same person may be in the file twice, under two refs. */
function findOverlap(
  line: number,
  { fan, kindId, startsAt, endsAt }: ImportedMembership,
  { periods }: Earlier,
): Pick<ImportedMembership, 'overlaps'> {
  if (!fan) return {}
  const name = `${'email' in fan ? normalizeEmail(fan.email) : JSON.stringify(fan)} ${kindId}`
  const before = periods.getOrInsertComputed(name, () => [])
  const other = before.find(period => period.startsAt < endsAt && startsAt < period.endsAt)
  before.push({ line, startsAt, endsAt })
  return other ? { overlaps: other.line } : {}
}

const isColumn = (name: string) => MEMBERSHIP_COLUMNS.some(column => column === name)

const columnsOf = ({ map = {} }: ReadOptions): CsvColumns => {
  const nameOf = (column: string) => map[column] ?? column
  return {
    headerFaults(columns) {
      const known = columns.filter(column => isColumn(nameOf(column)))
      const unknown = Object.keys(map).filter(column => !columns.includes(column))
      return [
        ...findColumnFaults(
          known.map(nameOf),
          [...MEMBERSHIP_COLUMNS],
          ['ref', 'kind', 'startsAt', 'endsAt'],
        ),
        ...unknown.map(field => ({ field, message: 'is not a column of the file (--map)' })),
        ...Object.values(map)
          .filter(name => !isColumn(name))
          .map(field => ({ field, message: `must be one of ${MEMBERSHIP_COLUMNS.join(', ')} (--map)` })),
      ]
    },
    // Other columns of the ticket office are left out. All is text, so that numbers keep their zeros.
    toValue: cells =>
      objectOf(
        [...cells]
          .filter(([column]) => isColumn(nameOf(column)))
          .map(([column, cell]) => ({ name: nameOf(column), field: column, ...readText(cell) })),
      ),
  }
}

function validate(
  value: unknown,
  options: ReadOptions,
): { membership: ImportedMembership } | Pick<FaultyLine, 'faults'> {
  const faults = findSchemaFaults(MembershipRecord, value)
  if (faults.length > 0) return { faults }
  // Guarantee of the cast: validated against the schema.
  const record = value as MembershipRecord
  const {
    ref,
    kind: kindId,
    number = null,
    holder = null,
    email,
    subject,
    provider = options.provider,
  } = record
  const [start, end] = [readDate(record.startsAt, options, 'start'), readDate(record.endsAt, options, 'end')]
  if ('message' in start) return { faults: [{ field: 'startsAt', message: start.message }] }
  if ('message' in end) return { faults: [{ field: 'endsAt', message: end.message }] }
  if (start.value >= end.value) return { faults: [{ field: 'endsAt', message: 'must be after startsAt' }] }
  const fan = subject === undefined ? (email === undefined ? null : { email }) : { provider, subject }
  return { membership: { ref, kindId, number, holder, fan, startsAt: start.value, endsAt: end.value } }
}

/** An instant, or a day as spreadsheets write it. The last day of a membership belongs to it. */
export function readDate(
  cell: string,
  { timeZone, dates }: Pick<ReadOptions, 'timeZone' | 'dates'>,
  edge: 'start' | 'end',
): Cell<Date> {
  const instant = parseInstant(cell)
  if (instant) return { value: instant }
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(cell)
  const other = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/.exec(cell)
  const parts = iso ? [iso[1], iso[2], iso[3]] : other ? inOrder(other, dates) : undefined
  if (parts === 'ambiguous') return { message: 'could be day or month first: state --dates dmy or mdy' }
  if (!parts) return { message: 'is not a date such as 2026-07-01 or 01.07.2026, or an instant' }
  const [year, month, day] = parts.map(Number)
  try {
    const date = Temporal.PlainDate.from(
      { year: year ?? 0, month: month ?? 0, day: day ?? 0 },
      { overflow: 'reject' },
    )
    const first = edge === 'start' ? date : date.add({ days: 1 })
    return { value: new Date(first.toZonedDateTime({ timeZone }).epochMilliseconds) }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { message: 'is not a day of the calendar' }
  }
}

/** Year, month and day. With points the day comes first. */
function inOrder([, first = '', sign, second = '', year = '']: RegExpExecArray, dates?: DateOrder) {
  const order =
    dates ?? (sign === '.' || Number(first) > 12 ? 'dmy' : Number(second) > 12 ? 'mdy' : undefined)
  if (order === undefined && first !== second) return 'ambiguous'
  return order === 'mdy' ? [year, first, second] : [year, second, first]
}
