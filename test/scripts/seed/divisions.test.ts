/** The division of a seed: who earned in the running period is in its tables, the same for the same seed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { seedDatabase } from '../../../scripts/seed/seed.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { readDivision } from '../../../src/play/divisions/read-division.ts'
import { createClock } from '../../support/clock.ts'
import { dump } from '../../support/dump.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { options as sixtyFans } from './sixty-fans.ts'

const options = { ...sixtyFans, seed: 1, fans: 120 }

for (const engine of engines) {
  describe(`The division of a seed (${engine.name})`, () => {
    let one: TemporaryDatabase

    beforeAll(async () => {
      one = await engine.open(createClock())
      await seedDatabase(one.db, options)
    })
    afterAll(() => one.remove())

    test('has tables of fans who earned points, in all levels, with those who rise and who fall', async () => {
      const { read, tables } = one.db
      const members = await read.select().from(tables.divisionMembers)
      expect(members.length).toBeGreaterThan(20)
      const shown = await Promise.all(
        members.map(async ({ userId }) => (await readDivision(read, { userId })).division),
      )
      expect(new Set(shown.map(table => table?.level.id))).toEqual(new Set(['bronze', 'silver', 'gold']))
      const zonesOf = (level: string) =>
        new Set(
          shown.flatMap(table => (table?.level.id === level ? table.entries.map(({ zone }) => zone) : [])),
        )
      expect(zonesOf('bronze')).toContain('up')
      expect([...zonesOf('silver')]).toEqual(expect.arrayContaining(['up', 'down']))
      expect(shown.some(table => table?.last?.outcome === 'promoted')).toBe(true)
      expect(members.filter(({ untold }) => untold)).toEqual([])
    })

    test('is written once, and the ledgers accept it', async () => {
      const rows = await dump(one.db)
      await seedDatabase(one.db, options)
      expect(await dump(one.db)).toEqual(rows)
      expect((await verifyLedger(one.db)).findings).toBe(0)
    })
  })
}
