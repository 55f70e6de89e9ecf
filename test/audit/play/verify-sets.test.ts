/** `verify-ledger` finds points of a completed set that no entry has booked. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { findWrongSets } from '../../../src/audit/play/verify-sets.ts'
import { patientFan } from '../../play/packs/packs-world.ts'
import { userIdOf } from '../../play/quests/quests-world.ts'
import { addSet, give } from '../../play/sets/sets-world.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine('A completed set', world => {
  test.each([
    ['gave none', undefined, 5, 0],
    ['gave others', { points: 4 }, 5, 4],
  ])('that states that it gave points, and %s, is found', async (_, reward, stated, given) => {
    const userId = await userIdOf(world, await patientFan(world))
    const { id, collectibleIds } = await addSet(world, reward ? { reward } : {})
    await give(world, userId, collectibleIds)
    expect(await findWrongSets(world.db.read, { only: userId })).toEqual([])
    const { setCompletions } = world.db.tables
    await world.db.write(tx =>
      tx.update(setCompletions).set({ points: stated }).where(eq(setCompletions.userId, userId)),
    )
    expect(await findWrongSets(world.db.read, { only: userId })).toEqual([
      { userId, what: `set_completions.points of ${id}`, expected: given, actual: stated },
    ])
  })
})
