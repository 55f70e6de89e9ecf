/** The statements of a settlement of votes with a rule and a quest that listen to it: as many for many votes as for a few. */
import { expect, spyOn, test } from 'bun:test'
import type { Database } from '../../../db/index.ts'
import { upsertRule } from '../../../src/economy/rules/rule-kind.ts'
import { settleQuestions } from '../../../src/play/questions/settle.ts'
import { countsAttempts } from '../../support/serializable.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { patientFan } from '../packs/packs-world.ts'
import { addQuest } from '../quests/quests-world.ts'
import { addQuestion, MINUTE, settleAll, vote } from './questions-world.ts'

/** The statements of the units of work in which the votes of `fans` are settled. */
async function costOf(world: World, fans: number): Promise<number> {
  const id = await addQuestion(world, { correct: 'home', points: 25 })
  const voters = await Promise.all(Array.from({ length: fans }, () => patientFan(world)))
  for (const [nth, fan] of voters.entries()) await vote(fan, id, nth === 0 ? 'home' : 'away')
  const [first] = voters
  if (!first) throw new Error('nobody votes')
  world.clock.advance(MINUTE)
  let statements = 0
  const db: Database = {
    ...world.db,
    write: work =>
      world.db.write(async tx => {
        const asked = [
          spyOn(tx.statements, 'get'),
          ...(['select', 'insert', 'update', 'delete'] as const).map(name => spyOn(tx, name)),
        ]
        try {
          return await work(tx)
        } finally {
          for (const spy of asked) {
            statements += spy.mock.calls.length
            spy.mockRestore()
          }
        }
      }),
  }
  await settleQuestions({ ...world.deps, db })
  // 25 for the right answer, 5 by the rule, 3 by the quest.
  expect((await first.get('/api/user/points')).body.balance).toBe(33)
  await settleAll(world)
  return statements
}

onEachEngine('A settlement of votes to which a rule and a quest listen', world => {
  test.skipIf(countsAttempts !== '')(
    `takes the same number of statements for two votes and for the forty of a batch${countsAttempts}`,
    async () => {
      const eventType = 'question.answered'
      const rule = { id: 'answered', name: 'Answered', eventType, points: { fixed: 5 } }
      await world.db.write(tx => upsertRule(tx, { ...rule, limit: { count: 3, per: 'day' } }))
      await addQuest(world, { steps: [{ eventType }], reward: { points: 3 } })
      // The first reads the catalogue.
      await costOf(world, 2)
      const few = await costOf(world, 2)
      expect(few).toBeGreaterThan(5)
      expect(await costOf(world, 40)).toBe(few)
    },
  )
})
