/** Follows, mutes, blocks and privacy: what each verb does and refuses, and the lists. */
import { describe, expect, test } from 'bun:test'
import { refusal } from '../../play/packs/packs-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { block, follow, handlesOf, namedFan, put, remove } from './relations-world.ts'

const NOT_FOUND = [404, 'fan_not_found'] as const
const KINDS = ['following', 'blocks', 'mutes'] as const

onEachEngine('Fans and other fans', world => {
  describe.each(KINDS)('%s', kind => {
    test('a PUT is listed, a repeat changes nothing, and a DELETE ends it', async () => {
      const [fan, other] = [await namedFan(world), await namedFan(world)]
      for (const _ of ['first', 'again']) {
        expect((await put(fan, kind, other.handle)).status).toBe(204)
        expect(await handlesOf(fan, kind)).toEqual([other.handle])
      }
      for (const _ of ['first', 'again']) {
        expect((await remove(fan, kind, other.handle)).status).toBe(204)
        expect(await handlesOf(fan, kind)).toEqual([])
      }
      const { fanRelations } = world.db.tables
      const rows = await world.db.read.select().from(fanRelations)
      expect(rows.filter(({ fanId, otherId }) => [fanId, otherId].includes(fan.id))).toEqual([])
    })

    test('a handle that nobody has is not found, nor is an erased fan; one’s own handle is a conflict', async () => {
      const [fan, other] = [await namedFan(world), await namedFan(world)]
      expect((await other.send('/api/user', { method: 'DELETE' })).status).toBe(204)
      for (const handle of ['nobody_at_all', other.handle, 'No Such Handle!']) {
        const encoded = encodeURIComponent(handle)
        expect(refusal(await put(fan, kind, encoded))).toEqual([...NOT_FOUND])
        expect(refusal(await remove(fan, kind, encoded))).toEqual([...NOT_FOUND])
      }
      expect(refusal(await put(fan, kind, fan.handle))).toEqual([409, 'cannot_follow_yourself'])
    })

    test('a caller without a token is refused', async () => {
      const { handle } = await namedFan(world)
      expect(refusal(await put(world.anonymous, kind, handle))).toEqual([401, 'unauthenticated'])
      expect(refusal(await remove(world.anonymous, kind, handle))).toEqual([401, 'unauthenticated'])
      expect(refusal(await world.anonymous.get(`/api/user/${kind}`))).toEqual([401, 'unauthenticated'])
    })

    test('a caller without a record gets one; their lists were empty before', async () => {
      const [fan, other] = [await world.fan(), await namedFan(world)]
      expect(await handlesOf(fan, kind)).toEqual([])
      expect((await put(fan, kind, other.handle)).status).toBe(204)
      expect(await handlesOf(fan, kind)).toEqual([other.handle])
    })
  })

  test('a list is paged, newest first, without gaps or repeats', async () => {
    const fan = await namedFan(world)
    const others = []
    for (let n = 0; n < 5; n++) {
      const other = await namedFan(world)
      // Two with the same time: the id orders them.
      if (n !== 3) world.clock.advance(1_000)
      await follow(fan, other.handle)
      await follow(other, fan.handle)
      others.push(other)
    }
    const expected = others.toReversed().map(({ handle }) => handle)
    for (const list of ['following', 'followers'] as const) {
      const pages = await handlesOf(fan, list, 2)
      expect(pages.toSorted()).toEqual(expected.toSorted())
      expect(pages.slice(-2)).toEqual(expected.slice(-2))
      expect(pages).toEqual(await handlesOf(fan, list))
    }
    expect((await fan.get('/api/user/following?limit=1')).body.total).toBe(5)
    expect(refusal(await fan.get('/api/user/following?cursor=x'))).toEqual([400, 'invalid_cursor'])
    const { nextCursor } = (await fan.get('/api/user/following?limit=1')).body
    expect(refusal(await fan.get(`/api/user/followers?cursor=${nextCursor}`))).toEqual([
      400,
      'invalid_cursor',
    ])
  })

  test('a block ends both follows, and is not found by the blocked fan, who cannot follow, mute or block', async () => {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    await follow(fan, other.handle)
    await follow(other, fan.handle)
    await block(fan, other.handle)
    for (const one of [fan, other]) {
      expect(await handlesOf(one, 'following')).toEqual([])
      expect(await handlesOf(one, 'followers')).toEqual([])
      expect((await one.get('/api/user/following')).body.total).toBe(0)
    }
    for (const kind of KINDS) {
      expect(refusal(await put(other, kind, fan.handle))).toEqual([...NOT_FOUND])
      expect(refusal(await remove(other, kind, fan.handle))).toEqual([...NOT_FOUND])
    }
    for (const kind of ['following', 'mutes'] as const)
      expect(refusal(await put(fan, kind, other.handle))).toEqual([...NOT_FOUND])
    expect((await remove(fan, 'blocks', other.handle)).status).toBe(204)
    expect(await handlesOf(fan, 'following')).toEqual([])
    await follow(other, fan.handle)
    expect(await handlesOf(fan, 'followers')).toEqual([other.handle])
  })

  test('a mute of a fan who is blocked later is not listed, and is again once the block has ended', async () => {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    expect((await put(fan, 'mutes', other.handle)).status).toBe(204)
    await block(fan, other.handle)
    expect(await handlesOf(fan, 'mutes')).toEqual([])
    await remove(fan, 'blocks', other.handle)
    expect(await handlesOf(fan, 'mutes')).toEqual([other.handle])
  })

  test('the database refuses a block together with a follow, a relation to oneself, and a follow beyond the limit', async () => {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    const at = world.clock.now()
    const relation = { fanId: fan.id, otherId: other.id, followedAt: at }
    const insert = (row: { fanId: string; otherId: string }) =>
      world.db.write(tx => tx.insert(tx.tables.fanRelations).values(row))
    await expect(insert({ ...relation, blockedAt: at } as typeof relation)).rejects.toThrow()
    await expect(insert({ ...relation, blockedByAt: at } as typeof relation)).rejects.toThrow()
    await expect(insert({ fanId: fan.id, otherId: fan.id })).rejects.toThrow()
    const count = (following: number) =>
      world.db.write(tx => tx.insert(tx.tables.followCounts).values({ userId: fan.id, following }))
    await expect(count(1_001)).rejects.toThrow()
    await insert(relation)
    await expect(insert(relation)).rejects.toThrow()
  })

  test('privacy is public, for followers and by name until it is changed, one member at a time', async () => {
    const fan = await world.fan()
    const defaults = { profile: 'public', activity: 'followers', locker: 'public', leaderboardName: 'name' }
    expect((await fan.get('/api/user/privacy')).body).toEqual(defaults)
    expect((await fan.patch('/api/user/privacy', {})).body).toEqual(defaults)
    expect((await fan.patch('/api/user/privacy', { profile: 'private' })).body).toEqual({
      ...defaults,
      profile: 'private',
    })
    const changed = {
      profile: 'private',
      activity: 'followers',
      locker: 'public',
      leaderboardName: 'anonymous',
    }
    expect((await fan.patch('/api/user/privacy', { leaderboardName: 'anonymous' })).body).toEqual(changed)
    expect((await fan.get('/api/user/privacy')).body).toEqual(changed)
    expect(refusal(await fan.patch('/api/user/privacy', { profile: 'secret' }))).toEqual([
      422,
      'validation_failed',
    ])
  })

  test('a list shows the data of each fan that their privacy allows its owner to see', async () => {
    const [fan, other] = [await namedFan(world), await namedFan(world)]
    await follow(other, fan.handle)
    const [shown] = (await fan.get('/api/user/followers')).body.fans
    expect(shown).toMatchObject({ handle: other.handle, displayName: `Name of ${other.handle}` })
    await other.patch('/api/user/privacy', { profile: 'followers' })
    const [hidden] = (await fan.get('/api/user/followers')).body.fans
    expect(hidden).toMatchObject({ handle: other.handle, displayName: null, avatarUrl: null })
    await follow(fan, other.handle)
    expect((await fan.get('/api/user/followers')).body.fans[0].displayName).not.toBeNull()
  })
})
