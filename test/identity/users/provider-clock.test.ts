/** A provider whose clock is behind: its statements are ordered by its own clock, and no change is lost. */
import { expect, test } from 'bun:test'
import { onEachEngine } from '../../support/world.ts'
import { tokenOf } from '../auth/provider-controls.ts'
import { deliver, updated } from './deliveries.ts'
import { startSecondInstance } from './second-instance.ts'

/** Milliseconds. */
const BEHIND = 3_000
const SYNC = '/api/user/sync-mock-idp'

onEachEngine('A provider whose clock is 3 s behind', world => {
  test('its event, one second after a sync without updated_at, changes the mirror', async () => {
    const { subject, token } = await world.fan()
    const { app, withToken } = await startSecondInstance(world, {
      fetch: async request => {
        if (!request.url.endsWith('/userinfo')) return world.idp.handle(request)
        const date = new Date(world.clock.ms - BEHIND).toUTCString()
        return Response.json({ sub: subject, name: 'Before', email: 'b@example.net' }, { headers: { date } })
      },
    })
    expect(app).toBeDefined()
    const fan = withToken(token)
    expect((await fan.post(SYNC)).body.identity.name).toBe('Before')
    world.clock.advance(1_000)
    const event = updated(world, subject, { name: 'After' })
    const timestamp = new Date(world.clock.ms - BEHIND).toISOString()
    expect((await deliver(world, { ...event, timestamp }, { skew: -BEHIND / 1000 })).status).toBe(204)
    const { identity } = (await fan.get('/api/user/profile')).body
    expect(identity).toMatchObject({ name: 'After', email: 'b@example.net', updatedAt: expect.any(String) })
  })
})

onEachEngine(
  'IDP_USER_DATA=token',
  world => {
    const stateAt = (seconds: number) => Math.floor(world.clock.ms / 1000) + seconds
    const tokenAt = (sub: string, seconds: number, claims: object) =>
      tokenOf(world, { sub, claims: { iat: stateAt(seconds), ...claims } })

    test('a token without updated_at states its claims at its iat', async () => {
      const { subject } = await world.fan()
      const fan = world.withToken(await tokenAt(subject, -3, { name: 'Before', email: 'b@example.net' }))
      const { identity } = (await fan.post(SYNC)).body
      expect(identity).toMatchObject({
        name: 'Before',
        updatedAt: new Date((stateAt(0) - 3) * 1000).toISOString(),
      })
      // Changed one second after the token was issued, by the provider's clock.
      const event = updated(world, subject, { name: 'After' })
      const timestamp = new Date(world.clock.ms - BEHIND + 1_000).toISOString()
      expect((await deliver(world, { ...event, timestamp }, { skew: -2 })).status).toBe(204)
      expect((await fan.get('/api/user/profile')).body.identity.name).toBe('After')
      // The token has the claims from before the change.
      const again = (await fan.post(SYNC)).body
      expect([again.changed, again.identity.name]).toEqual([[], 'After'])
    })

    test('a claim that the token omits keeps its value, and null clears it', async () => {
      const { subject } = await world.fan()
      const claims = {
        name: 'Ada',
        email: 'ada@example.net',
        email_verified: true,
        picture: 'https://e.example/a',
      }
      await world.withToken(await tokenAt(subject, -9, claims)).post(SYNC)
      const next = world.withToken(await tokenAt(subject, -8, { email: null }))
      const { changed, identity } = (await next.post(SYNC)).body
      expect(changed).toEqual(['email'])
      expect(identity).toMatchObject({
        name: 'Ada',
        email: null,
        emailVerified: true,
        picture: 'https://e.example/a',
      })
    })
  },
  { env: { IDP_USER_DATA: 'token' } },
)
