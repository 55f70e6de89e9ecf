/**
 * Compares rows with the events that describe their creation: events are hashed, and the events of a fan have no gaps.
 * Events without data, and rows that are older than their events, are skipped.
 */
import { and, eq, getTableName, inArray, isNotNull, or } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { inRange, type Range } from '../../../db/id-range.ts'
import type { Reader, Tables } from '../../../db/index.ts'
import { columnOf } from '../../../db/schema/shape.ts'
import { type Finding, isAtOnce, readJson, shown, type Value } from '../../core/finding.ts'
import type { EventRow } from '../../economy/events/event.ts'
import { APPLICATION, type ApplicationEventType } from '../../economy/events/types.ts'
import { unpaidKeptSince } from '../../play/purchases/unpaid-holds.ts'
import { endedKeptSince } from '../../play/trades/end.ts'
import { byMergedFans } from '../coverage/merged-fans.ts'
import { FACTS, type Fact, Fan, type Happened, UNDONE_BY_VOID, WITHOUT_DATA } from './recorded-facts.ts'

/** Needs a snapshot: an event is written together with the rows that it describes. */
export const findUnrecorded = (reader: Reader, range: Range): Promise<Finding[]> =>
  byMergedFans(reader, range, (some, fanOf, apart) => findWrongOf(reader, some, fanOf, apart))

async function findWrongOf(
  reader: Reader,
  range: Range,
  fanOf: Map<string, string>,
  apart: ReadonlySet<string>,
): Promise<Finding[]> {
  const { events } = reader.tables
  const rows = await reader
    .select()
    .from(events)
    .where(
      and(
        ...[eq(events.source, APPLICATION), inArray(events.type, Object.keys(FACTS))],
        ...[or(isNotNull(events.data), inArray(events.type, WITHOUT_DATA)), inRange(events.userId, range)],
      ),
    )
  // Two fans have an event each about a trade or an invitation.
  const own = rows.filter(({ userId }) => userId === null || !apart.has(userId))
  const ordered = inOrder(own, fanOf)
  const expected = new Map<string, Expected>()
  for (const row of ordered)
    for (const fact of factsOf(row, [...fanOf.keys()])) add(expected, row, fact, fanOf.size > 0)
  const deleted = [...expected.values()].flatMap(one => deletedId(one, reader.now()) ?? [])
  const findings: Finding[] = []
  for (const [of, some] of Map.groupBy(expected.values(), ({ fact }) => fact.of))
    findings.push(...(await compareRows(reader, of, some, new Set(deleted))))
  return findings
}

/**
 * The events of each record by their sequence: one that waited for a lock has an earlier time than the previous one.
 * Those of merged records are put between them by time, and first at the same time.
 */
function inOrder(rows: EventRow[], fanOf: Map<string, string>): EventRow[] {
  const newest = new Map<string, number>()
  const timed = rows
    .toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0))
    .map(row => {
      const userId = row.userId ?? ''
      const at = Math.max(row.recordedAt.getTime(), newest.get(userId) ?? 0)
      newest.set(userId, at)
      return { row, at, isOfFan: fanOf.get(userId) === userId }
    })
  // The sort is stable.
  return timed.toSorted((a, b) => a.at - b.at || Number(a.isOfFan) - Number(b.isOfFan)).map(({ row }) => row)
}

interface Expected {
  userId: string
  /** When the first of its events happened. */
  since: Date
  fact: Fact
  /** The allowed values of each column. */
  columns: Map<string, (Value | Fan)[]>
}

/** The id of an order that was never paid, or of an offer that moved nothing, which is deleted after a time. */
function deletedId({ fact, since, columns }: Expected, now: Date): string | undefined {
  const { of, key } = fact
  const [status = null] = columns.get('status') ?? []
  const isOld =
    (of === 'orders' && since <= unpaidKeptSince(now)) || (of === 'trades' && since <= endedKeptSince(now))
  return isOld && (status === null || status === 'cancelled') ? String(key.id) : undefined
}

function factsOf(row: EventRow, members: string[]): readonly Fact[] {
  const { type, userId, data, occurredAt: at, voidedAt, eventId } = row
  if (type === null || userId === null || at === null) return []
  if (data === null && !WITHOUT_DATA.includes(type)) return []
  if (voidedAt && UNDONE_BY_VOID.includes(type)) return []
  // Guarantee of the casts: the application writes the data of each type by its schema.
  const read = FACTS[type as ApplicationEventType] as
    | ((happened: Happened<never>) => readonly Fact[])
    | undefined
  const fan = new Fan(members.includes(userId) ? members : [userId])
  const told = readJson(data)
  return told === undefined ? [] : (read?.({ eventId, data: told as never, at, fan }) ?? [])
}

function add(
  expected: Map<string, Expected>,
  { userId, occurredAt }: EventRow,
  fact: Fact,
  isMerged: boolean,
) {
  const name = JSON.stringify([fact.of, Object.values(fact.key)])
  const known = expected.getOrInsertComputed(name, () => ({
    userId: userId ?? '',
    since: occurredAt ?? new Date(0),
    fact,
    columns: new Map(),
  }))
  // Two merged records may each have a row.
  const hasSeveral = isMerged && Object.values(fact.key).some(value => value instanceof Fan)
  for (const [column, value] of Object.entries(fact.columns))
    known.columns.set(column, [
      ...(hasSeveral ? [...(known.columns.get(column) ?? []), ...copied(column)] : []),
      value,
    ])
}

/** A merge copies a completed set without its reward. */
const copied = (column: string) => (column === 'points' ? [0] : column === 'rewardId' ? [null] : [])

/** Rows per statement. */
const PAGE = 500

async function compareRows(
  reader: Reader,
  of: keyof Tables,
  expected: Expected[],
  deleted: Set<string>,
): Promise<Finding[]> {
  // Guarantee of the casts: every table has the methods of Drizzle, and its rows have its columns.
  const table = reader.tables[of] as Tables['events']
  const [lead = ''] = Object.keys(expected[0]?.fact.key ?? {})
  const ids = [...new Set(expected.flatMap(({ fact }) => idsOf(fact.key[lead] ?? '')))]
  const rows: Record<string, Value>[] = []
  for (let start = 0; start < ids.length; start += PAGE)
    rows.push(
      ...((await reader
        .select()
        .from(table)
        .where(inArray(columnOf(table, lead), ids.slice(start, start + PAGE)))) as Record<string, Value>[]),
    )
  const byLead = Map.groupBy(rows, row => String(row[lead]))
  return expected
    .filter(({ fact: { key } }) => byLead.has(String(key[lead])) || !deleted.has(String(key[lead])))
    .flatMap(one => compareRow(getTableName(table), lead, one, byLead))
}

function compareRow(
  table: string,
  lead: string,
  { userId, fact, columns }: Expected,
  byLead: Map<string, Record<string, Value>[]>,
): Finding[] {
  const { key } = fact
  const name =
    Object.values(key)
      .flatMap(value => (value instanceof Fan ? [] : value))
      .join(' ') || userId
  const rows = idsOf(key[lead] ?? '')
    .flatMap(id => byLead.get(id) ?? [])
    .filter(row => Object.entries(key).every(([column, value]) => idsOf(value).includes(String(row[column]))))
  if (rows.length === 0) return [{ userId, what: `${table}.row of ${name}`, expected: name, actual: null }]
  const found = rows.map(row =>
    [...columns].flatMap(([column, values]): Finding[] => {
      const actual = row[column] ?? null
      if (values.some(value => isSame(value, actual))) return []
      const [value = null] = values
      const expected = value instanceof Fan ? (value.ids[0] ?? null) : shown(value)
      return [{ userId, what: `${table}.${toSnakeCase(column)} of ${name}`, expected, actual: shown(actual) }]
    }),
  )
  return found.flat()
}

const idsOf = (value: string | Fan): readonly string[] => (value instanceof Fan ? value.ids : [value])

function isSame(expected: Value | Fan, actual: Value): boolean {
  if (expected instanceof Fan) return expected.ids.includes(String(actual))
  if (expected instanceof Date && actual instanceof Date) return isAtOnce(expected, actual)
  return expected === actual
}
