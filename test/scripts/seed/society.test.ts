/** Relations of seeded fans: the same for the same seed, written once, and as the verbs write them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { isNull } from 'drizzle-orm'
import { seedDatabase } from '../../../scripts/seed/seed.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { itemFaults, readItemRows } from '../../crash/item-invariants.ts'
import { createClock } from '../../support/clock.ts'
import { dump } from '../../support/dump.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { options as sixtyFans } from './sixty-fans.ts'

/** Enough for fans with items. */
const options = { ...sixtyFans, seed: 1, fans: 120 }

for (const engine of engines) {
  describe(`The society of a seed (${engine.name})`, () => {
    let one: TemporaryDatabase
    let two: TemporaryDatabase

    beforeAll(async () => {
      ;[one, two] = [await engine.open(createClock()), await engine.open(createClock())]
      for (const { db } of [one, two]) await seedDatabase(db, options)
    })
    afterAll(async () => {
      await one.remove()
      await two.remove()
    })

    test('is the same in another database, and a second run writes nothing', async () => {
      const rows = await dump(one.db)
      expect(await dump(two.db)).toEqual(rows)
      await seedDatabase(one.db, options)
      expect(await dump(one.db)).toEqual(rows)
    })

    test('has follows, a mute, a block, lockers, trades of each end, and cases of moderators', async () => {
      const { read, tables } = one.db
      const relations = await read.select().from(tables.fanRelations)
      expect(relations.filter(({ followedAt }) => followedAt).length).toBeGreaterThan(20)
      expect(relations.filter(({ mutedAt }) => mutedAt)).toHaveLength(1)
      expect(relations.filter(({ blockedAt }) => blockedAt)).toHaveLength(1)
      expect(await read.select().from(tables.lockers)).toHaveLength(3)
      expect((await read.select().from(tables.lockerItems)).length).toBeGreaterThanOrEqual(3)
      const trades = await read.select().from(tables.trades)
      expect(trades.map(({ status }) => status).toSorted()).toEqual([
        ...['completed', 'declined', 'open', 'open'],
      ])
      const open = await read.select().from(tables.reports).where(isNull(tables.reports.resolvedAt))
      expect(open).toHaveLength(2)
      const decisions = await read.select().from(tables.moderationDecisions)
      expect(decisions.map(({ kind }) => kind).toSorted()).toEqual(['lift', 'mute'])
      expect((await read.select().from(tables.appeals)).map(({ granted }) => granted)).toEqual([true])
    })

    test('follows all rules', async () => {
      expect(itemFaults(await readItemRows(one.db))).toEqual([])
      expect((await verifyLedger(one.db)).findings).toBe(0)
    })
  })
}
