/** Quests that require others, at the limits of their flags, windows and periods. `verify-quests` holds the same rule. */
import { expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { verifyQuests } from '../../../src/audit/runs/verify-quests.ts'
import { recordEvent } from '../../../src/economy/events/record-event.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import type { QuestFinding } from '../../../src/play/quests/audit/facts.ts'
import { questKind, upsertQuest } from '../../../src/play/quests/quest-kind.ts'
import { onEachEngine } from '../../support/world.ts'
import { DAY, patientFan } from '../packs/packs-world.ts'
import { addQuest, happen, progressRows, read, takeBack, userIdOf } from './quests-world.ts'

onEachEngine(
  'A quest whose requirement is completed late',
  world => {
    const reward = { points: 1_000 }
    const balanceOf = async (fan: Awaited<ReturnType<typeof patientFan>>) =>
      (await fan.get('/api/user/points')).body.balance
    const findings = async () => {
      const found: QuestFinding[] = []
      await verifyQuests(world.db, { onFinding: finding => void found.push(finding) })
      return found
    }
    const setUp = async (fields: Parameters<typeof addQuest>[1] = {}) => {
      const fan = await patientFan(world)
      const required = await addQuest(world)
      const quest = await addQuest(world, { requires: [required.id], reward, ...fields })
      return { fan, required, quest }
    }
    type Quest = Awaited<ReturnType<typeof addQuest>>
    const change = ({ type: _, ...entry }: Quest, fields: Partial<Quest>) =>
      world.db.write(tx => upsertQuest(tx, { ...entry, ...fields }))

    test.each([
      { title: 'a flag that is off', off: (quest: Quest) => change(quest, { active: false }) },
      {
        title: 'a deactivation',
        off: (quest: Quest) => world.db.write(tx => questKind.deactivate(tx, quest.id)),
      },
      {
        title: 'a start that is still to come',
        off: (quest: Quest) => change(quest, { startsAt: new Date(world.clock.ms + 9 * DAY).toISOString() }),
      },
    ])('does not pay with $title', async ({ off }) => {
      const { fan, required, quest } = await setUp()
      await happen(world, fan, quest.type)
      await off(quest)
      await happen(world, fan, required.type)
      expect(await balanceOf(fan)).toBe(0)
      expect(await progressRows(world, fan, quest.id)).toMatchObject([{ completedAt: null }])
      expect(await findings()).toEqual([])
    })

    test.each([
      { title: 'its end', after: 1 },
      { title: 'the very end', after: 0 },
    ])('does not pay after $title', async ({ after }) => {
      const endsAt = new Date(world.clock.ms + DAY)
      const { fan, required, quest } = await setUp({ endsAt: endsAt.toISOString() })
      await happen(world, fan, quest.type)
      world.clock.ms = endsAt.getTime() + after
      await happen(world, fan, required.type)
      expect(await balanceOf(fan)).toBe(0)
      expect((await read(fan, quest)).state).toBe('expired')
      // Nor by an event of the time before that is reported now.
      await happen(world, fan, quest.type, { at: new Date(endsAt.getTime() - 1) })
      expect(await balanceOf(fan)).toBe(0)
      expect(await findings()).toEqual([])
    })

    test('pays a millisecond before its end', async () => {
      const endsAt = new Date(world.clock.ms + DAY)
      const { fan, required, quest } = await setUp({ endsAt: endsAt.toISOString() })
      await happen(world, fan, quest.type)
      world.clock.ms = endsAt.getTime() - 1
      await happen(world, fan, required.type)
      expect(await balanceOf(fan)).toBe(1_000)
      expect(await findings()).toEqual([])
    })

    test('gives the reward for the current day, but not for past days', async () => {
      const { fan, required, quest } = await setUp({ period: 'day' })
      for (let n = 0; n < 6; n++) {
        await happen(world, fan, quest.type)
        world.clock.advance(DAY)
      }
      await happen(world, fan, quest.type)
      await happen(world, fan, required.type)
      expect(await balanceOf(fan)).toBe(1_000)
      const rows = await progressRows(world, fan, quest.id)
      expect(rows.map(({ completedAt }) => completedAt !== null)).toEqual([...Array(6).fill(false), true])
      expect(await findings()).toEqual([])
    })

    test('pays by its own late report, if the requirement was completed in time', async () => {
      const { fan, required, quest } = await setUp({ period: 'day' })
      await happen(world, fan, required.type)
      const at = new Date(world.clock.ms)
      world.clock.advance(2 * DAY)
      await happen(world, fan, quest.type, { at })
      expect(await balanceOf(fan)).toBe(1_000)
      expect(await findings()).toEqual([])
    })

    test.each([{ isOff: true }, { isOff: false }])(
      'still loses a completion that is not claimed with the requirement (off: $isOff)',
      async ({ isOff }) => {
        const fan = await patientFan(world)
        const required = await addQuest(world, { claim: 'manual' })
        const quest = await addQuest(world, { requires: [required.id], claim: 'manual' })
        await happen(world, fan, quest.type)
        const eventId = await happen(world, fan, required.type)
        expect(await progressRows(world, fan, quest.id)).toMatchObject([{ completedAt: expect.any(Date) }])
        if (isOff) await change(quest, { active: false })
        await takeBack(world, eventId)
        expect(await progressRows(world, fan, quest.id)).toMatchObject([{ completedAt: null }])
        expect(await findings()).toEqual([])
      },
    )

    test.each([
      { title: 'while the quest was off', fields: { active: false }, wait: 0 },
      { title: 'after the quest ended', fields: { endsAt: true }, wait: 2 * DAY },
      { title: 'after the period was over', fields: { period: 'day' as const }, wait: 2 * DAY },
    ])('is a finding where it was paid $title', async ({ fields: { endsAt, ...fields }, wait }) => {
      const until = new Date(world.clock.ms + DAY).toISOString()
      const { fan, required, quest } = await setUp({
        ...fields,
        active: true,
        ...(endsAt ? { endsAt: until } : {}),
      })
      await happen(world, fan, quest.type)
      if ('active' in fields) await change(quest, fields)
      world.clock.advance(Math.max(wait, 120_000))
      await happen(world, fan, required.type)
      expect(await findings()).toEqual([])
      await pay(fan, quest)
      expect(await findings()).toEqual([
        expect.objectContaining({ questId: quest.id, what: 'quest_progress.completed_at', actual: 'set' }),
      ])
    })

    /** Writes what an earlier version wrote: like `completePeriod`, but without checks. */
    async function pay(fan: Awaited<ReturnType<typeof patientFan>>, quest: Quest) {
      const userId = await userIdOf(world, fan)
      await world.db.write(async tx => {
        const { questProgress: rows } = tx.tables
        const own = and(eq(rows.userId, userId), eq(rows.questId, quest.id))
        const [row] = await tx.select().from(rows).where(own)
        if (!row) throw new Error('there is no progress')
        const ref = `${quest.id}:${row.period}`
        await appendEntry(tx, { userId, delta: reward.points, reason: 'quest', ref })
        const completionId = tx.newId()
        const given = JSON.stringify({ ...reward, rewardId: null, collectibleId: null })
        await tx
          .update(rows)
          .set({ completedAt: tx.now(), completionId, claimedAt: tx.now(), given })
          .where(own)
        const data = { questId: quest.id, kind: 'quest', period: row.period, streak: null } as const
        await recordEvent(tx, { userId, type: 'quest.completed', eventId: completionId, data })
      })
    }
  },
  { worldPer: 'test' },
)
