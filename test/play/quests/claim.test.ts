/** Claims of completed periods, and what they give. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { onEachEngine } from '../../support/world.ts'
import { addPack, DAY, expectStatus, patientFan, refusal } from '../packs/packs-world.ts'
import { addQuest, claim, happen, ownEvents, read, takeBack, userIdOf } from './quests-world.ts'

onEachEngine('POST /api/quests/claim', world => {
  const ledgerOf = async (fan: { get: (path: string) => Promise<{ body: { entries: unknown[] } }> }) =>
    (await fan.get('/api/user/points?reason=quest')).body.entries

  test('is 401 without a token', async () => {
    const anonymous = await world.anonymous.post('/api/quests/claim', { questId: 'x' })
    expect(refusal(anonymous)).toEqual([401, 'unauthenticated'])
  })

  test('gives the reward of a completed quest once', async () => {
    const quest = await addQuest(world, { claim: 'manual', reward: { points: 30 } })
    const fan = await patientFan(world)
    await happen(world, fan, quest.type)
    expect(await read(fan, quest)).toMatchObject({ state: 'completed', claimedAt: null, given: null })
    expect(await ledgerOf(fan)).toEqual([])
    const { body } = await claim(fan, quest.id)
    expect(body.quest).toEqual(await read(fan, quest))
    expect(body.quest).toMatchObject({ state: 'claimed', given: { points: 30 } })
    expect(refusal(await claim(fan, quest.id))).toEqual([409, 'already_claimed'])
    expect(await ledgerOf(fan)).toMatchObject([{ delta: 30, ref: `${quest.id}:ever` }])
    expect(await ownEvents(world, fan, 'quest.completed')).toHaveLength(1)
  })

  test('refuses a quest that does not exist', async () => {
    expect(refusal(await claim(await patientFan(world), 'nothing'))).toEqual([404, 'quest_not_found'])
  })

  test.each([
    { title: 'that the fan has not begun', events: 0 },
    { title: 'that the fan has not completed', events: 1 },
  ])('refuses a period $title', async ({ events }) => {
    const quest = await addQuest(world, { claim: 'manual', steps: [{ target: 2 }] })
    const fan = await patientFan(world)
    for (let at = 0; at < events; at++) await happen(world, fan, quest.type)
    expect(refusal(await claim(fan, quest.id))).toEqual([409, 'quest_not_completed'])
    expect(refusal(await claim(fan, quest.id, 'next'))).toEqual([409, 'quest_not_completed'])
  })

  test('refuses a period that ended incomplete, and a quest that has ended', async () => {
    const steps = [{ target: 2 }]
    const endsAt = new Date(world.clock.ms + DAY).toISOString()
    const daily = await addQuest(world, { claim: 'manual', period: 'day', steps })
    const ending = await addQuest(world, { claim: 'manual', steps, endsAt })
    const fan = await patientFan(world)
    for (const quest of [daily, ending]) await happen(world, fan, quest.type)
    const { key } = (await read(fan, daily)).period
    world.clock.advance(DAY)
    expect(await read(fan, daily)).toMatchObject({ state: 'in_progress', progress: [{ count: 0 }] })
    expect(await read(fan, ending)).toMatchObject({ state: 'expired', progress: [{ count: 1 }] })
    expect(refusal(await claim(fan, daily.id, key))).toEqual([409, 'quest_expired'])
    expect(refusal(await claim(fan, ending.id))).toEqual([409, 'quest_expired'])
  })

  test('gives the reward even after the period, which stays in the list until then', async () => {
    const quest = await addQuest(world, { claim: 'manual', period: 'day', reward: { points: 3 } })
    const fan = await patientFan(world)
    await happen(world, fan, quest.type)
    const { period } = await read(fan, quest)
    world.clock.advance(3 * DAY)
    const own = async () =>
      (await fan.get('/api/quests')).body.quests.filter(({ id }: { id: string }) => id === quest.id)
    expect(await own()).toMatchObject([{ state: 'in_progress' }, { state: 'completed', period }])
    expect(refusal(await claim(fan, quest.id))).toEqual([409, 'quest_not_completed'])
    expectStatus(200, await claim(fan, quest.id, period.key))
    expect(await own()).toHaveLength(1)
    expect(await ledgerOf(fan)).toMatchObject([{ ref: `${quest.id}:${period.key}` }])
  })

  test('refuses a completion that a voided event has taken back', async () => {
    const quest = await addQuest(world, { claim: 'manual' })
    const fan = await patientFan(world)
    await takeBack(world, await happen(world, fan, quest.type))
    expect(refusal(await claim(fan, quest.id))).toEqual([409, 'quest_not_completed'])
  })

  test('claims a reward for the fan without its threshold, from its stock', async () => {
    const rewardId = await world.reward({ pointsRequired: 1_000, stockRemaining: 1, active: false })
    const quest = await addQuest(world, { claim: 'manual', reward: { points: 1, rewardId } })
    const [first, second] = [await patientFan(world), await patientFan(world)]
    for (const fan of [first, second]) await happen(world, fan, quest.type)
    expect((await claim(first, quest.id)).body.quest.given).toMatchObject({ points: 1, rewardId })
    expect(await ownEvents(world, first, 'reward.claimed')).toMatchObject([{ rewardId }])
    // The stock is empty, but the points are given.
    expect((await claim(second, quest.id)).body.quest.given).toMatchObject({ points: 1, rewardId: null })
    expect(await ownEvents(world, second, 'reward.claimed')).toEqual([])
    const rewardsOf = async (fan: typeof first) => (await fan.get('/api/user/rewards')).body.rewards
    expect(await rewardsOf(first)).toMatchObject([{ id: rewardId, state: 'claimed', stockRemaining: 0 }])
    expect(await rewardsOf(second)).toEqual([])
    expectStatus(200, await first.post('/api/rewards/redeem', { rewardId }))
  })

  test('does not claim a reward again that the fan has claimed', async () => {
    const rewardId = await world.reward({ pointsRequired: 0, stockRemaining: 5 })
    const quest = await addQuest(world, { reward: { rewardId } })
    const fan = await patientFan(world)
    expectStatus(200, await fan.post('/api/rewards/claim', { rewardId }))
    await happen(world, fan, quest.type)
    expect((await read(fan, quest)).given.rewardId).toBeNull()
    expect((await fan.get('/api/user/rewards')).body.rewards).toMatchObject([{ stockRemaining: 4 }])
  })

  test('gives a collectible with the next serial number', async () => {
    const packId = await addPack(world)
    const { packItems, userItems } = world.db.tables
    const [item] = await world.db.read.select().from(packItems).where(eq(packItems.packId, packId))
    const collectibleId = item?.collectibleId ?? ''
    const quest = await addQuest(world, { period: 'day', reward: { collectibleId } })
    const fans = [await patientFan(world), await patientFan(world)]
    for (const fan of fans) await happen(world, fan, quest.type)
    for (const [at, fan] of fans.entries()) {
      expect((await read(fan, quest)).given).toMatchObject({ collectibleId })
      const { items } = (await fan.get('/api/user/collection')).body
      expect(items).toMatchObject([{ id: collectibleId, count: 1, serialNumbers: [at + 1] }])
    }
    const userId = await userIdOf(world, fans[0] ?? (await patientFan(world)))
    const [row] = await world.db.read.select().from(userItems).where(eq(userItems.userId, userId))
    expect(row).toMatchObject({ userPackId: null, position: null })
    expect(row?.givenFor).toStartWith(`quest:${quest.id}:2026-08-`)
  })
})
