/** Further data for rows of the timeline: the current state of claims and quests, lines of orders, notes of grants. */
import { and, eq, inArray } from 'drizzle-orm'
import type { Reader, Tables } from '../../../../../db/index.ts'
import { rowsByKeys } from '../../../../../db/keys.ts'
import { dataOf } from '../../../../economy/events/event.ts'
import { APPLICATION } from '../../../../economy/events/types.ts'
import type { TimelineEntry } from './sources.ts'

type RowOf<Name extends keyof Tables> = Tables[Name]['$inferSelect']

export interface Related {
  /** By the id of the reward. */
  claims: Map<string, RowOf<'userRewards'>>
  /** By `QUEST PERIOD`. */
  quests: Map<string, RowOf<'questProgress'>>
  /** By the id of the order. */
  lines: Map<string, RowOf<'orderLines'>[]>
  /** By the reference of the grant. */
  grants: Map<string, RowOf<'pointsGrants'>>
  /** By the id of the trade. */
  items: Map<string, RowOf<'tradeItems'>[]>
  /** The trades of events, by id, as the fan sees them. */
  trades: Map<string, RelatedTrade>
  /** By the id of the decision. */
  notes: Map<string, string>
}

type Item = RowOf<'tradeItems'>

export interface RelatedTrade {
  otherId: string
  gave: Item[]
  got: Item[]
}

const readClaims = rowsByKeys('userRewards', ['userId', 'rewardId'])
const readProgress = rowsByKeys('questProgress', ['userId', 'questId', 'period'])
const readGrants = rowsByKeys('pointsGrants', ['ref'])
const readTrades = rowsByKeys('trades', ['id'])

export async function readRelated(reader: Reader, fanId: string, rows: TimelineEntry[]): Promise<Related> {
  const { orderLines, tradeItems, moderationNotes } = reader.tables
  const events = rows.flatMap(one =>
    one.table === 'events' && one.row.source === APPLICATION ? [one.row] : [],
  )
  const data = events.map(dataOf)
  const idsOf = (table: TimelineEntry['table']) =>
    rows.flatMap(({ table: of, row }) => (of === table && 'id' in row ? [row.id] : []))
  const rewardIds = unique(data.map(({ rewardId }) => rewardId))
  const periods = new Map(
    data.flatMap(({ questId, period }) =>
      typeof questId === 'string' && typeof period === 'string'
        ? [[`${questId} ${period}`, { userId: fanId, questId, period }] as const]
        : [],
    ),
  )
  const refs = unique(
    rows.map(({ table, row }) =>
      table === 'pointsEntries' && row.reason === 'adjustment' ? row.ref : undefined,
    ),
  )
  const [orders, decisions] = [idsOf('orders'), idsOf('moderationDecisions')]
  const completed = unique(data.map(({ tradeId }) => tradeId))
  const trades = unique([...idsOf('trades'), ...completed])
  const lines =
    orders.length === 0
      ? []
      : await reader
          .select()
          .from(orderLines)
          .where(inArray(orderLines.orderId, orders))
          .orderBy(orderLines.orderId, orderLines.number)
  const items =
    trades.length === 0
      ? []
      : await reader
          .select()
          .from(tradeItems)
          .where(inArray(tradeItems.tradeId, trades))
          .orderBy(tradeItems.tradeId, tradeItems.collectibleId, tradeItems.serialNumber)
  const notes =
    decisions.length === 0
      ? []
      : await reader
          .select()
          .from(moderationNotes)
          .where(and(eq(moderationNotes.fanId, fanId), inArray(moderationNotes.decisionId, decisions)))
  const ended = await readTrades(
    reader,
    completed.map(id => ({ id })),
  )
  const itemsOf = Map.groupBy(items, ({ tradeId }) => tradeId)
  const claims = await readClaims(
    reader,
    rewardIds.map(rewardId => ({ userId: fanId, rewardId })),
  )
  const progress = await readProgress(reader, [...periods.values()])
  const grants = await readGrants(
    reader,
    refs.map(ref => ({ ref })),
  )
  return {
    claims: new Map(claims.map(row => [row.rewardId, row])),
    quests: new Map(progress.map(row => [`${row.questId} ${row.period}`, row])),
    lines: Map.groupBy(lines, ({ orderId }) => orderId),
    grants: new Map(grants.map(row => [row.ref, row])),
    items: itemsOf,
    trades: new Map(ended.map(row => [row.id, asSeenBy(fanId, row, itemsOf.get(row.id) ?? [])])),
    notes: new Map(notes.map(({ decisionId, note }) => [decisionId, note])),
  }
}

function asSeenBy(fanId: string, { fromId, toId }: RowOf<'trades'>, items: Item[]): RelatedTrade {
  const isFrom = fromId === fanId
  const [give, want] = [
    items.filter(item => item.side === 'give'),
    items.filter(item => item.side === 'want'),
  ]
  return { otherId: isFrom ? toId : fromId, gave: isFrom ? give : want, got: isFrom ? want : give }
}

const unique = (values: unknown[]): string[] => [
  ...new Set(values.filter(value => typeof value === 'string')),
]
