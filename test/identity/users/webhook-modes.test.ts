/** The mock provider's webhooks, in each of its modes, into the application. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createMockIdp, type MockIdp } from '../../../mock-idp/app.ts'
import type { Client } from '../../support/client.ts'
import { ISSUER, onEachEngine } from '../../support/world.ts'
import { control } from '../auth/provider-controls.ts'
import { startSecondInstance } from './second-instance.ts'

const URL_OF_WEBHOOK = 'http://localhost/api/webhooks/identity'

onEachEngine('Webhooks of the mock provider', world => {
  let idp: MockIdp
  let open: (token: string) => Client
  let fans = 0

  // One per test: its deliveries are counted.
  beforeEach(async () => {
    const deliver = (input: string | URL | Request, init?: RequestInit) =>
      world.app.handle(input instanceof Request ? input : new Request(String(input), init))
    idp = createMockIdp({
      issuer: ISSUER,
      now: () => world.clock.ms,
      fans: 20,
      fetch: Object.assign(deliver, { preconnect: () => {} }),
      webhooks: { url: URL_OF_WEBHOOK, secret: world.config.identity.webhookSecret },
    })
    const second = await startSecondInstance(world, { fetch: idp.handle })
    open = token => second.withToken(token)
    await set('normal')
  })
  afterEach(async () => {
    await control({ idp }, 'POST', '/webhooks/flush')
    idp.close()
  })

  const set = (mode: string) => control({ idp }, 'PUT', '/webhooks', { mode })
  const change = (subject: string, claims: object) => control({ idp }, 'PATCH', `/users/${subject}`, claims)

  async function synced() {
    const subject = `fan-${String(++fans).padStart(4, '0')}`
    const fan = open(await idp.issueToken(subject))
    expect((await fan.post('/api/user/sync-mock-idp')).status).toBe(200)
    const name = async () => (await fan.get('/api/user/profile')).body.identity?.name
    return { subject, fan, name }
  }
  /** Status of the response to each delivery. */
  const statuses = async () =>
    (await control({ idp }, 'GET', '/webhooks')).deliveries.map(({ status }: { status: number }) => status)

  test('normal and duplicate: each change is mirrored as it happens', async () => {
    const { subject, name } = await synced()
    for (const mode of ['normal', 'duplicate']) {
      await set(mode)
      for (const next of [`${mode} one`, `${mode} two`]) {
        await change(subject, { name: next })
        expect(await name()).toBe(next)
      }
    }
    expect(await statuses()).toEqual(Array(6).fill(204))
  })

  test('a claim that is removed at the provider is cleared', async () => {
    const { subject, fan } = await synced()
    await change(subject, { email: null })
    const { identity } = (await fan.get('/api/user/profile')).body
    expect([identity.email, typeof identity.name]).toEqual([null, 'string'])
  })

  test('reordered: the later change prevails', async () => {
    const { subject, name } = await synced()
    await set('reordered')
    const before = await name()
    await change(subject, { name: 'Earlier' })
    expect(await name()).toBe(before)
    await change(subject, { name: 'Later' })
    expect(await name()).toBe('Later')
  })

  test('delayed: a late change is mirrored, and does not undo a newer one', async () => {
    const { subject, name } = await synced()
    await set('delayed')
    await change(subject, { name: 'Held Back' })
    await set('normal')
    await change(subject, { name: 'In Time' })
    expect(await name()).toBe('In Time')
    await idp.advance(5_000)
    expect(await name()).toBe('In Time')

    await set('delayed')
    await change(subject, { name: 'Alone' })
    expect(await name()).toBe('In Time')
    await idp.advance(5_000)
    expect(await name()).toBe('Alone')
    expect(new Set(await statuses())).toEqual(new Set([204]))
  })

  test('paused, then flushed: all changes arrive, and a sync in between is not undone', async () => {
    const { subject, fan, name } = await synced()
    await set('paused')
    for (const next of ['One', 'Two', 'Three']) await change(subject, { name: next })
    expect((await fan.post('/api/user/sync-mock-idp')).body.identity.name).toBe('Three')
    const { deliveries, pending } = await control({ idp }, 'POST', '/webhooks/flush')
    expect([deliveries.length, pending]).toEqual([3, 0])
    expect(await name()).toBe('Three')
  })

  test('a deletion that arrives before an older update is not undone by it', async () => {
    const { subject, fan } = await synced()
    await set('reordered')
    await change(subject, { name: 'Last Words' })
    await control({ idp }, 'DELETE', `/users/${subject}`)
    const { deliveries, pending } = await control({ idp }, 'GET', '/webhooks')
    expect(deliveries.slice(-2).map(({ type }: { type: string }) => type)).toEqual([
      'user.deleted',
      'user.updated',
    ])
    expect(pending).toBe(0)
    expect((await fan.get('/api/user/profile')).status).toBe(401)
  })
})
