/** Sets of collectibles: their progress, and how they are completed. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { setKind } from '../../../src/play/sets/set-kind.ts'
import { follow, type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { addPack, buy, DAY, entriesOf, expectStatus, FREE, open } from '../packs/packs-world.ts'
import { addQuest, happen } from '../quests/quests-world.ts'
import { accept, offer } from '../trades/trades-world.ts'
import { addCollectibles, addSet, give, importSet, readSet, readSets } from './sets-world.ts'

onEachEngine('A set', world => {
  async function eventsOf({ id: userId }: NamedFan) {
    const { events } = world.db.tables
    const rows = await world.db.read
      .select()
      .from(events)
      .where(eq(events.userId, userId))
      .orderBy(events.sequence)
    return rows.filter(({ type }) => type === 'set.completed').map(({ data }) => JSON.parse(data ?? ''))
  }

  const itemOf = (collectibleId: string, serialNumber = 1) => ({ collectibleId, serialNumber })

  test('shows what the fan owns of it now, in the order of the file', async () => {
    const fan = await namedFan(world)
    const [one = '', two = ''] = await addCollectibles(world, 2)
    const set = await addSet(world, { collectibleIds: [two, one], reward: { points: 5 } })
    await give(world, fan.id, [one, one])
    const moment = { name: 'Moment', imageUrl: null, rarity: 'common' }
    expect(await readSet(fan, set)).toEqual({
      id: set.id,
      name: 'Derby moments',
      reward: { points: 5, rewardId: null },
      active: true,
      collectibles: [
        { id: two, ...moment, count: 0 },
        { id: one, ...moment, count: 2 },
      ],
      owned: 1,
      total: 2,
      completedAt: null,
    })
    expect(await readSet(await world.fan(), set)).toMatchObject({ owned: 0, total: 2, completedAt: null })
  })

  test('is completed by the item that a pack draws last, once, with its reward and its event', async () => {
    const fan = await namedFan(world)
    const packs = [
      await addPack(world, { price: FREE, weights: { common: 1_000_000 } }),
      await addPack(world, { price: FREE, weights: { rare: 1_000_000 } }),
    ] as const
    const rewardId = await world.reward({ pointsRequired: 1_000_000 })
    const set = await addSet(world, {
      collectibleIds: [`${packs[0]}-common`, `${packs[1]}-rare`],
      reward: { points: 250, rewardId },
    })
    for (const packId of packs) {
      expect(await readSet(fan, set)).toMatchObject({ completedAt: null })
      const { userPack } = await buy(fan, packId)
      world.clock.advance(1_000)
      expectStatus(200, await open(fan, userPack.id))
      expectStatus(200, await open(fan, userPack.id))
    }
    const completedAt = world.db.read.now().toISOString()
    expect(await readSet(fan, set)).toMatchObject({ owned: 2, total: 2, completedAt })
    expect(await entriesOf(fan, 'set')).toMatchObject([{ delta: 250, ref: set.id }])
    expect(await eventsOf(fan)).toEqual([{ setId: set.id, points: 250, rewardId }])
    const { rewards } = expectStatus(200, await fan.get('/api/user/rewards'))
    expect(rewards).toMatchObject([{ id: rewardId, state: 'claimed' }])

    const { userPack } = await buy(fan, packs[0])
    expectStatus(200, await open(fan, userPack.id))
    expect(await eventsOf(fan)).toHaveLength(1)
  })

  test('is completed by the collectible of a quest, whose own quest listens to the set', async () => {
    const fan = await namedFan(world)
    const [collectibleId = ''] = await addCollectibles(world, 1)
    const set = await addSet(world, { collectibleIds: [collectibleId], reward: { points: 10 } })
    const steps = [
      { eventType: 'set.completed', when: [{ path: '/setId', op: 'eq' as const, value: set.id }] },
    ]
    const collector = await addQuest(world, { kind: 'achievement', steps, reward: { points: 3 } })
    const quest = await addQuest(world, { reward: { collectibleId } })
    await happen(world, fan, quest.type)
    expect(await readSet(fan, set)).toMatchObject({ owned: 1, completedAt: expect.any(String) })
    expect(await entriesOf(fan, 'set')).toMatchObject([{ delta: 10, ref: set.id }])
    expect(await entriesOf(fan, 'quest')).toMatchObject([{ delta: 3, ref: `${collector.id}:ever` }])
  })

  test('that completes a quest whose collectible completes another set is followed to the end', async () => {
    const fan = await namedFan(world)
    const [first = '', second = ''] = await addCollectibles(world, 2)
    const one = await addSet(world, { collectibleIds: [first] })
    const other = await addSet(world, { collectibleIds: [second], reward: { points: 4 } })
    const steps = [
      { eventType: 'set.completed', when: [{ path: '/setId', op: 'eq' as const, value: one.id }] },
    ]
    await addQuest(world, { steps, reward: { collectibleId: second } })
    await give(world, fan.id, [first])
    expect(await readSet(fan, other)).toMatchObject({ owned: 1, completedAt: expect.any(String) })
    expect((await eventsOf(fan)).map(({ setId }) => setId)).toEqual([one.id, other.id])
    expect(await entriesOf(fan, 'set')).toMatchObject([{ delta: 4, ref: other.id }])
  })

  test('is completed for both fans of a trade, and stays completed when the items leave and return', async () => {
    const [from, to] = [await namedFan(world), await namedFan(world)]
    const set = await addSet(world, { reward: { points: 20 } })
    const [one = '', two = ''] = set.collectibleIds
    await give(world, from.id, [one, one])
    await give(world, to.id, [two, two])
    const trade = expectStatus(201, await offer(from, to.handle, [itemOf(one)], [itemOf(two)]))
    expectStatus(200, await accept(to, trade))
    for (const fan of [from, to]) {
      expect(await readSet(fan, set)).toMatchObject({ owned: 2, completedAt: expect.any(String) })
      expect(await entriesOf(fan, 'set')).toMatchObject([{ delta: 20 }])
      expect(await eventsOf(fan)).toEqual([{ setId: set.id, points: 20, rewardId: null }])
    }

    world.clock.advance(2 * DAY)
    for (const [giver, taker] of [
      [from, to],
      [to, from],
    ] as const) {
      const fresh = { ...giver, ...world.withToken(await world.idp.issueToken(giver.subject)) }
      const gift = expectStatus(201, await offer(fresh, taker.handle, [itemOf(two)]))
      const taking = { ...taker, ...world.withToken(await world.idp.issueToken(taker.subject)) }
      expectStatus(200, await accept(taking, gift))
      world.clock.advance(2 * DAY)
    }
    const later = world.withToken(await world.idp.issueToken(from.subject))
    expect(await readSet(later, set)).toMatchObject({ owned: 2, completedAt: expect.any(String) })
    expect(await eventsOf(from)).toHaveLength(1)
    expect(await eventsOf(to)).toHaveLength(1)
  })

  test('omits a reward that is claimed or out of stock, and points that exceed the limit of the account', async () => {
    const fan = await namedFan(world)
    const rewardId = await world.reward({ stockRemaining: 0 })
    const set = await addSet(world, { reward: { points: 7, rewardId } })
    await world.db.write(tx =>
      appendEntry(tx, {
        userId: fan.id,
        delta: Number.MAX_SAFE_INTEGER - 6,
        reason: 'adjustment',
        ref: 'full',
      }),
    )
    await give(world, fan.id, set.collectibleIds)
    expect(await eventsOf(fan)).toEqual([{ setId: set.id, points: 0, rewardId: null }])
    expect(await entriesOf(fan, 'set')).toEqual([])
  })

  test('is completed once by units of work at the same time, each of which brings one item', async () => {
    const fan = await namedFan(world)
    for (let round = 1; round <= 8; round++) {
      const set = await addSet(world, {
        collectibleIds: await addCollectibles(world, 4),
        reward: { points: 1 },
      })
      await Promise.all(set.collectibleIds.map(id => give(world, fan.id, [id])))
      expect(await readSet(fan, set)).toMatchObject({ owned: 4, completedAt: expect.any(String) })
      expect(await eventsOf(fan)).toHaveLength(round)
      expect(await entriesOf(fan, 'set')).toHaveLength(round)
    }
  })

  test('that is switched off is completed by nobody, and is shown to those who completed it', async () => {
    const [fan, late] = [await namedFan(world), await namedFan(world)]
    const set = await addSet(world)
    await give(world, fan.id, set.collectibleIds)
    await world.db.write(tx => setKind.deactivate(tx, set.id))
    await give(world, late.id, set.collectibleIds)
    expect(await readSet(fan, set)).toMatchObject({ active: false, completedAt: expect.any(String) })
    expect(await readSet(late, set)).toBeUndefined()
    expect(await eventsOf(late)).toEqual([])
  })

  test('is named in the language of the request', async () => {
    const fan = await namedFan(world)
    const set = await addSet(world, { name: { en: 'Derby moments', pt: 'Momentos do dérbi' } })
    expect(await readSets(fan, '?lang=pt')).toContainEqual(
      expect.objectContaining({ id: set.id, name: 'Momentos do dérbi' }),
    )
  })

  test('that is completed is in the feed of followers, without its reward', async () => {
    const [fan, reader] = [await namedFan(world), await namedFan(world)]
    await follow(reader, fan.handle)
    const set = await addSet(world, { reward: { points: 9 } })
    await give(world, fan.id, set.collectibleIds)
    const { items } = expectStatus(200, await reader.get('/api/feed'))
    expect(items).toMatchObject([{ type: 'set.completed', fan: { handle: fan.handle } }])
    expect(items[0].data).toEqual({ setId: set.id })
  })

  test('keeps its completions when the catalogue changes it', async () => {
    const fan = await namedFan(world)
    const set = await addSet(world)
    await give(world, fan.id, set.collectibleIds)
    const collectibleIds = [...set.collectibleIds, ...(await addCollectibles(world, 1))]
    await importSet(world, { ...set, collectibleIds, reward: { points: 3 } })
    expect(await readSet(fan, set)).toMatchObject({ owned: 2, total: 3, completedAt: expect.any(String) })
    await give(world, fan.id, collectibleIds)
    expect(await eventsOf(fan)).toHaveLength(1)
  })
})
