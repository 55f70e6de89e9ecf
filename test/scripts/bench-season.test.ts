/** A season of the bench whose fans are copied is one that the verbs could have written. */
import { expect, test } from 'bun:test'
import { fillDatabase } from '../../scripts/bench/data.ts'
import { prepareSeason, recordSeason } from '../../scripts/bench/season.ts'
import { copySeason } from '../../scripts/bench/season-copies.ts'
import { findingsOf } from '../operate/admin/archive/archive-world.ts'
import { createClock } from '../support/clock.ts'
import { engines } from '../support/engines.ts'

const [FANS, DAYS] = [4, 2]

for (const engine of engines)
  test(`a copied season has no findings (${engine.name})`, async () => {
    const { db, url, remove } = await engine.open(createClock())
    try {
      await fillDatabase(url ?? '', FANS)
      await prepareSeason(url ?? '')
      expect(await Array.fromAsync(recordSeason(url ?? '', DAYS))).toEqual([FANS, FANS])
      expect(await Array.fromAsync(copySeason(url ?? '', 1))).toEqual([1])
      expect(await findingsOf(db)).toEqual([])
      const { events, users } = db.tables
      expect(await db.read.select().from(users)).toHaveLength(2 * FANS)
      const own = (await db.read.select().from(events)).filter(({ source }) => source === 'shop')
      expect(own).toHaveLength(2 * FANS * DAYS)
      // As most servers write them: see docs/growth.md.
      expect(own.map(({ entryCount }) => entryCount)).toEqual(own.map(() => 1))
      // A server counts all events of a moment in one unit of work.
      expect(new Set(own.map(({ recordedAt }) => recordedAt.getTime())).size).toBe(2 * DAYS)
    } finally {
      await remove()
    }
  }, 60_000)
