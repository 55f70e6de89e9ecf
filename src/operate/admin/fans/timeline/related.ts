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
  /** By the id of the decision. */
  notes: Map<string, string>
}

const readClaims = rowsByKeys('userRewards', ['userId', 'rewardId'])
const readProgress = rowsByKeys('questProgress', ['userId', 'questId', 'period'])
const readGrants = rowsByKeys('pointsGrants', ['ref'])

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
  const [orders, trades, decisions] = [idsOf('orders'), idsOf('trades'), idsOf('moderationDecisions')]
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
    items: Map.groupBy(items, ({ tradeId }) => tradeId),
    notes: new Map(notes.map(({ decisionId, note }) => [decisionId, note])),
  }
}

const unique = (values: unknown[]): string[] => [
  ...new Set(values.filter(value => typeof value === 'string')),
]
