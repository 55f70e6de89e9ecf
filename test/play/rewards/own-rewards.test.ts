import { expect, test } from 'bun:test'
import { rewardsTag } from '../../../src/platform/cache/tags.ts'
import type { Answer } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'
import { patientFan, refusal } from '../packs/packs-world.ts'

onEachEngine('GET /api/user/rewards', world => {
  const claim = async (fan: { post: (path: string, body: unknown) => Promise<Answer> }, rewardId: string) =>
    (await fan.post('/api/rewards/claim', { rewardId })).body.reward
  const list = async (fan: { get: (path: string) => Promise<Answer> }, query = '') =>
    (await fan.get(`/api/user/rewards${query}`)).body

  test('returns an empty list for a fan without a record or without claims', async () => {
    await world.reward()
    for (const fan of [await patientFan(world), await patientFan(world, 100)])
      expect(await list(fan)).toEqual({ rewards: [], nextCursor: null })
  })

  test('lists claimed and redeemed rewards with their codes, the newest claim first', async () => {
    const fan = await patientFan(world, 100)
    const [first, second] = [await world.reward(), await world.reward({ pointsRequired: 50 })]
    await claim(fan, first)
    world.clock.advance(1)
    const claimed = await claim(fan, second)
    const redeemed = (await fan.post('/api/rewards/redeem', { rewardId: first })).body.reward
    expect(redeemed.redemptionCode).toBeString()
    expect(await list(fan)).toEqual({ rewards: [claimed, redeemed], nextCursor: null })
  })

  test('contains rewards that are no longer active, which the list of rewards omits', async () => {
    const fan = await patientFan(world, 100)
    const [off, ended] = [
      await world.reward(),
      await world.reward({ endsAt: new Date(world.clock.ms + 1_000) }),
    ]
    for (const rewardId of [off, ended]) await claim(fan, rewardId)
    world.clock.advance(1_000)
    await world.db.write(async tx => {
      await tx.update(tx.tables.rewards).set({ active: false })
      tx.invalidate(rewardsTag)
    })
    expect((await fan.get('/api/rewards')).body.rewards).toEqual([])
    const { rewards } = await list(fan)
    expect(rewards.map(({ id, active, state }: Record<string, unknown>) => [id, active, state])).toEqual(
      [off, ended]
        .toSorted()
        .toReversed()
        .map(id => [id, false, 'claimed']),
    )
    expect((await fan.post('/api/rewards/redeem', { rewardId: off })).status).toBe(200)
  })

  test('pages through each once, also through claims of the same instant', async () => {
    const fan = await patientFan(world, 100)
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      if (n === 4) world.clock.advance(1)
      ids.push(await world.reward())
      await claim(fan, ids[n] ?? '')
    }
    const pages: string[][] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { rewards, nextCursor } = await list(fan, `?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      pages.push(rewards.map(({ id }: { id: string }) => id))
      cursor = nextCursor
    }
    expect(pages.map(page => page.length)).toEqual([2, 2, 1])
    expect(pages.flat()).toEqual([ids[4] ?? '', ...ids.slice(0, 4).toSorted().toReversed()])
  })

  test('shows no rewards of another fan, and refuses another fan’s cursors', async () => {
    const [fan, other] = [await patientFan(world, 100), await patientFan(world, 100)]
    for (const rewardId of [await world.reward(), await world.reward()]) await claim(fan, rewardId)
    const { nextCursor } = await list(fan, '?limit=1')
    expect((await list(other)).rewards).toEqual([])
    for (const cursor of [nextCursor, `${nextCursor}x`])
      expect(refusal(await other.get(`/api/user/rewards?cursor=${cursor}`))).toEqual([400, 'invalid_cursor'])
  })

  test('asks an anonymous caller to sign in', async () => {
    expect(refusal(await world.anonymous.get('/api/user/rewards'))).toEqual([401, 'unauthenticated'])
  })
})
