import { expect, test } from 'bun:test'
import { findMirror, syncIdentity } from '../../../src/identity/users/mirror.ts'
import { findUser } from '../../../src/identity/users/users.ts'
import { parseTokenClaims } from '../../../src/platform/identity-provider/claims.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'
import { writerOf } from '../../support/writer.ts'
import { deleted, deliver, updated } from './deliveries.ts'

onEachEngine('A user deleted by the provider', world => {
  const deleteUpstream = async (subject: string) =>
    expect((await deliver(world, deleted(world, subject))).status).toBe(204)
  const expectRefused = async (client: Client) => {
    const { status, headers, body } = await client.get('/api/user/profile')
    expect([status, body.code]).toEqual([401, 'invalid_token'])
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
  }
  async function mirrorOf(subject: string) {
    const user = await findUser(world.db.read, { provider: 'mock-idp', subject })
    return user && findMirror(world.db.read, user.id)
  }
  const nothing = { email: null, emailVerified: null, name: null, picture: null, updatedAt: null }

  test('is refused immediately, with session token and native token, and gets no new token', async () => {
    const fan = await world.fan()
    const { token, refreshToken } = (await fan.post('/api/auth/native-token', {})).body
    const native = world.withToken(token)
    await fan.post('/api/user/sync-mock-idp')
    expect((await native.get('/api/user/profile')).status).toBe(200)

    await deleteUpstream(fan.subject)
    await expectRefused(fan)
    await expectRefused(native)
    await expectRefused(world.withToken(await world.idp.issueToken(fan.subject)))
    const refreshed = await world.anonymous.post('/api/auth/native-token/refresh', { refreshToken })
    expect([refreshed.status, refreshed.body.code]).toEqual([401, 'invalid_refresh_token'])
    expect((await fan.post('/api/auth/native-token', {})).status).toBe(401)
    expect((await fan.post('/api/user/sync-mock-idp')).status).toBe(401)
  })

  test('leaves an empty mirror, which no later update or sync fills', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/sync-mock-idp')
    expect(await mirrorOf(fan.subject)).toMatchObject({ name: expect.any(String), deletedAt: null })

    await deleteUpstream(fan.subject)
    const tombstone = await mirrorOf(fan.subject)
    expect(tombstone).toMatchObject({ ...nothing, deletedAt: new Date(world.clock.ms) })

    world.clock.advance(60_000)
    const claims = { name: 'Risen', updated_at: Math.floor(world.clock.ms / 1000) }
    expect((await deliver(world, updated(world, fan.subject, claims))).status).toBe(204)
    // The token is refused now, but a request that started before the deletion gets here.
    const caller = { provider: 'mock-idp', subject: fan.subject }
    const judged = parseTokenClaims(fan.subject, claims, { now: world.clock.now() })
    const pulled = await world.db.write(async tx =>
      syncIdentity(tx, await writerOf(tx, caller), judged.claims),
    )
    expect([pulled.changed, pulled.identity.name]).toEqual([[], null])
    await deleteUpstream(fan.subject)
    expect(await mirrorOf(fan.subject)).toEqual(tombstone)
    await expectRefused(fan)
  })

  test('is recorded also if there was no user record', async () => {
    const fan = await world.fan()
    await deleteUpstream(fan.subject)
    await expectRefused(fan)
    expect((await fan.post('/api/user/onboarding', {})).status).toBe(401)
    expect(await mirrorOf(fan.subject)).toMatchObject({ ...nothing, deletedAt: new Date(world.clock.ms) })
  })

  test('does not affect other users', async () => {
    const [gone, other] = [await world.fan(), await world.fan()]
    for (const fan of [gone, other]) await fan.post('/api/user/sync-mock-idp')
    await deleteUpstream(gone.subject)
    expect((await other.get('/api/user/profile')).body.identity.name).toBeString()
  })

  test('a deletion prevails over ten concurrent updates', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/sync-mock-idp')
    const updated_at = Math.floor(world.clock.ms / 1000)
    const updates = Array.from({ length: 10 }, (_, n) =>
      updated(world, fan.subject, { name: `Name ${n}`, updated_at: updated_at + n }),
    )
    const events = [...updates.slice(0, 5), deleted(world, fan.subject), ...updates.slice(5)]
    const answers = await Promise.all(events.map(event => deliver(world, event)))
    expect(answers.map(({ status }) => status)).toEqual(Array(11).fill(204))
    expect(await mirrorOf(fan.subject)).toMatchObject(nothing)
    await expectRefused(fan)
  })
})
