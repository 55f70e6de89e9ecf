/** The cost of an event for the quests that listen to it. */
import { expect, spyOn, test } from 'bun:test'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { onEachEngine } from '../../support/world.ts'
import { addQuest, happen, newType, userIdOf } from './quests-world.ts'

onEachEngine('An event', world => {
  test.each([
    { title: 'that no quest listens to takes one statement', quests: 0, statements: 1 },
    { title: 'that one quest counts takes five reads', quests: 1, statements: 5 },
    { title: 'that five quests count takes no more', quests: 5, statements: 5 },
  ])('$title, each of them prepared', async ({ quests, statements }) => {
    const eventType = newType()
    for (let n = 0; n < quests; n++) await addQuest(world, { steps: [{ eventType, target: 9 }] })
    const fan = await world.fan()
    // The first event reads the quests, and the second prepares the update.
    for (let n = 0; n < 2; n++) await happen(world, fan, eventType)
    const userId = await userIdOf(world, fan)
    await world.db.write(async tx => {
      const event = { source: 'shop', eventId: crypto.randomUUID(), userId, type: eventType, data: {} }
      const asked = spyOn(tx.statements, 'get')
      const built = (['select', 'insert', 'update', 'delete'] as const).map(name => spyOn(tx, name))
      try {
        await writeEvent(tx, { ...event, occurredAt: tx.now() })
        expect(asked).toHaveBeenCalledTimes(statements)
        for (const build of built) expect(build).not.toHaveBeenCalled()
      } finally {
        for (const spy of [asked, ...built]) spy.mockRestore()
      }
    })
  })
})
