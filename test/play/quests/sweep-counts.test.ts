/** Counted events are kept as long as they can change something, and no longer. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { verifyQuests } from '../../../src/audit/runs/verify-quests.ts'
import { backfillFan } from '../../../src/operate/admin/backfill-quests.ts'
import { readQuestSet } from '../../../src/play/quests/quest.ts'
import { sweepCounts } from '../../../src/play/quests/sweep-counts.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'
import { addQuest, claim, happen, progressRows, takeBack, userIdOf } from './quests-world.ts'

const DAY_MS = 86_400_000
/** Since the last event of a period of a day, its end is at most this far away. */
const ENDED_MS = 33 * DAY_MS

const countsOf = ({ db }: World, { id }: { id: string }) =>
  db.read.select().from(db.tables.questCounts).where(eq(db.tables.questCounts.questId, id))

async function backfill(world: World, fan: Fan, { id }: { id: string }) {
  const userId = await userIdOf(world, fan)
  return world.db.write(async tx => {
    const quest = (await readQuestSet(tx)).byId.get(id)
    if (!quest) throw new Error('the quest was not imported')
    return backfillFan(tx, quest, { userId, since: new Date(0) })
  })
}

onEachEngine(
  'The counted events of a period',
  world => {
    test('are deleted in the unit of work that claims it, by the fan or by itself', async () => {
      const byHand = await addQuest(world, { claim: 'manual', steps: [{ target: 2 }] })
      const auto = await addQuest(world, { steps: [{ target: 2 }] })
      const fan = await world.fan()
      for (const quest of [byHand, auto]) {
        await happen(world, fan, quest.type)
        expect(await countsOf(world, quest)).toHaveLength(1)
        await happen(world, fan, quest.type)
      }
      expect([(await countsOf(world, byHand)).length, (await countsOf(world, auto)).length]).toEqual([2, 0])
      expect((await claim(fan, byHand.id)).status).toBe(200)
      expect(await countsOf(world, byHand)).toEqual([])
      for (const quest of [byHand, auto])
        expect(await progressRows(world, fan, quest.id)).toMatchObject([{ counts: '{"step-1":2}' }])
      expect(await verifyQuests(world.db)).toMatchObject({ findings: 0 })
    })

    test('are swept after it has ended incomplete and events can no longer come, and not before', async () => {
      const quest = await addQuest(world, { period: 'day', claim: 'manual', steps: [{ target: 2 }] })
      const fan = await world.fan()
      await happen(world, fan, quest.type)
      for (const [days, left] of [
        [31, 1],
        [33, 0],
      ] as const) {
        world.clock.advance((days === 31 ? 31 : 2) * DAY_MS)
        await sweepCounts(world.db)
        expect(await countsOf(world, quest)).toHaveLength(left)
      }
      expect(await progressRows(world, fan, quest.id)).toMatchObject([{ counts: '{"step-1":1}' }])
      expect(await verifyQuests(world.db)).toMatchObject({ findings: 0 })
    })

    test('stay while a void can take its completion back, however long ago it ended', async () => {
      const quest = await addQuest(world, { period: 'day', claim: 'manual' })
      const fan = await world.fan()
      const eventId = await happen(world, fan, quest.type)
      world.clock.advance(10 * ENDED_MS)
      expect(await sweepCounts(world.db)).toBe(0)
      await takeBack(world, eventId)
      expect(await progressRows(world, fan, quest.id)).toMatchObject([{ counts: '{}', completedAt: null }])
      expect(await verifyQuests(world.db)).toMatchObject({ findings: 0 })
    })

    test('of an achievement stay until it is claimed', async () => {
      const quest = await addQuest(world, { kind: 'achievement', steps: [{ target: 3 }] })
      const fan = await world.fan()
      await happen(world, fan, quest.type)
      world.clock.advance(10 * ENDED_MS)
      expect(await sweepCounts(world.db)).toBe(0)
      expect(await countsOf(world, quest)).toHaveLength(1)
      expect(await progressRows(world, fan, quest.id)).toMatchObject([{ counts: '{"step-1":1}' }])
    })

    test('are not counted a second time by a backfill after they were swept', async () => {
      const quest = await addQuest(world, { period: 'day', steps: [{ target: 2 }] })
      const fan = await world.fan()
      const eventId = await happen(world, fan, quest.type)
      world.clock.advance(ENDED_MS)
      expect(await sweepCounts(world.db)).toBe(1)
      expect(await backfill(world, fan, quest)).toMatchObject({ events: 0, completed: 0 })
      await takeBack(world, eventId)
      expect(await backfill(world, fan, quest)).toMatchObject({ events: 0, completed: 0 })
      expect(await progressRows(world, fan, quest.id)).toMatchObject([
        { counts: '{"step-1":1}', completedAt: null },
      ])
      expect(await verifyQuests(world.db)).toMatchObject({ findings: 0 })
    })

    test('of an earlier version are swept from claimed periods, in pages', async () => {
      const quests = []
      const fan = await world.fan()
      const userId = await userIdOf(world, fan)
      for (let nth = 0; nth < 3; nth++) quests.push(await addQuest(world, { period: 'day' }))
      for (const quest of quests) await happen(world, fan, quest.type)
      const { questCounts } = world.db.tables
      const rows = quests.flatMap(({ id: questId }) =>
        Array.from({ length: 100 }, (_, n) => ({ questId, eventId: `event-${n}` })),
      )
      await world.db.write(tx =>
        tx
          .insert(questCounts)
          .values(
            rows.map(row => ({ ...row, userId, period: '2026-08-15', stepId: 'step-1', source: 'shop' })),
          ),
      )
      expect(await sweepCounts(world.db)).toBe(3)
      expect(await world.db.read.select().from(questCounts)).toEqual([])
    })
  },
  { worldPer: 'test' },
)
