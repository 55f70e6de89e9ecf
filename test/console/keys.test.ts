/** Server keys in the console. */
import { expect, test } from 'bun:test'
import { identifyServerKey } from '../../src/identity/server-keys/authenticate.ts'
import { onEachEngine } from '../support/world.ts'
import { consoleOf } from './support.ts'

onEachEngine('server keys in the console', world => {
  const { as } = consoleOf(world)
  const reason = 'The gates report entries.'
  const post = (path: string, body: object) => as('owner').post(`/api/keys${path}`, { reason, ...body })
  const keysOf = async (source: string) =>
    (await as('owner').get('/api/keys')).body.keys.filter((key: { source: string }) => key.source === source)

  test('a key is shown once, and neither the list nor the audit log has it', async () => {
    const { status, body } = await post('', { source: 'gates', scopes: ['events:write', 'fans:read'] })
    expect([status, body.state, body.scopes]).toEqual([201, 'active', ['events:write', 'fans:read']])
    expect(await identifyServerKey(world.db.read, body.key)).toMatchObject({ source: 'gates' })
    const list = JSON.stringify((await as('owner').get('/api/keys')).body)
    const audit = JSON.stringify((await as('owner').get('/api/audit')).body)
    expect(audit).toContain('createServerKey')
    for (const text of [list, audit]) expect(text).not.toContain(body.key)
    expect((await post('', { source: 'gates', scopes: ['events:write'] })).body.code).toBe(
      'server_key_exists',
    )
  })

  test('a rotation gives a second key; revoking one leaves the other', async () => {
    const first = (await post('', { source: 'desk', scopes: ['redemptions:read'] })).body
    const second = await post('/desk/rotate', {})
    expect(second.status).toBe(201)
    expect((await keysOf('desk')).map(({ state }: { state: string }) => state)).toEqual([
      'active',
      'replaced',
    ])
    expect((await post('/desk/revoke', { keyId: first.id })).body).toEqual({ revoked: [first.id] })
    expect(await identifyServerKey(world.db.read, first.key)).toMatchObject({ id: first.id })
    expect((await keysOf('desk')).map(({ state }: { state: string }) => state)).toEqual(['active', 'revoked'])
    expect((await post('/desk/revoke', {})).body.revoked).toEqual([second.body.id])
    for (const action of ['revoke', 'rotate'])
      expect((await post(`/desk/${action}`, {})).body.code).toBe('server_key_not_found')
  })

  test.each([
    ['/source', { source: 'matchday', scopes: ['fans:read'] }],
    ['/expiresAt', { source: 'late', scopes: ['fans:read'], expiresAt: '2020-01-01T00:00:00Z' }],
  ])('a wrong %s is refused at its field', async (pointer, input) => {
    const { status, body } = await post('', input)
    expect([status, body.errors[0].pointer]).toEqual([422, pointer])
  })

  test('a key ends at its time', async () => {
    const expiresAt = new Date(world.clock.now().getTime() + 60_000).toISOString()
    const { body } = await post('', { source: 'kiosk', scopes: ['fans:read'], expiresAt })
    expect(body.expiresAt).toBe(expiresAt)
    world.clock.advance(61_000)
    expect((await keysOf('kiosk'))[0].state).toBe('expired')
  })
})
