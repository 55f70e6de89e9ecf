/** A recording voids events like a unit of work of its own, whatever it has done with them before. */
import { expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import type { NewEvent } from '../../../src/economy/events/event.ts'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { openRecording } from '../../../src/economy/events/recording.ts'
import { addQuest } from '../../play/quests/quests-world.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { addFan, addRule, entriesOf, usesOf } from '../rules/rules-world.ts'

/** An event of a new fan, which earns ten points once and completes a quest. */
async function newEvent(world: World) {
  const { type } = await addQuest(world, { claim: 'manual' })
  const rule = await addRule(world, { eventType: type, limit: { count: 1, per: 'ever' } })
  const userId = await addFan(world)
  const eventId = crypto.randomUUID()
  const event: NewEvent = { source: 'shop', eventId, userId, type, occurredAt: world.db.read.now(), data: {} }
  return { event, userId, ruleId: rule.id }
}

async function completionsOf({ db: { read, tables } }: World, userId: string) {
  const { events } = tables
  const isCompletion = and(eq(events.userId, userId), eq(events.type, 'quest.completed'))
  return read.select().from(events).where(isCompletion)
}

onEachEngine('A recording', world => {
  test.each(['records an event and voids it', 'loads a recorded event and voids it'])('%s', async what => {
    const { event, userId, ruleId } = await newEvent(world)
    const isStored = what.startsWith('loads')
    if (isStored) await world.db.write(tx => writeEvent(tx, event))
    const voided = await world.db.write(async tx => {
      const recording = await openRecording(tx, [userId])
      await recording.load([event])
      if (!isStored) await recording.record(event)
      const voided = await recording.void(event)
      await recording.write()
      return voided
    })
    expect(voided).toEqual({ taken: [{ ruleId, points: 10, uncollected: 0 }], isRepeat: false })
    const deltas = (await entriesOf(world, userId)).map(({ delta }) => delta)
    expect(deltas).toEqual([10, -10])
    expect(await usesOf(world, ruleId)).toEqual({ [`${userId} ever`]: 0 })
    const completions = await completionsOf(world, userId)
    expect(completions.map(({ voidedAt }) => voidedAt)).toEqual([expect.any(Date)])
    const { questProgress } = world.db.tables
    const progress = await world.db.read.select().from(questProgress).where(eq(questProgress.userId, userId))
    expect(progress).toMatchObject([{ counts: '{}', completedAt: null, completionId: null }])
  })
})
