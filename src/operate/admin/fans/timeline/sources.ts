/** The lists of the timeline: rows of one fan by an index, newest first. */
import { and, asc, type Column, desc, eq, getTableColumns, gt, lte } from 'drizzle-orm'
import type { Reader, Tables } from '../../../../../db/index.ts'
import { prepared } from '../../../../../db/prepared.ts'
import { readNewestSequences } from '../../../../economy/events/sequences.ts'
import { hasEvents, isShownType, TIMELINE_KINDS, type TimelineKind } from './kinds.ts'
import { type Batch, batchOf, type Placed, type Source } from './merge.ts'

type RowOf<Name extends keyof Tables> = Tables[Name]['$inferSelect']

/** A row of any of the lists, by its table. */
export type TimelineEntry = { [Name in ListedTable]: { table: Name; row: RowOf<Name> } }[ListedTable]
type ListedTable =
  | 'events'
  | 'pointsEntries'
  | 'cashEntries'
  | 'topUps'
  | 'packPurchases'
  | 'orders'
  | 'trades'
  | 'moderationDecisions'
  | 'webhookDeliveries'
  | 'consoleAudit'

type Key = string | number

interface OwnRead {
  fanId: string
  /** The value of the column between the fan and the key in the index, such as a currency. */
  of: string | undefined
  from: Key | undefined
  size: number
}

interface OwnColumns {
  fan: Column
  of?: Column
  key: Column
}

/** Columns that can be long, and are not shown. */
const LONG = new Set(['body', 'terms', 'serverSeed', 'address'])

/** Reads by an index of these columns, in its order. */
function ownRows<Name extends ListedTable>(name: Name, columnsOf: (table: Tables[Name]) => OwnColumns) {
  const select = prepared((reader: Reader, { fanId, of, from, size }: OwnRead) => {
    const { fan, of: within, key } = columnsOf(reader.tables[name])
    // Guarantee of the cast: rows of any table are read and mapped by the columns of the table.
    const table = reader.tables[name] as Tables[ListedTable] as Tables['trades']
    const columns = Object.entries(getTableColumns(table)).filter(([property]) => !LONG.has(property))
    return reader
      .select(Object.fromEntries(columns))
      .from(table)
      .where(
        and(
          eq(fan, fanId),
          within && of !== undefined ? eq(within, of) : undefined,
          from === undefined ? undefined : lte(key, from),
        ),
      )
      .orderBy(desc(key))
      .limit(size)
  })
  // Guarantee of the cast: all columns except the long ones, which nothing here reads.
  return select as unknown as (reader: Reader, own: OwnRead) => Promise<RowOf<Name>[]>
}

const reads = {
  pointsEntries: ownRows('pointsEntries', ({ userId, seq }) => ({ fan: userId, key: seq })),
  cashEntries: ownRows('cashEntries', ({ userId, currency, seq }) => ({
    fan: userId,
    of: currency,
    key: seq,
  })),
  topUps: ownRows('topUps', ({ userId, id }) => ({ fan: userId, key: id })),
  packPurchases: ownRows('packPurchases', ({ userId, id }) => ({ fan: userId, key: id })),
  orders: ownRows('orders', ({ userId, id }) => ({ fan: userId, key: id })),
  offered: ownRows('trades', ({ fromId, id }) => ({ fan: fromId, key: id })),
  received: ownRows('trades', ({ toId, id }) => ({ fan: toId, key: id })),
  decisions: ownRows('moderationDecisions', ({ fanId, seq }) => ({ fan: fanId, key: seq })),
  deliveries: ownRows('webhookDeliveries', ({ userId, endpointId, sequence }) => ({
    fan: userId,
    of: endpointId,
    key: sequence,
  })),
  audit: ownRows('consoleAudit', ({ subjectId, subjectKind, seq }) => ({
    fan: subjectId,
    of: subjectKind,
    key: seq,
  })),
}

/** Number of events per read. Sequences of a fan have no gaps, so a read is limited even if most events are left out. */
const WINDOW = 5_000

const eventReads = new Map(
  [undefined, ...TIMELINE_KINDS].map(kind => [
    kind,
    prepared((reader: Reader, { fanId, size, top, bottom }: Window) => {
      const { events } = reader.tables
      const { userId, sequence, type } = events
      return reader
        .select()
        .from(events)
        .where(and(eq(userId, fanId), lte(sequence, top), gt(sequence, bottom), isShownType(type, kind)))
        .orderBy(desc(sequence))
        .limit(size)
    }),
  ]),
)
interface Window {
  fanId: string
  size: number
  top: number
  bottom: number
}

interface Filter {
  fanId: string
  /** Undefined: all. */
  kind: TimelineKind | undefined
}

const eventSource = (reader: Reader, { fanId, kind }: Filter): Source<TimelineEntry> => ({
  name: 'event',
  async read(from, limit): Promise<Batch<TimelineEntry>> {
    const newest = async () => (await readNewestSequences(reader, [fanId])).get(fanId) ?? 0
    const top = from === null ? await newest() : Number(from)
    const bottom = Math.max(0, top - WINDOW)
    const rows = (await eventReads.get(kind)?.(reader, { fanId, size: limit + 1, top, bottom })) ?? []
    const batch = batchOf(rows, limit, row => ({
      key: String(row.sequence),
      at: row.recordedAt,
      item: { table: 'events' as const, row },
    }))
    return { ...batch, next: batch.next ?? (bottom > 0 ? String(bottom) : null) }
  },
})

interface RowsSource<R> {
  name: string
  kind: TimelineKind
  of?: string
  read: (reader: Reader, own: OwnRead) => Promise<R[]>
  place: (row: R) => Placed<TimelineEntry>
  /** Whether the keys are numbers. */
  numbered?: boolean
}

/** The sources for a filter. Endpoints and currencies that are added later appear in the next timeline. */
export async function sourcesOf(reader: Reader, filter: Filter): Promise<Source<TimelineEntry>[]> {
  const { fanId, kind } = filter
  const isWanted = (one: TimelineKind) => kind === undefined || kind === one
  const sources: Source<TimelineEntry>[] = hasEvents(kind) ? [eventSource(reader, filter)] : []
  function add<R>({ name, kind, of, read, place, numbered = false }: RowsSource<R>) {
    if (!isWanted(kind)) return
    const keyOf = (from: string) => (numbered ? Number(from) : from)
    sources.push({
      name: of === undefined ? name : `${name} ${of}`,
      async read(from, limit) {
        const key = from === null ? undefined : keyOf(from)
        return batchOf(await read(reader, { fanId, of, from: key, size: limit + 1 }), limit, place)
      },
    })
  }
  add({
    name: 'points',
    kind: 'points',
    read: reads.pointsEntries,
    numbered: true,
    place: row => ({ key: String(row.seq), at: row.createdAt, item: { table: 'pointsEntries', row } }),
  })
  for (const currency of isWanted('cash') ? await readCurrencies(reader, fanId) : [])
    add({
      name: 'cash',
      kind: 'cash',
      of: currency,
      read: reads.cashEntries,
      numbered: true,
      place: row => ({ key: String(row.seq), at: row.createdAt, item: { table: 'cashEntries', row } }),
    })
  add({
    name: 'topUp',
    kind: 'cash',
    read: reads.topUps,
    place: row => ({ key: row.id, at: row.createdAt, item: { table: 'topUps', row } }),
  })
  add({
    name: 'pack',
    kind: 'packs',
    read: reads.packPurchases,
    place: row => ({ key: row.id, at: row.createdAt, item: { table: 'packPurchases', row } }),
  })
  add({
    name: 'order',
    kind: 'orders',
    read: reads.orders,
    place: row => ({ key: row.id, at: row.createdAt, item: { table: 'orders', row } }),
  })
  for (const [name, read] of [
    ['offered', reads.offered],
    ['received', reads.received],
  ] as const)
    add({
      name,
      kind: 'trades',
      read,
      place: row => ({ key: row.id, at: row.createdAt, item: { table: 'trades', row } }),
    })
  add({
    name: 'decision',
    kind: 'moderation',
    read: reads.decisions,
    numbered: true,
    place: row => ({ key: String(row.seq), at: row.createdAt, item: { table: 'moderationDecisions', row } }),
  })
  for (const endpointId of isWanted('webhooks') ? await readEndpointIds(reader) : [])
    add({
      name: 'delivery',
      kind: 'webhooks',
      of: endpointId,
      read: reads.deliveries,
      numbered: true,
      place: row => ({
        key: String(row.sequence),
        at: row.createdAt,
        item: { table: 'webhookDeliveries', row },
      }),
    })
  add({
    name: 'audit',
    kind: 'console',
    of: 'fan',
    read: reads.audit,
    numbered: true,
    place: row => ({ key: String(row.seq), at: row.at, item: { table: 'consoleAudit', row } }),
  })
  return sources
}

async function readCurrencies(reader: Reader, fanId: string): Promise<string[]> {
  const { cashAccounts: accounts } = reader.tables
  const rows = await reader
    .select({ currency: accounts.currency })
    .from(accounts)
    .where(eq(accounts.userId, fanId))
    .orderBy(asc(accounts.currency))
  return rows.map(({ currency }) => currency)
}

async function readEndpointIds(reader: Reader): Promise<string[]> {
  const { webhookEndpoints: endpoints } = reader.tables
  const rows = await reader.select({ id: endpoints.id }).from(endpoints).orderBy(asc(endpoints.id))
  return rows.map(({ id }) => id)
}
