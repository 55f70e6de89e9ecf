/** The statements of a settlement with rules and quests that listen to it: as many for many predictions as for a few. */
import { expect, spyOn, test } from 'bun:test'
import type { Database } from '../../../db/index.ts'
import { upsertRule } from '../../../src/economy/rules/rule-kind.ts'
import { settlePredictions } from '../../../src/play/predictions/settle.ts'
import { countsAttempts } from '../../support/serializable.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { addQuest } from '../quests/quests-world.ts'
import { addMatch, addPredictor, settleAll, stateOf } from './match-world.ts'

/** The statements of the units of work in which the predictions of `fans` are settled. */
async function costOf(world: World, fans: number): Promise<number> {
  const match = await addMatch(world)
  const [first] = await Promise.all(
    Array.from({ length: fans }, () => addPredictor(world, match.matchId, 1, 0)),
  )
  if (!first) throw new Error('nobody predicts')
  await match.finish(1, 0)
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
  await settlePredictions({ ...world.deps, db })
  // 25 for the prediction, 5 by the rule, 3 by the quest.
  expect(await stateOf(world, first, match.matchId)).toMatchObject({ prediction: { state: 'settled' } })
  expect((await first.get('/api/user/points')).body.balance).toBe(33)
  await settleAll(world)
  return statements
}

onEachEngine('A settlement to which a rule and a quest listen', world => {
  test.skipIf(countsAttempts !== '')(
    `takes the same number of statements for two predictions and for the forty of a batch${countsAttempts}`,
    async () => {
      const eventType = 'prediction.settled'
      const rule = { id: 'settled', name: 'Settled', eventType, points: { fixed: 5 } }
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
