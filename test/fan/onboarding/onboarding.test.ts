import { expect, test } from 'bun:test'
import { overrideSettings } from '../../support/settings.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine('/api/user/onboarding', world => {
  const now = () => new Date(world.clock.ms).toISOString()

  test('GET returns not_started at first, without creating a record', async () => {
    const fan = await world.fan()
    const { status, body } = await fan.get('/api/user/onboarding')
    expect(status).toBe(200)
    expect(body).toEqual({
      state: 'not_started',
      completedAt: null,
      reward: null,
      leaderboard: { enrolled: false, enrolledAt: null },
      identitySync: 'deferred',
      referral: null,
    })
    expect((await fan.get('/api/user/profile')).status).toBe(404)
  })

  test('POST completes: points, enrolment, the profile, and the provider’s data', async () => {
    const fan = await world.fan()
    const { status, body } = await fan.post('/api/user/onboarding', { profile: { handle: 'complete_1' } })
    expect(status).toBe(200)
    expect(body).toEqual({
      state: 'completed',
      completedAt: now(),
      reward: { points: 100, grantedAt: now() },
      leaderboard: { enrolled: true, enrolledAt: now() },
      identitySync: 'synced',
      referral: null,
    })
    const profile = (await fan.get('/api/user/profile')).body
    expect(profile).toMatchObject({ handle: 'complete_1', points: 100, onboarding: { state: 'completed' } })
    expect(profile.displayName).toBe(profile.identity.name)
    expect(profile.identity.email).toContain('@example.')
    expect((await fan.get('/api/user/onboarding')).body).toEqual(body)
  })

  test('works without a body', async () => {
    const fan = await world.fan()
    const { status, body } = await fan.post('/api/user/onboarding')
    expect([status, body.state]).toEqual([200, 'completed'])
  })

  test('joinLeaderboard: false completes without enrolment, and a repetition does not enrol', async () => {
    const fan = await world.fan()
    const first = (await fan.post('/api/user/onboarding', { joinLeaderboard: false })).body
    expect(first.leaderboard).toEqual({ enrolled: false, enrolledAt: null })
    expect(
      (await fan.post('/api/user/onboarding', { joinLeaderboard: true })).body.leaderboard.enrolled,
    ).toBe(false)
  })

  test('a repetition returns the first completion with alreadyCompleted and changes nothing', async () => {
    const fan = await world.fan()
    const first = (await fan.post('/api/user/onboarding', { profile: { bio: 'first' } })).body
    world.clock.advance(86_400_000)
    const again = world.withToken(await world.idp.issueToken(fan.subject))
    const { status, body } = await again.post('/api/user/onboarding', { profile: { bio: 'second' } })
    expect([status, body]).toEqual([200, { ...first, alreadyCompleted: true }])
    expect((await again.get('/api/user/profile')).body.bio).toBe('first')
    expect((await again.get('/api/user/points')).body.entries).toHaveLength(1)
  })

  test('completes for a fan who wrote a profile first, and keeps it', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/profile', { displayName: 'Mine' })
    await fan.post('/api/user/onboarding', {})
    const profile = (await fan.get('/api/user/profile')).body
    expect([profile.displayName, profile.points]).toEqual(['Mine', 100])
  })

  test('an invalid profile fails the request, and nothing is completed', async () => {
    const taken = await world.fan()
    await taken.post('/api/user/profile', { handle: 'onboard_taken' })
    const fan = await world.fan()
    for (const [profile, code] of [
      [{ handle: 'onboard_taken' }, 'handle_taken'],
      [{ favoriteTeamId: 'nowhere' }, 'team_not_found'],
      [{ country: 'ZZ' }, 'validation_failed'],
    ] as const) {
      expect((await fan.post('/api/user/onboarding', { profile })).body.code).toBe(code)
    }
    expect((await fan.get('/api/user/onboarding')).body.state).toBe('not_started')
    expect((await fan.get('/api/user/points')).body.entries).toEqual([])
  })

  test('names the invalid member of the profile', async () => {
    const fan = await world.fan()
    for (const profile of [{ country: 'ZZ' }, { country: 5 }]) {
      const { body } = await fan.post('/api/user/onboarding', { profile })
      expect(body.errors[0].pointer).toBe('/profile/country')
    }
  })

  test('completes with identitySync deferred during an outage; a repetition syncs', async () => {
    const fan = await world.fan()
    await fan.get('/api/user/onboarding')
    await control('POST', '/_mock/faults', { match: 'userinfo', kind: 'status', status: 500 })
    const first = (await fan.post('/api/user/onboarding', {})).body
    expect([first.state, first.reward.points, first.identitySync]).toEqual(['completed', 100, 'deferred'])
    await control('DELETE', '/_mock/faults')
    const again = (await fan.post('/api/user/onboarding', {})).body
    expect([again.alreadyCompleted, again.identitySync]).toEqual([true, 'synced'])
  })

  test('of twenty concurrent requests one completes, and the others return the same completion', async () => {
    const fan = await world.fan()
    const answers = await Promise.all(Array.from({ length: 20 }, () => fan.post('/api/user/onboarding', {})))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(answers.filter(({ body }) => !body.alreadyCompleted)).toHaveLength(1)
    const { balance, entries } = (await fan.get('/api/user/points')).body
    expect([balance, entries.length]).toEqual([100, 1])
  })

  async function control(method: string, path: string, body?: unknown) {
    const init = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}
    const response = await world.idp.handle(
      new Request(world.config.identity.issuer + path, { method, ...init }),
    )
    expect(response.ok).toBe(true)
  }
})

onEachEngine(
  'Onboarding with ONBOARDING_POINTS=0',
  world => {
    test('completes and writes no entry', async () => {
      const fan = await world.fan()
      const { body } = await fan.post('/api/user/onboarding', {})
      expect([body.state, body.reward, body.leaderboard.enrolled]).toEqual(['completed', null, true])
      expect((await fan.get('/api/user/points')).body).toEqual({
        balance: 0,
        held: 0,
        lifetime: 0,
        entries: [],
        nextCursor: null,
      })
    })

    test('a repetition after a change of the points grants none', async () => {
      const fan = await world.fan()
      const first = (await fan.post('/api/user/onboarding', {})).body
      const end = overrideSettings(world.db, { onboardingPoints: 100 })
      const { status, body } = await fan.post('/api/user/onboarding', {})
      end()
      expect([status, body]).toEqual([200, { ...first, alreadyCompleted: true }])
      expect((await fan.get('/api/user/points')).body.entries).toEqual([])
    })
  },
  { env: { ONBOARDING_POINTS: '0' } },
)
