/** Figures by day: what a day counts, where it begins and ends, and that it is kept once it is over. */
import { expect, test } from 'bun:test'
import type { Database, Tables } from '../../../db/index.ts'
import { countDay, daysUntil } from '../../../src/figures/days/count-day.ts'
import { keepDailyFigures, readDailyFigures } from '../../../src/figures/days/daily-figures.ts'
import { onEachEngine, type World } from '../../support/world.ts'

const DAY = '2026-08-14'
const NOON = `${DAY}T12:00:00.000Z`
const none = {
  ...{ newFans: 0, onboardings: 0, activeFans: 0, pointsGranted: 0, pointsSpent: 0, pointsTaken: 0 },
  ...{ claims: 0, redemptions: 0, orders: 0, packs: 0 },
}

/** As production makes ids: of the instant. */
const idOf = (instant: Date) => Bun.randomUUIDv7('hex', instant.getTime())

async function addFan({ db }: World, written = NOON): Promise<string> {
  const createdAt = new Date(written)
  const [id, subject] = [idOf(createdAt), crypto.randomUUID()]
  await db.write(tx =>
    tx.insert(tx.tables.users).values({ id, provider: 'mock', subject, createdAt, updatedAt: createdAt }),
  )
  return id
}

type EventRow = Tables['events']['$inferInsert']
const sequences = new Map<string, number>()

async function addEvent(db: Database, userId: string, written: Partial<EventRow> & { type: string }) {
  const sequence = (sequences.get(userId) ?? 0) + 1
  sequences.set(userId, sequence)
  const instant = written.recordedAt ?? new Date(NOON)
  const row = { source: 'matchday', eventId: crypto.randomUUID(), userId, sequence, data: '{}' }
  await db.write(tx =>
    tx.insert(tx.tables.events).values({ ...row, occurredAt: instant, recordedAt: instant, ...written }),
  )
}

async function addEntry(db: Database, userId: string, delta: number, reason: string, written = NOON) {
  const createdAt = new Date(written)
  const seq = (sequences.get(`points ${userId}`) ?? 0) + 1
  sequences.set(`points ${userId}`, seq)
  const entry = {
    id: idOf(createdAt),
    userId,
    seq,
    delta,
    balanceAfter: 0,
    reason,
    ref: String(seq),
    hash: '',
  }
  await db.write(tx => tx.insert(tx.tables.pointsEntries).values({ ...entry, createdAt }))
}

onEachEngine(
  'Figures of a day',
  world => {
    test('count fans, their events by type, and fans with events', async () => {
      const [first, second] = [await addFan(world), await addFan(world)]
      const types = ['onboarding.completed', 'reward.claimed', 'reward.redeemed', 'order.paid']
      for (const type of [...types, 'reward.claimed', 'purchase.completed'])
        await addEvent(world.db, first, { type })
      await addEvent(world.db, second, { type: 'shop.purchase', source: 'shop' })
      const counted = { onboardings: 1, claims: 2, redemptions: 1, orders: 1, packs: 1 }
      expect(await countDay(world.db.read, DAY)).toEqual({ ...none, newFans: 2, activeFans: 2, ...counted })
    })

    test('leave out voided events, those of another source, notices, and events whose data was deleted', async () => {
      const fan = await addFan(world, '2026-08-01T00:00:00.000Z')
      await addEvent(world.db, fan, { type: 'reward.claimed', voidedAt: new Date(NOON) })
      await addEvent(world.db, fan, { type: 'reward.claimed', data: null })
      await addEvent(world.db, fan, { type: 'points.changed' })
      expect(await countDay(world.db.read, DAY)).toEqual(none)
      await addEvent(world.db, fan, { type: 'reward.claimed', source: 'shop' })
      expect(await countDay(world.db.read, DAY)).toEqual({ ...none, activeFans: 1 })
    })

    test('distinguish points that were granted, spent and taken back', async () => {
      const fan = await addFan(world, '2026-08-01T00:00:00.000Z')
      const entries = [
        ...[
          [100, 'onboarding'],
          [50, 'rule'],
          [7, 'adjustment'],
        ],
        ...[
          [900, 'opening_balance'],
          [40, 'pack_refund'],
          [30, 'order_refund'],
        ],
        ...[
          [-40, 'pack_purchase'],
          [-30, 'order_payment'],
        ],
        ...[
          [-50, 'rule_void'],
          [-20, 'expired'],
          [-3, 'adjustment'],
        ],
      ] as [number, string][]
      for (const [delta, reason] of entries) await addEntry(world.db, fan, delta, reason)
      const points = { pointsGranted: 157, pointsSpent: 70, pointsTaken: 73 }
      expect(await countDay(world.db.read, DAY)).toEqual({ ...none, ...points })
    })

    test('begin at midnight UTC and end before the next', async () => {
      const instants = ['2026-08-13T23:59:59.999Z', `${DAY}T00:00:00.000Z`, `${DAY}T23:59:59.999Z`]
      for (const instant of [...instants, '2026-08-15T00:00:00.000Z']) {
        const fan = await addFan(world, instant)
        await addEvent(world.db, fan, { type: 'order.paid', recordedAt: new Date(instant) })
        await addEntry(world.db, fan, 10, 'rule', instant)
      }
      const two = { newFans: 2, activeFans: 2, orders: 2, pointsGranted: 20 }
      expect(await countDay(world.db.read, DAY)).toEqual({ ...none, ...two })
    })

    test('are stored from the first fan on, ten minutes after the end of a day, and never counted again', async () => {
      const { db, clock } = world
      await addFan(world, '2026-08-12T08:00:00.000Z')
      clock.set(Date.parse('2026-08-15T00:09:59.000Z') - clock.ms)
      expect(await keepDailyFigures(db, () => false)).toBe(2)
      clock.advance(2_000)
      expect(await keepDailyFigures(db, () => false)).toBe(1)
      await addFan(world)
      expect(await keepDailyFigures(db, () => false)).toBe(0)
      const kept = await readDailyFigures(db.read, '2026-08-01')
      expect([...kept.keys()].sort()).toEqual(['2026-08-12', '2026-08-13', DAY])
      expect(kept.get('2026-08-12')).toEqual({ ...none, newFans: 1 })
      expect(kept.get(DAY)).toEqual(none)
      expect([...(await readDailyFigures(db.read, DAY)).keys()]).toEqual([DAY])
    })

    test('are stored once by several processes, and a stop leaves the rest for later', async () => {
      const { db, clock } = world
      expect(await keepDailyFigures(db, () => false)).toBe(0)
      await addFan(world, '2026-08-10T08:00:00.000Z')
      clock.set(Date.parse('2026-08-15T12:00:00.000Z') - clock.ms)
      let asked = 0
      expect(await keepDailyFigures(db, () => ++asked > 2)).toBe(2)
      expect([...(await readDailyFigures(db.read, '2026-08-01')).keys()].sort()).toEqual(['2026-08-13', DAY])
      await Promise.all([keepDailyFigures(db, () => false), keepDailyFigures(db, () => false)])
      expect((await readDailyFigures(db.read, '2026-08-01')).size).toBe(5)
    })
  },
  { worldPer: 'test' },
)

test('days are those of the calendar, across the end of February', () => {
  expect(daysUntil('2028-03-01', 3)).toEqual(['2028-02-28', '2028-02-29', '2028-03-01'])
})
