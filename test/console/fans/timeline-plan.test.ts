/** A page of the timeline reads the rows of one fan by indexes, whatever others have, also by statements that were planned before. */
import { expect, test } from 'bun:test'
import { createCursors } from '../../../src/core/pagination.ts'
import { readTimeline } from '../../../src/operate/admin/fans/timeline/timeline.ts'
import { countRowsRead } from '../../db/plans.ts'
import { tablesScanned } from '../../db/sqlite-plan.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine, onServer } from '../../support/world.ts'

const cursors = createCursors('a secret of sufficient length for tests')
const FANS = 40
const OF_EACH = 60
const LIMIT = 10
const page = {
  ...{ fanId: 'fan-7', kind: undefined, limit: LIMIT, cursor: undefined },
  ...{ personal: true, moderation: true, money: true },
}

const at = (n: number) => new Date(1_700_000_000_000 + n)
const each = <Row>(row: (fan: string, n: number) => Row) =>
  Array.from({ length: FANS * OF_EACH }, (_, index) =>
    row(`fan-${index % FANS}`, Math.floor(index / FANS) + 1),
  )

const events = each((userId, sequence) => ({
  ...{ source: 'shop', eventId: `${userId}-${sequence}`, userId, sequence, type: 'shop.purchase' },
  ...{ occurredAt: at(sequence), recordedAt: at(sequence) },
}))
const entries = each((userId, seq) => ({
  ...{ id: `${userId}-${seq}`, userId, seq, delta: 1, balanceAfter: seq, reason: 'activity', ref: `${seq}` },
  ...{ createdAt: at(seq), hash: '' },
}))
const orders = each((userId, n) => ({
  ...{ id: `order-${userId}-${n}`, userId, status: 'cancelled', priceAmount: 1, priceCurrency: 'EUR' },
  ...{ discountAmount: 0, refundedAmount: 0, waiver: false, createdAt: at(n), expiresAt: at(n) },
}))
const trades = each((fromId, n) => ({
  ...{ id: `trade-${fromId}-${n}`, fromId, toId: 'other', status: 'declined', version: 1 },
  ...{ createdAt: at(n), expiresAt: at(n), endedAt: at(n) },
}))
const audit = each((subjectId, n) => ({
  ...{
    seq: FANS * n + Number(subjectId.slice(4)),
    at: at(n),
    staffId: 'link:Ana',
    staffName: 'Ana',
    role: 'owner',
  },
  ...{ operation: 'grantPoints', subjectKind: 'fan', subjectId, hash: '' },
}))

onServer('A page of the timeline', world => {
  test.each([
    ['events', events],
    ['points_entries', entries],
    ['orders', orders],
    ['trades', trades],
    ['console_audit', audit],
  ] as const)('reads few of many rows of %s', async (table, rows) => {
    const read = await world.db.write(tx => {
      const tables = {
        ...{ events: tx.tables.events, points_entries: tx.tables.pointsEntries, orders: tx.tables.orders },
        ...{ trades: tx.tables.trades, console_audit: tx.tables.consoleAudit },
      }
      return countRowsRead(tx, table, {
        query: () => readTimeline(tx, cursors, page),
        // Guarantee of the cast: the rows are of this table.
        fill: () => tx.insert(tables[table]).values(rows as never),
      })
    })
    expect(read).toBeGreaterThanOrEqual(LIMIT)
    expect(read).toBeLessThanOrEqual(4 * LIMIT)
  })
})

onEngine(sqliteEngine, 'A page of the timeline', world => {
  test('reads no table as a whole', async () => {
    await world.db.write(async tx => {
      const fan = { provider: 'test', createdAt: tx.now(), updatedAt: tx.now() }
      const ids = ['other', ...Array.from({ length: FANS }, (_, n) => `fan-${n}`)]
      await tx.insert(tx.tables.users).values(ids.map(id => ({ ...fan, id, subject: id })))
      await tx.insert(tx.tables.events).values(events)
      await tx.insert(tx.tables.pointsEntries).values(entries)
      await tx.insert(tx.tables.orders).values(orders)
      await tx.insert(tx.tables.trades).values(trades)
      await tx.insert(tx.tables.consoleAudit).values(audit)
    })
    const read = () => readTimeline(world.db.read, cursors, page)
    expect((await read()).items).toHaveLength(LIMIT)
    expect(await tablesScanned(world.db, world.databaseUrl, read)).toEqual([])
  })
})
