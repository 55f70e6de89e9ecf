/** Cached responses of another process on the same database: current again within a second. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { engines } from '../../support/engines.ts'
import { type Fan, onEngine } from '../../support/world.ts'
import { type OtherProcess, startOtherProcess } from './another-process.ts'

const SECOND = 1000

for (const engine of engines) {
  onEngine(
    engine,
    'Two processes and their caches',
    world => {
      let other: OtherProcess
      let fans: Fan[]

      beforeEach(async () => {
        fans = []
        other = await startOtherProcess(world)
        for (let n = 0; n < 3; n++) {
          const fan = await world.fan()
          await fan.post('/api/user/onboarding', { profile: { displayName: `Fan ${n}` } })
          fans.push(fan)
          world.clock.advance(1)
        }
      })
      afterEach(() => other.close())

      const dashboards = async ({ token, get }: Fan) => ({
        here: (await get('/api/dashboard')).body,
        there: (await other.withToken(token).get('/api/dashboard')).body,
      })

      test('a fan’s own data is visible immediately in the other process, on both engines', async () => {
        const [fan] = fans as [Fan]
        world.clock.advance(SECOND)
        const before = await dashboards(fan)
        expect(before.here).toEqual(before.there)
        await fan.patch('/api/user/profile', { displayName: 'Renamed' })
        await world.grant(fan, 10)

        const after = await dashboards(fan)
        expect(after.here).toMatchObject({ profile: { displayName: 'Renamed' }, points: 110 })
        expect(after.there).toEqual(after.here)
      })

      test('the leaderboard of the other shows new ranks, names and totals within a second', async () => {
        const reader = other.withToken()
        world.clock.advance(SECOND)
        const { total } = (await reader.get('/api/leaderboard')).body
        const fan = await world.fan()
        await fan.post('/api/user/onboarding', { profile: { displayName: 'Just here' } })
        await world.grant(fan, 1000)
        world.clock.advance(SECOND)
        const { body } = await reader.get('/api/leaderboard')
        expect([body.total, body.entries[0]]).toMatchObject([
          total + 1,
          { displayName: 'Just here', points: 1100 },
        ])
        expect(body).toEqual((await world.anonymous.get('/api/leaderboard')).body)
      })

      test('a response computed from a cached one is not older than a second', async () => {
        const [, , rising] = fans as [Fan, Fan, Fan]
        const there = other.withToken(rising.token)
        const rank = async () => (await there.get('/api/dashboard')).body.rank
        world.clock.advance(SECOND)
        // The other process caches the fan’s rank, but not their dashboard: the page shows another fan.
        const { me } = (await there.get('/api/leaderboard?limit=1')).body
        expect(me.rank).toBeGreaterThan(1)
        await world.grant(rising, 5000)
        world.clock.advance(800)
        await rank()
        world.clock.advance(300)
        // 1.1 seconds after the write.
        expect(await rank()).toBe(1)
      })

      test('both processes show the writes of the other: the same board in the same order', async () => {
        const [first, second] = fans as [Fan, Fan, Fan]
        await Promise.all(
          Array.from({ length: 20 }, async (_, n) => {
            const client = n % 2 ? world.withToken(first.token) : other.withToken(second.token)
            await client.post('/api/user/profile', { bio: `Version ${n}` })
            await world.grant(n % 2 ? first : second, 1)
          }),
        )
        world.clock.advance(SECOND)
        const here = (await world.anonymous.get('/api/leaderboard')).body
        expect((await other.withToken().get('/api/leaderboard')).body).toEqual(here)
      })
    },
    { worldPer: 'test' },
  )
}
