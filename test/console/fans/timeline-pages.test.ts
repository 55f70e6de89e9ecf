/** The pages of a fan's timeline against the whole of it, with rows of every list, while further ones are written. */
import { beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Tables, Transaction } from '../../../db/index.ts'
import { createCursors } from '../../../src/core/pagination.ts'
import { TIMELINE_KINDS, type TimelineKind } from '../../../src/operate/admin/fans/timeline/kinds.ts'
import { readTimeline } from '../../../src/operate/admin/fans/timeline/timeline.ts'
import { addPack } from '../../play/packs/packs-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { mergedByDefinition } from './merged.ts'

const cursors = createCursors('a secret of sufficient length for tests')
const START = Date.parse('2026-03-01T12:00:00Z')

/** How a list of the timeline is written, by number of the row: 1 is the oldest. */
interface ListOfRows {
  name: string
  kind: (n: number) => TimelineKind
  id: (n: number) => string
  /** Null: the row is not shown. */
  isShown?: (n: number) => boolean
  insert: (tx: Transaction, fanId: string, n: number, at: Date) => Promise<unknown>
}

const EVENTS = ['shop.purchase', 'points.changed', 'quest.completed', 'order.paid', 'trade.offered'] as const
const eventKinds: Record<string, TimelineKind> = {
  'shop.purchase': 'events',
  'quest.completed': 'quests',
  'order.paid': 'orders',
}
const typeOf = (n: number) => EVENTS[n % EVENTS.length] ?? 'shop.purchase'
const idOf = (prefix: string, fanId: string, n: number) => `${prefix}-${fanId}-${String(n).padStart(6, '0')}`
const entry = (fanId: string, n: number, at: Date) => ({
  ...{ id: idOf('entry', fanId, n), userId: fanId, seq: n, delta: 1, balanceAfter: n, reason: 'activity' },
  ...{ ref: `${n}`, createdAt: at, hash: 'hash' },
})
const purchase = (fanId: string, at: Date) => ({
  ...{ userId: fanId, status: 'pending', priceAmount: 100, priceCurrency: 'EUR', createdAt: at },
  expiresAt: new Date(at.getTime() + 1_000),
})

let packId = ''
const lists = (fanId: string): ListOfRows[] => [
  {
    name: 'events',
    kind: n => eventKinds[typeOf(n)] ?? 'events',
    id: n => `events ${n}`,
    isShown: n => typeOf(n) in eventKinds,
    insert: (tx, fanId, n, at) =>
      tx.insert(tx.tables.events).values({
        ...{ source: 'matchday', eventId: idOf('event', fanId, n), userId: fanId, sequence: n },
        ...{ type: typeOf(n), occurredAt: at, recordedAt: at, data: '{}' },
      }),
  },
  {
    name: 'points',
    kind: () => 'points',
    id: n => `pointsEntries ${idOf('entry', fanId, n)}`,
    insert: (tx, fanId, n, at) => tx.insert(tx.tables.pointsEntries).values(entry(fanId, n, at)),
  },
  ...['EUR', 'USD'].map(currency => ({
    name: `cash ${currency}`,
    kind: () => 'cash' as const,
    id: (n: number) => `cashEntries ${currency}-${idOf('entry', fanId, n)}`,
    insert: (tx: Transaction, fanId: string, n: number, at: Date) => {
      const row = entry(fanId, n, at)
      const own = { id: `${currency}-${row.id}`, currency, reason: 'promotion', ref: `${currency} ${n}` }
      return tx.insert(tx.tables.cashEntries).values({ ...row, ...own })
    },
  })),
  {
    name: 'top-ups',
    kind: () => 'cash',
    id: n => `topUps ${idOf('topup', fanId, n)}`,
    insert: (tx, fanId, n, at) =>
      tx.insert(tx.tables.topUps).values({ id: idOf('topup', fanId, n), ...purchase(fanId, at) }),
  },
  {
    name: 'packs',
    kind: () => 'packs',
    id: n => `packPurchases ${idOf('pack', fanId, n)}`,
    insert: (tx, fanId, n, at) =>
      tx.insert(tx.tables.packPurchases).values({
        ...{ id: idOf('pack', fanId, n), packId, ...purchase(fanId, at) },
        ...{ serverSeed: 'seed', seedHash: 'hash', terms: '{}' },
      }),
  },
  {
    name: 'orders',
    kind: () => 'orders',
    id: n => `orders ${idOf('order', fanId, n)}`,
    insert: (tx, fanId, n, at) =>
      tx.insert(tx.tables.orders).values({
        ...{ id: idOf('order', fanId, n), discountAmount: 0, ...purchase(fanId, at) },
      }),
  },
  ...(['offered', 'received'] as const).map(side => ({
    name: side,
    kind: () => 'trades' as const,
    id: (n: number) => `trades ${idOf(side, fanId, n)}`,
    insert: (tx: Transaction, fanId: string, n: number, at: Date) =>
      tx.insert(tx.tables.trades).values({
        ...{ id: idOf(side, fanId, n), status: 'open', version: 1, createdAt: at },
        ...(side === 'offered' ? { fromId: fanId, toId: 'other' } : { fromId: 'other', toId: fanId }),
        expiresAt: at,
      }),
  })),
  {
    name: 'decisions',
    kind: () => 'moderation',
    id: n => `moderationDecisions ${idOf('decision', fanId, n)}`,
    insert: (tx, fanId, n, at) =>
      tx.insert(tx.tables.moderationDecisions).values({
        ...{ id: idOf('decision', fanId, n), fanId, seq: n, kind: 'note', reason: 'spam', decidedBy: 'Ana' },
        createdAt: at,
      }),
  },
  ...['endpoint-1', 'endpoint-2'].map(endpointId => ({
    name: endpointId,
    kind: () => 'webhooks' as const,
    id: (n: number) => `webhooks ${endpointId} ${n}`,
    insert: (tx: Transaction, fanId: string, n: number, at: Date) =>
      tx.insert(tx.tables.webhookDeliveries).values({
        ...{ endpointId, userId: fanId, sequence: n, type: 'test.happened', body: '{}', state: 'delivered' },
        ...{ attempts: 1, createdAt: at },
      }),
  })),
]

/** Minutes between a row and the previous one in its list. A clock of another process may be behind. */
const drawnList = fc.array(fc.integer({ min: -3, max: 20 }), { maxLength: 12 })

onEachEngine('The timeline of a fan', world => {
  let fans = 0

  beforeAll(async () => {
    packId = await addPack(world)
    await world.db.write(async tx => {
      const now = tx.now()
      const fan = { provider: 'test', createdAt: now, updatedAt: now }
      await tx.insert(tx.tables.users).values({ ...fan, id: 'other', subject: 'other' })
      const endpoint = { url: 'https://crm.example/hook', types: '*', encryptedSecret: '', createdAt: now }
      await tx.insert(tx.tables.webhookEndpoints).values([
        { ...endpoint, id: 'endpoint-1' },
        { ...endpoint, id: 'endpoint-2' },
      ])
    })
  })

  async function addFan(): Promise<string> {
    const id = `fan-${++fans}`
    await world.db.write(async tx => {
      const now = tx.now()
      const { users, cashAccounts } = tx.tables
      await tx.insert(users).values({ id, provider: 'test', subject: id, createdAt: now, updatedAt: now })
      const account = { userId: id, balance: 0, held: 0, seq: 0, headHash: '', updatedAt: now }
      await tx.insert(cashAccounts).values(['EUR', 'USD'].map(currency => ({ ...account, currency })))
    })
    return id
  }

  const readAll = async (
    fanId: string,
    kind: TimelineKind | undefined,
    limit: number,
    between = async () => {},
  ) => {
    const ids: string[] = []
    let cursor: string | undefined
    for (let pages = 0; pages < 1_000; pages++) {
      const access = { personal: true, moderation: true, money: true }
      const page = await readTimeline(world.db.read, cursors, { fanId, kind, limit, cursor, ...access })
      expect(page.items.length).toBeLessThanOrEqual(limit)
      if (kind !== undefined) expect(page.items.filter(item => item.kind !== kind)).toEqual([])
      ids.push(...page.items.map(({ id }) => id))
      if (page.nextCursor === null) return ids
      cursor = page.nextCursor
      await between()
    }
    throw new Error('the pages do not end')
  }

  test('contains each row from the time of the first page once and in order, with any filter', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(...Array.from({ length: 12 }, () => drawnList)),
        fc.integer({ min: 1, max: 15 }),
        fc.option(fc.constantFrom(...TIMELINE_KINDS), { nil: undefined }),
        fc.array(fc.nat(11), { maxLength: 40 }),
        async (drawn, limit, kind, additions) => {
          const fanId = await addFan()
          const all = lists(fanId)
          expect(all).toHaveLength(drawn.length)
          const counts = drawn.map(({ length }) => length)
          const expected = await world.db.write(async tx => {
            const rows: { id: string; at: Date; isWanted: boolean }[][] = []
            for (const [nth, list] of all.entries()) {
              let ms = START
              const own: (typeof rows)[number] = []
              for (const [index, minutes] of (drawn[nth] ?? []).entries()) {
                const n = index + 1
                ms += minutes * 60_000
                await list.insert(tx, fanId, n, new Date(ms))
                const isShown = list.isShown?.(n) ?? true
                const isWanted = isShown && (kind === undefined || list.kind(n) === kind)
                own.unshift({ id: list.id(n), at: new Date(ms), isWanted })
              }
              rows.push(own.filter(row => row.isWanted))
            }
            return mergedByDefinition(rows).map(({ id }) => id)
          })
          const found = await readAll(fanId, kind, limit, async () => {
            const nth = additions.pop()
            const list = nth === undefined ? undefined : all[nth]
            if (nth === undefined || !list) return
            const n = (counts[nth] ?? 0) + 1
            counts[nth] = n
            await world.db.write(tx => list.insert(tx, fanId, n, new Date(START + 86_400_000)))
          })
          expect(found).toEqual(expected)
        },
      ),
      { numRuns: 40 },
    )
  })

  test('finds an event under thousands that are not shown', async () => {
    const fanId = await addFan()
    const rows = Array.from({ length: 12_000 }, (_, index) => ({
      ...{ source: 'matchday', eventId: idOf('event', fanId, index + 1), userId: fanId },
      ...{ sequence: index + 1, occurredAt: new Date(START), recordedAt: new Date(START) },
      type: index === 0 ? 'onboarding.completed' : 'points.changed',
      data: null,
    })) satisfies Tables['events']['$inferInsert'][]
    for (let start = 0; start < rows.length; start += 1_000)
      await world.db.write(tx => tx.insert(tx.tables.events).values(rows.slice(start, start + 1_000)))
    expect(await readAll(fanId, undefined, 10)).toEqual(['events 1'])
    expect(await readAll(fanId, 'quests', 10)).toEqual([])
  })
})
