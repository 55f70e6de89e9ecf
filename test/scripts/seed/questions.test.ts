/** Questions of the live match of a seed: written once, with votes of fans, and accepted by the audit. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DERBY } from '../../../scripts/seed/demo-matches.ts'
import { seedDatabase } from '../../../scripts/seed/seed.ts'
import { findWrongQuestions, findWrongTallies } from '../../../src/audit/play/verify-questions.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { readQuestionDetail } from '../../../src/play/questions/progress.ts'
import { createClock } from '../../support/clock.ts'
import { dump } from '../../support/dump.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { options as sixtyFans } from './sixty-fans.ts'

for (const engine of engines) {
  describe(`The questions of a seed (${engine.name})`, () => {
    let one: TemporaryDatabase

    beforeAll(async () => {
      one = await engine.open(createClock())
      await seedDatabase(one.db, sixtyFans)
    })
    afterAll(() => one.remove())

    test('are about the live match, of each kind, and two are settled', async () => {
      const { read, tables } = one.db
      const rows = await read.select().from(tables.questions)
      const details = await Promise.all(rows.map(({ id }) => readQuestionDetail(read, id)))
      expect(new Set(rows.map(({ matchId }) => matchId))).toEqual(new Set([DERBY]))
      expect(new Set(rows.map(({ kind }) => kind))).toEqual(
        new Set(['poll', 'quiz', 'prediction', 'rating', 'player']),
      )
      for (const { fans } of details) expect(fans).toBeGreaterThan(10)
      const settled = details.filter(({ state }) => state === 'settled')
      expect(settled.map(({ question }) => question.id).toSorted()).toEqual([
        'derby-corners',
        'derby-first-title',
      ])
      for (const one of settled) expect(one).toMatchObject({ settled: one.fans, isSettling: false })
      expect(details.filter(({ state }) => state === 'open')).toHaveLength(rows.length - settled.length)
    })

    test('are written once, and the audit accepts them', async () => {
      const rows = await dump(one.db)
      await seedDatabase(one.db, sixtyFans)
      expect(await dump(one.db)).toEqual(rows)
      expect((await verifyLedger(one.db)).findings).toBe(0)
      expect(await findWrongTallies(one.db.read)).toEqual([])
      expect(await findWrongQuestions(one.db.read)).toEqual([])
    })
  })
}
