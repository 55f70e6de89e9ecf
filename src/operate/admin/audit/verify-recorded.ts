/**
 * Compares rows with the events that describe their creation: events are hashed, and the events of a fan have no gaps.
 * Events without data, and rows that are older than their events, are skipped.
 */
import { and, eq, getTableName, inArray, isNotNull, or } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import type { Reader, Tables } from '../../../../db/index.ts'
import { columnOf } from '../../../../db/schema/shape.ts'
import { APPLICATION, type ApplicationEventType, type DataOf } from '../../../economy/events/types.ts'
import { type Finding, isAtOnce, readJson, shown, type Value } from './finding.ts'
import { byMergedFans } from './merged-fans.ts'
import { inRange, type Range } from './stored-fans.ts'

type EventRow = Tables['events']['$inferSelect']

interface Happened<Type extends ApplicationEventType> {
  eventId: string
  data: DataOf<Type>
  at: Date
  /** The user ids that a row of the fan may have, including those of merged records. */
  fan: Fan
}

/** Matches any of these ids, since a row may have stayed with a merged record or moved. */
class Fan {
  constructor(readonly ids: readonly string[]) {}
}

type Columns = Record<string, Value | Fan>

/** The expected columns of a row, which the key identifies. */
interface Fact {
  of: keyof Tables
  key: Record<string, string | Fan>
  columns: Columns
}

type Facts = { [Type in ApplicationEventType]?: (happened: Happened<Type>) => readonly Fact[] }

type OrderEvent = Extract<ApplicationEventType, `order.${string}`>
type OrderHappened = Happened<Exclude<OrderEvent, 'order.line_changed'>>

const orderFact = ({ data, fan }: OrderHappened, columns: Columns = {}): Fact => ({
  of: 'orders',
  key: { id: data.orderId },
  columns: { userId: fan, priceAmount: data.total.amount, priceCurrency: data.total.currency, ...columns },
})

/** Later facts of a row replace earlier ones, column by column. */
const FACTS: Facts = {
  'onboarding.completed': ({ at, fan }) => [
    { of: 'onboardings', key: { userId: fan }, columns: { completedAt: at } },
  ],
  'reward.claimed': ({ data, at, fan }) => [claimFact(data.rewardId, fan, { claimedAt: at })],
  'reward.redeemed': ({ data, at, fan }) => [claimFact(data.rewardId, fan, { redeemedAt: at })],
  'purchase.completed': ({ data, at, fan }): Fact[] => [
    {
      of: 'packPurchases',
      key: { id: data.purchaseId },
      columns: {
        packId: data.packId,
        userId: fan,
        completedAt: at,
        priceAmount: data.price.amount,
        priceCurrency: data.price.currency,
      },
    },
    { of: 'userPacks', key: { id: data.userPackId }, columns: { purchaseId: data.purchaseId, userId: fan } },
  ],
  'purchase.refunded': ({ data, at }) => [
    { of: 'packPurchases', key: { id: data.purchaseId }, columns: { status: 'refunded', refundedAt: at } },
  ],
  'pack.opened': ({ data, at, fan }) => [
    {
      of: 'userPacks',
      key: { id: data.userPackId },
      columns: { packId: data.packId, userId: fan, openedAt: at },
    },
  ],
  'set.completed': ({ data, at, fan }) => [
    {
      of: 'setCompletions',
      key: { userId: fan, setId: data.setId },
      columns: { completedAt: at, points: data.points, rewardId: data.rewardId },
    },
  ],
  'trade.offered': ({ data, at, fan }) => [
    { of: 'trades', key: { id: data.tradeId }, columns: { [`${data.role}Id`]: fan, createdAt: at } },
  ],
  'trade.completed': ({ data, at, fan }) => [
    {
      of: 'trades',
      key: { id: data.tradeId },
      columns: { [`${data.role}Id`]: fan, status: 'completed', endedAt: at },
    },
  ],
  'report.resolved': ({ data, at, fan }) => [
    {
      of: 'reports',
      key: { id: data.reportId },
      columns: {
        reporterId: fan,
        subjectKind: data.subjectKind,
        actionTaken: data.actionTaken,
        resolvedAt: at,
      },
    },
  ],
  'sanction.applied': ({ data, at, fan }) => [
    {
      of: 'moderationDecisions',
      key: { id: data.sanctionId },
      columns: {
        fanId: fan,
        kind: data.kind,
        reason: data.reason,
        createdAt: at,
        until: data.until === null ? null : new Date(data.until),
      },
    },
  ],
  'sanction.lifted': ({ data, at, fan, eventId }) => [
    {
      of: 'moderationDecisions',
      key: { id: eventId },
      columns: { fanId: fan, kind: 'lift', liftsId: data.sanctionId, createdAt: at },
    },
  ],
  'appeal.decided': ({ data, at, fan, eventId }) => [
    {
      of: 'appeals',
      key: { sanctionId: data.sanctionId },
      columns: { id: eventId, fanId: fan, granted: data.granted, decidedAt: at },
    },
  ],
  'order.created': happened => [orderFact(happened, { createdAt: happened.at }), ...lineFacts(happened)],
  'order.paid': happened => [orderFact(happened, { status: 'completed', completedAt: happened.at })],
  'order.expired': happened => [orderFact(happened, { expiryNotedAt: happened.at })],
  'order.cancelled': happened => [orderFact(happened, { status: 'cancelled' })],
  'order.refund_due': happened => [orderFact(happened, { status: 'refund_due' })],
  'order.refunded': happened => [orderFact(happened, { status: 'refunded', refundedAt: happened.at })],
  'order.line_changed': ({ data: { orderId, line, state, carrier, tracking } }) => [
    { of: 'orderLines', key: { orderId, number: String(line) }, columns: { state, carrier, tracking } },
  ],
  'fan.merged': ({ data, at, fan }) => [
    { of: 'fanMerges', key: { fromId: data.fromUserId }, columns: { intoId: fan, mergedAt: at } },
  ],
  'match.checked_in': ({ data: { matchId }, at, fan }) => [
    { of: 'checkIns', key: { userId: fan, matchId }, columns: { checkedInAt: at } },
  ],
}

const claimFact = (rewardId: string, fan: Fan, columns: Columns = {}): Fact => {
  return { of: 'userRewards', key: { userId: fan, rewardId }, columns }
}

const lineFacts = ({ data: { orderId, lines } }: OrderHappened): Fact[] =>
  lines.map(({ productId, variantId, quantity, price }, index) => ({
    of: 'orderLines',
    key: { orderId, number: String(index + 1) },
    columns: { productId, variantId, quantity, priceAmount: price.amount },
  }))

/** After a void, facts of these types no longer hold. A purchase still delivered its goods, even after its refund. */
const UNDONE_BY_VOID: readonly string[] = ['reward.claimed', 'reward.redeemed']

/** The facts of these types do not need the data of the event. */
const WITHOUT_DATA: readonly string[] = ['onboarding.completed']

/** Needs a snapshot: an event is written together with the rows that it describes. */
export const findUnrecorded = (reader: Reader, range: Range): Promise<Finding[]> =>
  byMergedFans(reader, range, (some, fanOf) => findWrongOf(reader, some, fanOf))

async function findWrongOf(reader: Reader, range: Range, fanOf: Map<string, string>): Promise<Finding[]> {
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
  // At the same time, events of a merged record come before events of the remaining fan.
  const isOfFan = ({ userId }: EventRow) => fanOf.get(userId ?? '') === userId
  const ordered = rows.toSorted(
    (a, b) =>
      a.recordedAt.getTime() - b.recordedAt.getTime() ||
      Number(isOfFan(a)) - Number(isOfFan(b)) ||
      (a.sequence ?? 0) - (b.sequence ?? 0),
  )
  const expected = new Map<string, Expected>()
  for (const row of ordered)
    for (const fact of factsOf(row, [...fanOf.keys()])) add(expected, row, fact, fanOf.size > 0)
  const findings: Finding[] = []
  for (const [of, some] of Map.groupBy(expected.values(), ({ fact }) => fact.of))
    findings.push(...(await compareRows(reader, of, some)))
  return findings
}

interface Expected {
  userId: string
  fact: Fact
  /** The allowed values of each column. */
  columns: Map<string, (Value | Fan)[]>
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

function add(expected: Map<string, Expected>, { userId }: EventRow, fact: Fact, isMerged: boolean) {
  const name = JSON.stringify([fact.of, Object.values(fact.key)])
  const known = expected.getOrInsertComputed(name, () => ({ userId: userId ?? '', fact, columns: new Map() }))
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

async function compareRows(reader: Reader, of: keyof Tables, expected: Expected[]): Promise<Finding[]> {
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
  return expected.flatMap(one => compareRow(getTableName(table), lead, one, byLead))
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
