/** Effects of events on quests: counts, completions, periods, and reads of them. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { isMissingParent } from '../../../db/index.ts'
import { onEachEngine } from '../../support/world.ts'
import {
  addQuest,
  happen,
  newType,
  ownEvents,
  progressRows,
  read,
  takeBack,
  userIdOf,
} from './quests-world.ts'

onEachEngine('GET /api/quests', world => {
  test('is 401 without a token', async () => {
    const { status, body } = await world.anonymous.get('/api/quests')
    expect([status, body.code]).toEqual([401, 'unauthenticated'])
  })

  test('shows a fan without a record each quest without progress, and makes no record', async () => {
    const quest = await addQuest(world, { steps: [{ target: 3 }], reward: { points: 5 } })
    const fan = await world.fan()
    expect(await read(fan, quest)).toEqual({
      id: quest.id,
      title: 'Quest',
      description: 'A quest.',
      imageUrl: null,
      kind: 'quest',
      reward: { points: 5, rewardId: null, collectibleId: null },
      claim: 'auto',
      sponsorId: null,
      startsAt: null,
      endsAt: null,
      period: null,
      state: 'in_progress',
      progress: [{ stepId: 'step-1', count: 0, target: 3 }],
      blockedBy: [],
      completedAt: null,
      claimedAt: null,
      given: null,
    })
    expect((await fan.get('/api/user/profile')).status).toBe(404)
  })

  test('returns 304 for an unchanged list, and a changed list with the change', async () => {
    const quest = await addQuest(world, { steps: [{ target: 2 }] })
    const fan = await world.fan()
    const etag = (await fan.get('/api/quests')).headers.get('etag') ?? ''
    expect((await fan.get('/api/quests', { 'if-none-match': etag })).status).toBe(304)
    await happen(world, fan, quest.type)
    const changed = await fan.get('/api/quests', { 'if-none-match': etag })
    expect(changed.status).toBe(200)
    expect(changed.headers.get('cache-control')).toBe('private, no-cache')
  })

  test.each([
    { title: 'a quest whose flag is off', fields: { active: false } },
    { title: 'a quest that has not started', fields: { startsAt: '2999-01-01T00:00:00.000Z' } },
  ])('does not list $title', async ({ fields }) => {
    const quest = await addQuest(world, fields)
    expect(await read(await world.fan(), quest)).toBeUndefined()
  })
})

onEachEngine('An event', world => {
  test('counts for each step that it meets, and completes the quest when all steps are full', async () => {
    const [goals, shop] = [newType(), newType()]
    const quest = await addQuest(world, {
      steps: [
        { eventType: goals, target: 2 },
        { eventType: shop, when: [{ path: '/amount', op: 'gte', value: 10 }] },
      ],
      reward: { points: 7 },
    })
    const fan = await world.fan()
    await happen(world, fan, goals)
    await happen(world, fan, shop, { data: { amount: 9 } })
    expect(await read(fan, quest)).toMatchObject({
      state: 'in_progress',
      progress: [{ count: 1 }, { count: 0 }],
    })
    await happen(world, fan, shop, { data: { amount: 10 } })
    for (let more = 0; more < 3; more++) await happen(world, fan, goals)
    const now = world.clock.now().toISOString()
    expect(await read(fan, quest)).toMatchObject({
      state: 'claimed',
      progress: [{ count: 2, target: 2 }, { count: 1 }],
      completedAt: now,
      claimedAt: now,
      given: { points: 7, rewardId: null, collectibleId: null },
    })
    const { balance, entries } = (await fan.get('/api/user/points')).body
    expect([balance, entries.length]).toEqual([7, 1])
    expect(entries[0]).toMatchObject({ delta: 7, reason: 'quest', ref: `${quest.id}:ever` })
    expect(await ownEvents(world, fan, 'quest.completed')).toEqual([
      { questId: quest.id, kind: 'quest', period: 'ever', streak: null, voided: false },
    ])
  })

  test('counts no more for a period whose reward was given', async () => {
    const quest = await addQuest(world, { reward: { points: 5 } })
    const fan = await world.fan()
    await happen(world, fan, quest.type)
    const [before, rows] = [await read(fan, quest), await progressRows(world, fan, quest.id)]
    expect(before).toMatchObject({ state: 'claimed', progress: [{ count: 1 }] })
    await happen(world, fan, quest.type)
    expect(await read(fan, quest)).toEqual(before)
    expect(await progressRows(world, fan, quest.id)).toEqual(rows)
    const { questCounts } = world.db.tables
    const counts = await world.db.read.select().from(questCounts).where(eq(questCounts.questId, quest.id))
    expect(counts).toEqual([])
  })

  test('is refused by the database as counted for a period without progress', async () => {
    const quest = await addQuest(world)
    const userId = await userIdOf(world, await world.fan())
    const { questCounts } = world.db.tables
    const count = {
      userId,
      questId: quest.id,
      period: 'ever',
      stepId: 'step-1',
      source: 'shop',
      eventId: '1',
    }
    const refused = world.db.write(tx => tx.insert(questCounts).values(count))
    expect(isMissingParent(await refused.catch((error: unknown) => error))).toBe(true)
  })

  test('counts once, even if it is recorded twice', async () => {
    const quest = await addQuest(world, { steps: [{ target: 3 }] })
    const fan = await world.fan()
    const eventId = await happen(world, fan, quest.type)
    await happen(world, fan, quest.type, { eventId })
    expect((await read(fan, quest)).progress[0].count).toBe(1)
  })

  test('counts an object of `distinctBy` once, in whatever order its members come', async () => {
    const quest = await addQuest(world, { steps: [{ target: 9, distinctBy: '/seat' }] })
    const fan = await world.fan()
    for (const seat of [
      { row: 1, block: 'A' },
      { block: 'A', row: 1 },
      { block: 'B', row: 1 },
    ])
      await happen(world, fan, quest.type, { data: { seat } })
    expect((await read(fan, quest)).progress).toMatchObject([{ count: 2 }])
  })

  test('counts each value of `distinctBy` once, and nothing without a value', async () => {
    const quest = await addQuest(world, { steps: [{ target: 3, distinctBy: '/match' }] })
    const fan = await world.fan()
    for (const data of [{ match: 'a' }, { match: 'a' }, {}, { match: 'b' }, { match: null }])
      await happen(world, fan, quest.type, { data })
    expect((await read(fan, quest)).state).toBe('claimed')
  })

  test('counts in the period in which it occurred, in any order, in the time zone of the quest', async () => {
    const quest = await addQuest(world, {
      period: 'day',
      timeZone: 'Asia/Tokyo',
      steps: [{ target: 2 }],
      claim: 'manual',
    })
    const fan = await world.fan()
    // Midnight in Tokyo is 15:00 UTC; the second of these days gets its events last.
    for (const at of ['2026-08-10T15:00', '2026-08-09T15:00', '2026-08-10T14:59', '2026-08-11T14:59'])
      await happen(world, fan, quest.type, { at: new Date(`${at}:00.000Z`) })
    const rows = await progressRows(world, fan, quest.id)
    expect(rows.map(({ period, counts, completedAt }) => [period, counts, completedAt !== null])).toEqual([
      ['2026-08-10', '{"step-1":2}', true],
      ['2026-08-11', '{"step-1":2}', true],
    ])
  })

  test('does not count before a quest starts and from its end on', async () => {
    const [startsAt, endsAt] = ['2026-08-01T00:00:00.000Z', '2026-08-02T00:00:00.000Z']
    const quest = await addQuest(world, { startsAt, endsAt, steps: [{ target: 9 }] })
    const fan = await world.fan()
    const at = (text: string, ms: number) => new Date(Date.parse(text) + ms)
    for (const instant of [at(startsAt, -1), at(startsAt, 0), at(endsAt, -1), at(endsAt, 0)])
      await happen(world, fan, quest.type, { at: instant })
    expect((await progressRows(world, fan, quest.id))[0]?.counts).toBe('{"step-1":2}')
  })

  test('keeps the target and the reward with which a period began', async () => {
    const quest = await addQuest(world, { period: 'day', steps: [{ target: 2 }], reward: { points: 5 } })
    const [before, after] = [await world.fan(), await world.fan()]
    await happen(world, before, quest.type)
    const { type, ...entry } = quest
    const steps = quest.steps.map(step => ({ ...step, target: 3 }))
    await addQuest(world, { ...entry, steps, reward: { points: 50 }, title: 'Renamed' })
    expect(await read(before, quest)).toMatchObject({
      title: 'Renamed',
      reward: { points: 5 },
      progress: [{ count: 1, target: 2 }],
    })
    await happen(world, before, type)
    expect(await read(before, quest)).toMatchObject({ state: 'claimed', given: { points: 5 } })
    await happen(world, after, type)
    expect((await read(after, quest)).progress).toEqual([{ stepId: 'step-1', count: 1, target: 3 }])
  })
})

onEachEngine('A quest that requires others', world => {
  test('counts while it is locked, and is completed with the last quest that it requires', async () => {
    const [first, second] = [await addQuest(world), await addQuest(world)]
    const last = await addQuest(world, { requires: [first.id, second.id], reward: { points: 9 } })
    const fan = await world.fan()
    await happen(world, fan, last.type)
    await happen(world, fan, first.type)
    expect(await read(fan, last)).toMatchObject({
      state: 'locked',
      blockedBy: [second.id],
      progress: [{ count: 1, target: 1 }],
    })
    await happen(world, fan, second.type)
    expect(await read(fan, last)).toMatchObject({ state: 'claimed', blockedBy: [] })
    expect((await fan.get('/api/user/points')).body.balance).toBe(9)
  })

  test('is completed in a chain, each completion being an event', async () => {
    const first = await addQuest(world)
    const when = [{ path: '/questId', op: 'eq' as const, value: first.id }]
    const second = await addQuest(world, { steps: [{ eventType: 'quest.completed', when }] })
    const third = await addQuest(world, { steps: [{ eventType: newType() }], requires: [second.id] })
    const fan = await world.fan()
    await happen(world, fan, third.type)
    await happen(world, fan, first.type)
    const chain = [first.id, second.id, third.id]
    const completed = (await ownEvents(world, fan, 'quest.completed')).map(({ questId }) => questId)
    // Quests of other tests may count completions as well.
    expect(completed.filter(questId => chain.includes(questId))).toEqual(chain)
  })

  test('that counts completions, including its own, is completed once per period', async () => {
    const every = await addQuest(world, { period: 'day', steps: [{ eventType: 'quest.completed' }] })
    const fan = await world.fan()
    await happen(world, fan, (await addQuest(world)).type)
    await happen(world, fan, (await addQuest(world)).type)
    const completed = await ownEvents(world, fan, 'quest.completed')
    expect(completed.filter(({ questId }) => questId === every.id)).toHaveLength(1)
    expect(completed).toHaveLength(3)
  })
})

onEachEngine('A voided event', world => {
  test('no longer counts, and another event takes its place', async () => {
    const quest = await addQuest(world, { steps: [{ target: 2 }], claim: 'manual', reward: { points: 5 } })
    const fan = await world.fan()
    const ids = [await happen(world, fan, quest.type), await happen(world, fan, quest.type)]
    expect((await read(fan, quest)).state).toBe('completed')
    await takeBack(world, ids[0] ?? '')
    expect(await read(fan, quest)).toMatchObject({ state: 'in_progress', progress: [{ count: 1 }] })
    expect(await ownEvents(world, fan, 'quest.completed')).toMatchObject([{ voided: true }])
    await happen(world, fan, quest.type)
    expect((await read(fan, quest)).state).toBe('completed')
    expect(await ownEvents(world, fan, 'quest.completed')).toMatchObject([
      { voided: true },
      { voided: false },
    ])
  })

  test('leaves a period complete that has enough other events', async () => {
    const quest = await addQuest(world, { steps: [{ target: 2 }], claim: 'manual' })
    const fan = await world.fan()
    const [id = ''] = [
      await happen(world, fan, quest.type),
      await happen(world, fan, quest.type),
      await happen(world, fan, quest.type),
    ]
    await takeBack(world, id)
    expect((await read(fan, quest)).state).toBe('completed')
    expect(await ownEvents(world, fan, 'quest.completed')).toMatchObject([{ voided: false }])
  })

  test('keeps a distinct value that another event has as well', async () => {
    const quest = await addQuest(world, { steps: [{ target: 9, distinctBy: '/match' }] })
    const fan = await world.fan()
    const id = await happen(world, fan, quest.type, { data: { match: 'a' } })
    const other = await happen(world, fan, quest.type, { data: { match: 'a' } })
    await takeBack(world, id)
    expect((await read(fan, quest)).progress[0].count).toBe(1)
    await takeBack(world, other)
    expect((await read(fan, quest)).progress[0].count).toBe(0)
  })

  test('does not take back a claimed reward', async () => {
    const quest = await addQuest(world, { reward: { points: 5 } })
    const fan = await world.fan()
    await takeBack(world, await happen(world, fan, quest.type))
    expect(await read(fan, quest)).toMatchObject({ state: 'claimed', progress: [{ count: 1 }] })
    expect((await fan.get('/api/user/points')).body.balance).toBe(5)
  })

  test('locks quests that were completed because of it and are not claimed', async () => {
    const first = await addQuest(world, { claim: 'manual' })
    const second = await addQuest(world, { claim: 'manual', requires: [first.id] })
    const fan = await world.fan()
    await happen(world, fan, second.type)
    const id = await happen(world, fan, first.type)
    expect((await read(fan, second)).state).toBe('completed')
    await takeBack(world, id)
    expect(await read(fan, second)).toMatchObject({ state: 'locked', progress: [{ count: 1 }] })
  })
})
