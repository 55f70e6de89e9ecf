/** The page of a fan: what each privacy setting shows to other fans. */
import { expect, test } from 'bun:test'
import { follow, type NamedFan, namedFan, put, remove } from '../../identity/relations/relations-world.ts'
import { expectStatus, refusal } from '../../play/packs/packs-world.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine, type World } from '../../support/world.ts'

async function rankedFan(world: World): Promise<NamedFan> {
  const fan = await namedFan(world)
  const favoriteTeamId = await world.team()
  await fan.patch('/api/user/profile', { favoriteTeamId })
  expectStatus(200, await fan.post('/api/user/onboarding', {}))
  return fan
}

const pageOf = async (reader: Client, { handle }: NamedFan) =>
  expectStatus(200, await reader.get(`/api/fans/${handle}`))

const HIDDEN = {
  displayName: null,
  avatarUrl: null,
  favoriteTeam: null,
  rank: null,
  points: null,
  tier: [],
  locker: null,
}

onEachEngine('The page of a fan', world => {
  test('shows name, picture, team, rank and points to everyone, and the relation of both fans', async () => {
    const [fan, reader] = [await rankedFan(world), await namedFan(world)]
    const shown = {
      handle: fan.handle,
      displayName: `Name of ${fan.handle}`,
      avatarUrl: `https://pictures.example/${fan.handle}`,
      favoriteTeam: expect.objectContaining({ shortName: 'TST' }),
      rank: expect.any(Number),
      points: 100,
      tier: [],
      locker: null,
    }
    const nobody = { following: false, followsYou: false, muted: false }
    expect(await pageOf(world.anonymous, fan)).toEqual({ ...shown, ...nobody })
    await follow(reader, fan.handle)
    expect(await pageOf(reader, fan)).toEqual({ ...shown, ...nobody, following: true })
    expect((await pageOf(fan, reader)).followsYou).toBe(true)
    await remove(reader, 'following', fan.handle)
    expect(await pageOf(reader, fan)).toEqual({ ...shown, ...nobody })
    await put(reader, 'mutes', fan.handle)
    expect(await pageOf(reader, fan)).toEqual({ ...shown, ...nobody, muted: true })
    expect((await pageOf(fan, reader)).muted).toBe(false)
  })

  test.each([
    { profile: 'public', stranger: true, follower: true },
    { profile: 'followers', stranger: false, follower: true },
    { profile: 'private', stranger: false, follower: false },
  ])('that is $profile is shown to its owner, and to others as the setting says', async expected => {
    const [fan, stranger, follower] = [await rankedFan(world), await namedFan(world), await namedFan(world)]
    await follow(follower, fan.handle)
    // The other direction gives no rights.
    await follow(fan, stranger.handle)
    await fan.patch('/api/user/privacy', { profile: expected.profile })
    const isShown = async (reader: Client) => {
      const { handle, following: _, followsYou: _f, muted: _m, ...page } = await pageOf(reader, fan)
      expect(handle).toBe(fan.handle)
      if (page.displayName === null) expect(page).toEqual(HIDDEN)
      return page.displayName !== null
    }
    expect(await isShown(fan)).toBe(true)
    expect(await isShown(world.anonymous)).toBe(expected.stranger)
    expect(await isShown(stranger)).toBe(expected.stranger)
    expect(await isShown(follower)).toBe(expected.follower)
  })

  test('of a fan who is anonymous on boards has no rank and no points, except for its owner', async () => {
    const [fan, reader] = [await rankedFan(world), await namedFan(world)]
    await fan.patch('/api/user/privacy', { leaderboardName: 'anonymous' })
    expect(await pageOf(reader, fan)).toMatchObject({ rank: null, points: null, locker: null })
    expect((await pageOf(fan, fan)).points).toBe(100)
  })

  test('is not found for a handle that nobody has, and after the fan was erased', async () => {
    const fan = await namedFan(world)
    expect(refusal(await world.anonymous.get('/api/fans/nobody_at_all'))).toEqual([404, 'fan_not_found'])
    expectStatus(204, await fan.send('/api/user', { method: 'DELETE' }))
    expect(refusal(await world.anonymous.get(`/api/fans/${fan.handle}`))).toEqual([404, 'fan_not_found'])
  })
})

onEachEngine('A leaderboard', world => {
  const entryOf = async (reader: Client, { id, handle }: NamedFan) =>
    (await reader.get('/api/leaderboard?limit=100')).body.entries.find(
      (entry: { userId: string; handle: string }) => entry.userId === id || entry.handle === handle,
    )

  test('shows each fan as the privacy setting says, at once, and marks the caller’s own entry', async () => {
    const fan = await rankedFan(world)
    expect(await entryOf(world.anonymous, fan)).toMatchObject({
      userId: fan.id,
      displayName: `Name of ${fan.handle}`,
    })
    await fan.patch('/api/user/privacy', { leaderboardName: 'handle' })
    expect(await entryOf(world.anonymous, fan)).toMatchObject({ handle: fan.handle, displayName: fan.handle })
    await fan.patch('/api/user/privacy', { leaderboardName: 'anonymous' })
    expect(await entryOf(world.anonymous, fan)).toBeUndefined()
    expect((await world.anonymous.get('/api/leaderboard')).body.total).toBeGreaterThan(0)
    for (const path of ['/api/leaderboard', '/api/leaderboard?around=me', '/api/leaderboard?limit=1'])
      expect((await fan.get(path)).body.me).toMatchObject({ userId: fan.id, displayName: null, points: 100 })
  })
})
