/** The feed: what it has, by which privacy, and in which order. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { recordEvent } from '../../../src/economy/events/record-event.ts'
import { voidEvent } from '../../../src/economy/events/void-event.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { block, follow, type NamedFan, namedFan, put } from '../../identity/relations/relations-world.ts'
import { addPack, buy, expectStatus, FREE, open, refusal } from '../../play/packs/packs-world.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'

interface Item {
  id: string
  type: string
  occurredAt: string
  fan: { handle: string | null; displayName: string | null; avatarUrl: string | null }
  data: Record<string, unknown>
}

onEachEngine('A feed', world => {
  const feed = async (fan: Client, query = ''): Promise<{ items: Item[]; nextCursor: string | null }> =>
    expectStatus(200, await fan.get(`/api/feed${query}`))
  const rewardsIn = ({ items }: { items: Item[] }) => items.map(({ data }) => data.rewardId)

  /** The fan claims rewards of these names, one a second. */
  async function claim(fan: NamedFan, ...rewardIds: string[]) {
    for (const rewardId of rewardIds) {
      world.clock.advance(1_000)
      await world.db.write(tx =>
        recordEvent(tx, { userId: fan.id, type: 'reward.claimed', data: { rewardId } }),
      )
    }
  }

  async function following(...fans: NamedFan[]): Promise<NamedFan> {
    const reader = await namedFan(world)
    for (const { handle } of fans) await follow(reader, handle)
    return reader
  }

  test('shows only events of followed fans, newest first, with the members of each type', async () => {
    const [first, second, stranger] = [await namedFan(world), await namedFan(world), await namedFan(world)]
    const reader = await following(first, second)
    const packId = await addPack(world, { price: FREE })
    await claim(first, 'scarf')
    await claim(stranger, 'mug')
    await claim(reader, 'flag')
    world.clock.advance(1_000)
    const { userPack } = await buy(second, packId)
    expectStatus(200, await open(second, userPack.id))
    const { items, nextCursor } = await feed(reader)
    expect(nextCursor).toBeNull()
    expect(items.map(({ type, fan }) => [type, fan.handle])).toEqual([
      ['pack.opened', second.handle],
      ['reward.claimed', first.handle],
    ])
    expect(items[1]).toEqual({
      id: expect.any(String),
      type: 'reward.claimed',
      occurredAt: expect.any(String),
      fan: {
        handle: first.handle,
        displayName: `Name of ${first.handle}`,
        avatarUrl: `https://pictures.example/${first.handle}`,
      },
      data: { rewardId: 'scarf' },
    })
    expect(Object.keys(items[0]?.data ?? {}).toSorted()).toEqual(['items', 'packId', 'rarities'])
    expect(JSON.stringify(items)).not.toContain(userPack.id)
  })

  test('is paged, and new events do not change a page', async () => {
    const fans = [await namedFan(world), await namedFan(world), await namedFan(world)]
    const reader = await following(...fans)
    const order: string[] = []
    for (const [n, fan] of [...fans, ...fans, ...fans].entries()) {
      await claim(fan, `reward-${n}`)
      order.unshift(`reward-${n}`)
    }
    const pages = [await feed(reader, '?limit=2')]
    for (let page = pages[0]; page?.nextCursor; pages.push(page)) {
      for (const fan of fans) await claim(fan, 'later')
      page = await feed(reader, `?limit=2&cursor=${page.nextCursor}`)
    }
    expect(pages.flatMap(rewardsIn)).toEqual(order)
    expect(pages).toHaveLength(5)
    const cursor = pages[0]?.nextCursor
    const other = await following(...fans)
    expect(refusal(await other.get(`/api/feed?cursor=${cursor}`))).toEqual([400, 'invalid_cursor'])
  })

  test('has each event of one instant once, over all pages', async () => {
    const fans = [await namedFan(world), await namedFan(world), await namedFan(world), await namedFan(world)]
    const reader = await following(...fans)
    world.clock.advance(1_000)
    const expected: string[] = []
    await world.db.write(async tx => {
      for (const fan of fans)
        for (const n of [1, 2, 3]) {
          const rewardId = `${fan.handle}-${n}`
          expected.push(rewardId)
          await recordEvent(tx, { userId: fan.id, type: 'reward.claimed', data: { rewardId } })
        }
    })
    const whole = rewardsIn(await feed(reader))
    expect(whole.toSorted()).toEqual(expected.toSorted())
    for (const limit of [1, 2, 5]) {
      const seen: unknown[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await feed(reader, `?limit=${limit}${cursor && `&cursor=${cursor}`}`)
        seen.push(...rewardsIn(page))
        cursor = page.nextCursor
      }
      expect(seen).toEqual(whole)
    }
  })

  test('goes back to the oldest events of one fan, and of many fans with few events', async () => {
    const [busy, ...quiet] = await Promise.all(Array.from({ length: 6 }, () => namedFan(world)))
    if (!busy) throw new Error('six fans')
    for (const fan of quiet) await claim(fan, `old-${fan.handle}`)
    await claim(busy, ...Array.from({ length: 8 }, (_, n) => `new-${n}`))
    const reader = await following(busy, ...quiet)
    const rewards = rewardsIn(await feed(reader, '?limit=10'))
    expect(rewards).toEqual([
      ...Array.from({ length: 8 }, (_, n) => `new-${7 - n}`),
      ...quiet
        .slice(-2)
        .toReversed()
        .map(({ handle }) => `old-${handle}`),
    ])
  })

  test.each([
    ['public', true],
    ['followers', true],
    ['private', false],
  ])('by activity %s is shown to followers: %p, also what happened before', async (activity, isShown) => {
    const fan = await namedFan(world)
    const reader = await following(fan)
    await claim(fan, 'before')
    expectStatus(200, await fan.patch('/api/user/privacy', { activity }))
    await claim(fan, 'after')
    expect(rewardsIn(await feed(reader))).toEqual(isShown ? ['after', 'before'] : [])
  })

  test('hides name and picture of a profile that is private', async () => {
    const fan = await namedFan(world)
    const reader = await following(fan)
    await claim(fan, 'scarf')
    expectStatus(200, await fan.patch('/api/user/privacy', { profile: 'private' }))
    const { items } = await feed(reader)
    expect(items[0]?.fan).toEqual({ handle: fan.handle, displayName: null, avatarUrl: null })
  })

  test('omits fans who are muted, blocked, have blocked the caller, or are no longer followed', async () => {
    const [muted, blocked, blocking, left] = [
      await namedFan(world),
      await namedFan(world),
      await namedFan(world),
      await namedFan(world),
    ]
    const reader = await following(muted, blocked, blocking, left)
    for (const fan of [muted, blocked, blocking, left]) await claim(fan, fan.handle)
    expect((await feed(reader)).items).toHaveLength(4)
    expectStatus(204, await put(reader, 'mutes', muted.handle))
    await block(reader, blocked.handle)
    await block(blocking, reader.handle)
    expectStatus(204, await reader.send(`/api/user/following/${left.handle}`, { method: 'DELETE' }))
    expect((await feed(reader)).items).toEqual([])
  })

  test('omits voided events, and all events of an erased fan', async () => {
    const [fan, erased] = [await namedFan(world), await namedFan(world)]
    const reader = await following(fan, erased)
    await claim(fan, 'kept', 'voided')
    await claim(erased, 'gone')
    const { items } = await feed(reader)
    expect(rewardsIn({ items })).toEqual(['gone', 'voided', 'kept'])
    await world.db.write(tx => voidEvent(tx, { source: 'matchday', eventId: items[1]?.id ?? '' }))
    expect(rewardsIn(await feed(reader))).toEqual(['gone', 'kept'])
    await world.db.write(tx => eraseUser(tx, { provider: 'mock-idp', subject: erased.subject }))
    expect(rewardsIn(await feed(reader))).toEqual(['kept'])
    const { events } = world.db.tables
    const rows = await world.db.read.select().from(events).where(eq(events.userId, erased.id))
    expect(rows.length).toBeGreaterThan(0)
  })

  test('is empty for a fan without a record, and needs a token', async () => {
    expect(await feed(await world.fan())).toEqual({ items: [], nextCursor: null })
    expect(refusal(await world.anonymous.get('/api/feed'))).toEqual([401, 'unauthenticated'])
    const reader = await namedFan(world)
    expect(refusal(await reader.get('/api/feed?cursor=AAAAAAAAAAAAAAAAAAAAAAAA'))).toEqual([
      400,
      'invalid_cursor',
    ])
  })
})
