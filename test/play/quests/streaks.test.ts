/** Streaks of fans: runs by the clock, late events, voids, and achievements that listen to them. */
import { expect, test } from 'bun:test'
import { KICK_OFF } from '../../support/clock.ts'
import { onEachEngine } from '../../support/world.ts'
import { DAY, patientFan } from '../packs/packs-world.ts'
import { addQuest, happen, ownEvents, read, takeBack } from './quests-world.ts'

onEachEngine(
  'A streak',
  world => {
    const daily = (graceDays = 0) =>
      addQuest(world, { kind: 'streak', period: 'day', graceDays, claim: 'manual' })
    /** The start of a day, counted from today. */
    const day = (n: number) => new Date(Date.parse('2026-08-15T00:00:00.000Z') + n * DAY)

    test('counts periods in a row, is at risk until the next one is over, and then starts again', async () => {
      const quest = await daily()
      const fan = await patientFan(world)
      expect((await read(fan, quest)).streak).toEqual({
        ...{ current: 0, best: 0, atRiskUntil: null, graceLeft: 0 },
      })
      for (let n = 0; n < 3; n++) {
        await happen(world, fan, quest.type)
        world.clock.advance(DAY)
      }
      const running = { current: 3, best: 3, atRiskUntil: day(4).toISOString(), graceLeft: 0 }
      expect((await read(fan, quest)).streak).toEqual(running)
      world.clock.ms = day(4).getTime() - 1
      expect((await read(fan, quest)).streak).toEqual(running)
      world.clock.ms += 1
      expect((await read(fan, quest)).streak).toEqual({
        current: 0,
        best: 3,
        atRiskUntil: null,
        graceLeft: 0,
      })
      await happen(world, fan, quest.type)
      expect((await read(fan, quest)).streak).toMatchObject({ current: 1, best: 3 })
    })

    test('continues over as many missed days as `graceDays`, in all', async () => {
      const quest = await daily(2)
      const fan = await patientFan(world)
      await happen(world, fan, quest.type)
      world.clock.advance(2 * DAY)
      expect((await read(fan, quest)).streak).toEqual({
        ...{ current: 1, best: 1, atRiskUntil: day(4).toISOString(), graceLeft: 1 },
      })
      await happen(world, fan, quest.type)
      expect((await read(fan, quest)).streak).toMatchObject({ current: 2, graceLeft: 1 })
      world.clock.advance(2 * DAY)
      expect((await read(fan, quest)).streak).toMatchObject({ current: 2, graceLeft: 0 })
      world.clock.advance(DAY)
      const shorter = { current: 1, best: 2, atRiskUntil: day(6).toISOString(), graceLeft: 0 }
      expect((await read(fan, quest)).streak).toEqual(shorter)
      expect((await fan.get('/api/dashboard')).body.quests.streakAtRisk).toEqual({
        ...{ questId: quest.id, current: 1, atRiskUntil: day(6).toISOString() },
      })
      world.clock.advance(DAY)
      expect((await read(fan, quest)).streak).toMatchObject({ current: 0, best: 2, graceLeft: 2 })
    })

    test('that is live continues after a report of an earlier day', async () => {
      const quest = await daily(1)
      const fan = await patientFan(world)
      for (const n of [-4, -2]) await happen(world, fan, quest.type, { at: day(n) })
      expect((await read(fan, quest)).streak).toMatchObject({ current: 1, graceLeft: 0 })
      await happen(world, fan, quest.type)
      const live = (await read(fan, quest)).streak
      expect(live).toMatchObject({ current: 2, best: 2 })
      await happen(world, fan, quest.type, { at: day(-6) })
      expect((await read(fan, quest)).streak).toEqual(live)
    })

    test('is joined by an event that arrives late, and broken by a void', async () => {
      const quest = await daily()
      const fan = await patientFan(world)
      await happen(world, fan, quest.type, { at: day(-3) })
      await happen(world, fan, quest.type, { at: day(-1) })
      await happen(world, fan, quest.type)
      expect((await read(fan, quest)).streak).toMatchObject({ current: 2, best: 2 })
      const late = await happen(world, fan, quest.type, { at: day(-2) })
      expect((await read(fan, quest)).streak).toMatchObject({ current: 4, best: 4 })
      await takeBack(world, late)
      expect((await read(fan, quest)).streak).toMatchObject({ current: 2, best: 2 })
    })

    test('is in the events of its completions, so that an achievement can require seven in a row', async () => {
      const quest = await daily()
      const achievement = await addQuest(world, {
        kind: 'achievement',
        steps: [
          {
            eventType: 'quest.completed',
            when: [
              { path: '/questId', op: 'eq', value: quest.id },
              { path: '/streak', op: 'gte', value: 7 },
            ],
          },
        ],
      })
      const fan = await patientFan(world)
      for (let n = 0; n < 7; n++) {
        expect((await read(fan, achievement)).state).toBe('in_progress')
        await happen(world, fan, quest.type)
        world.clock.advance(DAY)
      }
      expect((await read(fan, achievement)).state).toBe('claimed')
      const streaks = (await ownEvents(world, fan, 'quest.completed')).map(({ streak }) => streak)
      expect(streaks).toEqual([1, 2, 3, 4, 5, 6, 7, null])
    })

    test('is on the dashboard while it is at risk', async () => {
      const quest = await daily()
      const fan = await patientFan(world)
      await happen(world, fan, quest.type)
      const shown = async () => (await fan.get('/api/dashboard')).body.quests
      expect(await shown()).toEqual({ active: 0, claimable: 1, streakAtRisk: null })
      world.clock.advance(DAY)
      const atRiskUntil = day(2).toISOString()
      expect(await shown()).toEqual({
        ...{ active: 0, claimable: 1 },
        streakAtRisk: { questId: quest.id, current: 1, atRiskUntil },
      })
      world.clock.ms = KICK_OFF + 2 * DAY
      expect((await shown()).streakAtRisk).toBeNull()
    })
  },
  { worldPer: 'test' },
)

onEachEngine('The dashboard', world => {
  test('counts quests that are begun and open, and completed ones to be claimed', async () => {
    const fan = await patientFan(world)
    const shown = async () => (await fan.get('/api/dashboard')).body.quests
    const required = await addQuest(world, { steps: [{ target: 2 }], claim: 'manual' })
    const locked = await addQuest(world, { steps: [{ target: 2 }], requires: [required.id] })
    const ended = await addQuest(world, {
      endsAt: new Date(world.clock.ms + 1).toISOString(),
      steps: [{ target: 2 }],
    })
    for (const quest of [required, locked, ended]) await happen(world, fan, quest.type)
    expect(await shown()).toMatchObject({ active: 2, claimable: 0 })
    world.clock.advance(1)
    expect(await shown()).toMatchObject({ active: 1, claimable: 0 })
    await happen(world, fan, required.type)
    expect(await shown()).toMatchObject({ active: 1, claimable: 1 })
    await fan.post('/api/quests/claim', { questId: required.id })
    expect(await shown()).toMatchObject({ active: 1, claimable: 0 })
  })
})
