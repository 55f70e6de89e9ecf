/** Leagues of seeded fans: the same for the same seed, written once, and accepted by the audit. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { seedDatabase } from '../../../scripts/seed/seed.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { createCursors } from '../../../src/core/pagination.ts'
import { readLeague } from '../../../src/play/leagues/table.ts'
import { createClock } from '../../support/clock.ts'
import { dump } from '../../support/dump.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { options as sixtyFans } from './sixty-fans.ts'

const options = { ...sixtyFans, seed: 1, fans: 120 }

for (const engine of engines) {
  describe(`The leagues of a seed (${engine.name})`, () => {
    let one: TemporaryDatabase

    beforeAll(async () => {
      one = await engine.open(createClock())
      await seedDatabase(one.db, options)
    })
    afterAll(() => one.remove())

    test('count predictions of the season or points, and one is locked', async () => {
      const { read, tables } = one.db
      const leagues = await read.select().from(tables.leagues)
      expect(
        leagues
          .map(({ name, scoring, locked, members }) => ({ name, scoring, locked, members }))
          .toSorted((a, b) => b.members - a.members),
      ).toEqual([
        { name: 'Row 12, North Stand', scoring: 'predictions', locked: false, members: 18 },
        { name: 'Monday five-a-side', scoring: 'points', locked: false, members: 12 },
        { name: 'The Marlows', scoring: 'points', locked: true, members: 5 },
      ])
      const cursors = createCursors('secret of a test')
      for (const { id, ownerId } of leagues) {
        const table = await readLeague(read, cursors, { userId: ownerId }, id, { limit: 100 })
        expect(table.entries.filter(({ points }) => points > 0).length).toBeGreaterThan(2)
      }
    })

    test('are written once, and the ledgers accept them', async () => {
      const rows = await dump(one.db)
      await seedDatabase(one.db, options)
      expect(await dump(one.db)).toEqual(rows)
      expect((await verifyLedger(one.db)).findings).toBe(0)
    })
  })
}
