/** Enrolment: at onboarding, once, with all points earned before. */
import { expect, test } from 'bun:test'
import { joinLeaderboard } from '../../../src/economy/points/join-leaderboard.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'

interface Entry {
  rank: number
  userId: string
  points: number
  reachedAt: string
}

onEachEngine('Enrolment in the leaderboard', world => {
  const idOf = async (fan: Fan): Promise<string> => (await fan.get('/api/user/profile')).body.id
  const listed = async (fan: Fan, query = '') => {
    const { entries } = (await world.anonymous.get(`/api/leaderboard${query}`)).body as { entries: Entry[] }
    const id = await idOf(fan)
    return entries.find(({ userId }) => userId === id)
  }
  const onboard = async (fan: Fan, body: object = {}) => {
    const answer = await fan.post('/api/user/onboarding', body)
    expect(answer.status).toBe(200)
    return answer.body
  }

  test('a fan who earns without having onboarded is not listed, on any board', async () => {
    const fan = await world.fan()
    await world.grant(fan, 1_000_000)
    for (const query of ['', '?period=week', '?period=month'])
      expect(await listed(fan, query)).toBeUndefined()
    expect((await fan.get('/api/dashboard')).body.rank).toBeNull()
  })

  test('points earned before enrolment count, with the time at which they were earned', async () => {
    const fan = await world.fan()
    await world.grant(fan, 700)
    const earnedAt = new Date(world.clock.ms).toISOString()
    await world.grant(fan, -600)
    world.clock.advance(1000)
    await onboard(fan)
    const reachedAt = new Date(world.clock.ms).toISOString()
    expect(reachedAt).not.toBe(earnedAt)
    for (const query of ['', '?period=week', '?period=month'])
      expect(await listed(fan, query)).toMatchObject({ points: 800, reachedAt })
  })

  test('the time of earlier points decides a tie, not the time of enrolment', async () => {
    const [early, late] = [await world.fan(), await world.fan()]
    await world.grant(early, 31_337)
    world.clock.advance(1)
    await world.grant(late, 31_337)
    // Without the reward for onboarding, which would move the time.
    const ids = [await idOf(early), await idOf(late)] as const
    world.clock.advance(1)
    expect(await world.db.write(tx => joinLeaderboard(tx, ids[1]))).toBe(true)
    world.clock.advance(1)
    expect(await world.db.write(tx => joinLeaderboard(tx, ids[0]))).toBe(true)
    const { entries } = (await world.anonymous.get('/api/leaderboard')).body as { entries: Entry[] }
    const tied = entries.filter(({ points }) => points === 31_337)
    expect(tied.map(({ userId }) => userId)).toEqual([...ids])
  })

  test('joinLeaderboard: false keeps a fan off the boards, whatever they earn later and on repeated requests', async () => {
    const fan = await world.fan()
    await world.grant(fan, 2_000_000)
    const { leaderboard } = await onboard(fan, { joinLeaderboard: false })
    expect(leaderboard).toEqual({ enrolled: false, enrolledAt: null })
    expect(await listed(fan)).toBeUndefined()
    await world.grant(fan, 3_000_000)
    expect(await listed(fan)).toBeUndefined()
    const again = await onboard(fan, { joinLeaderboard: true })
    expect([again.alreadyCompleted, again.leaderboard.enrolled]).toEqual([true, false])
    expect(await listed(fan)).toBeUndefined()
    expect((await fan.get('/api/leaderboard')).body.me).toBeNull()
    expect((await fan.get('/api/dashboard')).body.rank).toBeNull()
  })

  test('a fan enrols once: repeats change neither the entry nor the total', async () => {
    const fan = await world.fan()
    const { leaderboard } = await onboard(fan)
    const before = await listed(fan)
    const { total } = (await world.anonymous.get('/api/leaderboard')).body
    for (let n = 0; n < 3; n++) {
      world.clock.advance(5000)
      expect((await onboard(fan)).leaderboard).toEqual(leaderboard)
    }
    expect(await listed(fan)).toEqual(before as Entry)
    expect((await world.anonymous.get('/api/leaderboard')).body.total).toBe(total)
  })

  test('twenty concurrent onboardings enrol once', async () => {
    const fan = await world.fan()
    const { total } = (await world.anonymous.get('/api/leaderboard')).body
    await Promise.all(Array.from({ length: 20 }, () => onboard(fan)))
    expect((await world.anonymous.get('/api/leaderboard')).body.total).toBe(total + 1)
    expect(await listed(fan)).toMatchObject({ points: 100 })
  })

  test('only onboarding enrols: a profile, a sync, a claim and a purchase do not', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/profile', { displayName: 'Not on it' })
    expect((await fan.post(`/api/user/sync-${world.config.identity.name}`)).status).toBe(200)
    await world.grant(fan, 500)
    const rewardId = await world.reward({ pointsRequired: 100 })
    expect((await fan.post('/api/rewards/claim', { rewardId })).status).toBe(200)
    expect(await listed(fan)).toBeUndefined()
  })

  test('spending does not change an entry; earning does', async () => {
    const fan = await world.fan()
    await onboard(fan)
    await world.grant(fan, 400)
    const before = await listed(fan)
    world.clock.advance(1000)
    await world.grant(fan, -500)
    expect(await listed(fan)).toEqual(before as Entry)
    await world.grant(fan, 1)
    expect(await listed(fan)).toMatchObject({
      points: 501,
      reachedAt: new Date(world.clock.ms).toISOString(),
    })
  })
})

onEachEngine(
  'Enrolment where onboarding is not rewarded',
  world => {
    test('a fan without points is on the global board with zero, since their enrolment', async () => {
      const [first, second] = [await world.fan(), await world.fan()]
      await first.post('/api/user/onboarding', {})
      world.clock.advance(1)
      await second.post('/api/user/onboarding', {})
      const { me } = (await second.get('/api/leaderboard')).body
      expect(me).toMatchObject({ rank: 2, points: 0, reachedAt: new Date(world.clock.ms).toISOString() })
      expect((await world.anonymous.get('/api/leaderboard?period=week')).body.total).toBe(0)
      world.clock.advance(1)
      await world.grant(second, 1)
      expect((await second.get('/api/leaderboard')).body.me).toMatchObject({ rank: 1, points: 1 })
      expect((await second.get('/api/leaderboard?period=week')).body).toMatchObject({ total: 1 })
    })
  },
  { env: { ONBOARDING_POINTS: '0' } },
)
