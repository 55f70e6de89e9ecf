/** The cup of a seed: a settled round with jokers and a split, and an open one. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { asc } from 'drizzle-orm'
import { seedDatabase } from '../../../scripts/seed/seed.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { verifyQuests } from '../../../src/audit/runs/verify-quests.ts'
import { hasJoker } from '../../../src/play/predictions/jokers.ts'
import { createClock } from '../../support/clock.ts'
import { dump } from '../../support/dump.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { options as sixtyFans } from './sixty-fans.ts'

const options = { ...sixtyFans, seed: 1, fans: 120 }

for (const engine of engines) {
  describe(`The cup of a seed (${engine.name})`, () => {
    let one: TemporaryDatabase

    beforeAll(async () => {
      one = await engine.open(createClock())
      await seedDatabase(one.db, options)
    })
    afterAll(() => one.remove())

    const readRounds = async () => {
      const { read, tables } = one.db
      const matches = (await read.select().from(tables.matches)).filter(
        ({ competition }) => competition === 'coastal-cup',
      )
      const predictions = await read.select().from(tables.predictions)
      const roundOf = (round: string) => {
        const ids = new Set(matches.flatMap(match => (match.round === round ? match.id : [])))
        return { ids, predictions: predictions.filter(({ matchId }) => ids.has(matchId)) }
      }
      return { played: roundOf('Quarter-final'), open: roundOf('Semi-final') }
    }

    test('has a played round: its split is of the deadline, and its points are of the crowd and of jokers', async () => {
      const { read, tables } = one.db
      const { ids, predictions } = (await readRounds()).played
      expect(new Set(predictions.map(({ state }) => state))).toEqual(new Set(['settled']))
      const points = new Set(predictions.map(row => `${hasJoker(row) ? 'joker' : 'plain'} ${row.points}`))
      expect([...points]).toEqual(expect.arrayContaining(['plain 0', 'plain 15', 'plain 30', 'joker 0']))
      const ofCrowd = (row: (typeof predictions)[number]) =>
        row.outcome && !row.difference && row.points > 10 * (hasJoker(row) ? 2 : 1)
      expect(predictions.filter(ofCrowd).map(hasJoker)).toEqual(expect.arrayContaining([true, false]))
      const splits = await read.select().from(tables.predictionSplits)
      expect(new Set(splits.map(({ matchId }) => matchId))).toEqual(ids)
      expect(new Set(splits.map(({ kickoffAt }) => kickoffAt.getTime())).size).toBe(1)
      for (const { home, draw, away } of splits) expect(Math.min(home, draw, away)).toBeGreaterThan(0)
      expect(splits.every(({ kickoffAt, frozenAt }) => kickoffAt < frozenAt)).toBe(true)
    })

    test('has an open round, which the first of the fans has not predicted', async () => {
      const { played, open } = await readRounds()
      expect(open.predictions.length).toBeGreaterThan(10)
      expect(new Set(open.predictions.map(({ state }) => state))).toEqual(new Set(['open']))
      expect(open.predictions.filter(hasJoker).length).toBeGreaterThan(2)
      const first = played.predictions.filter(({ userId }) =>
        open.predictions.every(row => row.userId !== userId),
      )
      expect(first.length).toBeGreaterThan(0)
    })

    test('is written once, in the order of time, and the audit accepts it', async () => {
      const { read, tables } = one.db
      const rows = await dump(one.db)
      await seedDatabase(one.db, options)
      expect(await dump(one.db)).toEqual(rows)
      expect((await verifyLedger(one.db)).findings).toBe(0)
      expect((await verifyQuests(one.db)).findings).toBe(0)
      const entries = await read
        .select()
        .from(tables.pointsEntries)
        .orderBy(asc(tables.pointsEntries.userId), asc(tables.pointsEntries.seq))
      const early = entries.filter((entry, nth) => {
        const before = entries[nth - 1]
        return before?.userId === entry.userId && entry.createdAt < before.createdAt
      })
      expect(early).toEqual([])
    })
  })
}
