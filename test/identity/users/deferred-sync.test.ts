import { afterEach, beforeEach, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { deriveKey } from '../../../src/core/derived-key.ts'
import { createEncryption } from '../../../src/core/encryption.ts'
import { retryDueSyncs } from '../../../src/identity/users/deferred-sync.ts'
import { findUser } from '../../../src/identity/users/users.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'
import { control } from '../auth/provider-controls.ts'
import { deleted, deliver, updated } from './deliveries.ts'
import { type SecondInstance, startSecondInstance, userinfoRequests } from './second-instance.ts'

onEachEngine('Deferred sync', world => {
  let second: SecondInstance
  beforeEach(async () => {
    second = await startSecondInstance(world)
  })
  afterEach(async () => {
    await control(world, 'DELETE', '/faults')
    const { deferredSyncs } = world.db.tables
    await world.db.write(tx => tx.delete(deferredSyncs))
  })

  const goDown = (input: object = { status: 500 }) =>
    control(world, 'POST', '/faults', { match: 'userinfo', kind: 'status', ...input })
  const comeBack = async () => {
    await control(world, 'DELETE', '/faults')
    await control(world, 'DELETE', '/requests')
  }
  const stateOf = async (client: Client) => (await client.get('/api/user/onboarding')).body.identitySync

  /** A fan who completed the onboarding during an outage of the provider. `back` ends the outage. */
  async function deferred({ back = true, expiresIn = 86_400 } = {}) {
    const { subject } = await world.fan()
    const token = await world.idp.issueToken(subject, { expiresIn })
    const fan = second.withToken(token)
    await fan.get('/api/user/onboarding')
    await goDown()
    const { status, body } = await fan.post('/api/user/onboarding', {})
    expect([status, body.state, body.identitySync]).toEqual([200, 'completed', 'deferred'])
    if (back) await comeBack()
    return { subject, token, ...fan }
  }
  async function rowOf(subject: string) {
    const { deferredSyncs } = world.db.tables
    const user = await findUser(world.db.read, { provider: 'mock-idp', subject })
    const rows = await world.db.read
      .select()
      .from(deferredSyncs)
      .where(eq(deferredSyncs.userId, user?.id ?? ''))
    return rows[0]
  }
  /** Moves the clock to the fan's next attempt and returns the wait. */
  async function untilDue(subject: string): Promise<number> {
    const due = (await rowOf(subject))?.nextAttemptAt.getTime()
    if (due === undefined) throw new Error('nothing is deferred')
    const wait = due - world.clock.ms
    world.clock.advance(wait)
    return wait
  }

  test('is retried without the client once the provider is back', async () => {
    const fan = await deferred()
    expect(await retryDueSyncs(second.deps)).toBe(0)
    expect(await userinfoRequests(world)).toBe(0)
    await untilDue(fan.subject)
    expect(await retryDueSyncs(second.deps)).toBe(1)
    expect(await stateOf(fan)).toBe('synced')
    const { name } = await control(world, 'GET', `/users/${fan.subject}`)
    expect((await fan.get('/api/user/profile')).body.identity.name).toBe(name)
    expect(await rowOf(fan.subject)).toBeUndefined()
  })

  test('waits longer after each error, up to a maximum, and sends no request in between', async () => {
    const fan = await deferred({ back: false })
    const waits: number[] = []
    for (let n = 0; n < 12; n++) {
      waits.push(await untilDue(fan.subject))
      await control(world, 'DELETE', '/requests')
      expect(await retryDueSyncs(second.deps)).toBe(0)
      expect(await userinfoRequests(world)).toBe(2)
      expect(await retryDueSyncs(second.deps)).toBe(0)
      expect(await userinfoRequests(world)).toBe(2)
    }
    const seconds = waits.map(wait => wait / 1000)
    expect(seconds).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600, 600, 600, 600])
    await comeBack()
    await untilDue(fan.subject)
    expect(await retryDueSyncs(second.deps)).toBe(1)
    expect(await stateOf(fan)).toBe('synced')
  })

  test('makes its last attempt 15 s before the token expires', async () => {
    // A token expires at a whole second.
    world.clock.advance(1000 - (world.clock.now().getTime() % 1000))
    const fan = await deferred({ back: false, expiresIn: 60 })
    const waits: number[] = []
    for (let n = 0; n < 4; n++) {
      waits.push(await untilDue(fan.subject))
      expect(await retryDueSyncs(second.deps)).toBe(0)
    }
    // 5 + 10 + 20 s, and then not 40 s, which would be past the expiry.
    expect(waits).toEqual([5000, 10_000, 20_000, 10_000])
    await control(world, 'DELETE', '/requests')
    expect(await retryDueSyncs(second.deps)).toBe(0)
    expect(await userinfoRequests(world)).toBe(0)
    await comeBack()
    expect(await untilDue(fan.subject)).toBeGreaterThanOrEqual(15_000)
    expect(await retryDueSyncs(second.deps)).toBe(0)
    expect(await userinfoRequests(world)).toBe(0)
    expect(await rowOf(fan.subject)).toBeUndefined()
  })

  test('succeeds at its last attempt before the token expires', async () => {
    const fan = await deferred({ back: false, expiresIn: 60 })
    for (let n = 0; n < 3; n++) {
      await untilDue(fan.subject)
      expect(await retryDueSyncs(second.deps)).toBe(0)
    }
    await comeBack()
    await untilDue(fan.subject)
    expect(await retryDueSyncs(second.deps)).toBe(1)
    expect(await stateOf(fan)).toBe('synced')
  })

  test('waits for Retry-After in every instance, also if the onboarding received it', async () => {
    const fan = await deferred({ back: false })
    await control(world, 'DELETE', '/faults')
    await goDown({ status: 503, retryAfter: 60, count: 1 })
    await untilDue(fan.subject)
    expect(await retryDueSyncs(second.deps)).toBe(0)
    expect((await rowOf(fan.subject))?.nextAttemptAt.getTime()).toBe(world.clock.ms + 60_000)

    const other = second.withToken((await world.fan()).token)
    expect((await other.post('/api/user/onboarding', {})).body.identitySync).toBe('deferred')
    await comeBack()
    const restarted = await startSecondInstance(world)
    world.clock.advance(59_999)
    expect(await retryDueSyncs(restarted.deps)).toBe(0)
    expect(await userinfoRequests(world)).toBe(0)
    world.clock.advance(1)
    expect(await retryDueSyncs(restarted.deps)).toBe(2)
  })

  test('429 for one fan delays the attempts of that fan only', async () => {
    const hasty = await deferred()
    // The earlier one is retried first.
    world.clock.advance(1)
    const other = await deferred()
    await goDown({ status: 429, retryAfter: 120, count: 1 })
    await untilDue(other.subject)
    expect(await retryDueSyncs(second.deps)).toBe(1)
    expect(await stateOf(other)).toBe('synced')
    expect(await untilDue(hasty.subject)).toBe(120_000)
    expect(await retryDueSyncs(second.deps)).toBe(1)
  })

  test('is retried by another instance with the same key, as after a restart', async () => {
    const fan = await deferred()
    await untilDue(fan.subject)
    const restarted = await startSecondInstance(world)
    expect(await retryDueSyncs(restarted.deps)).toBe(1)
    expect(await stateOf(fan)).toBe('synced')
  })

  test('two concurrent instances send one request', async () => {
    const fans = [await deferred(), await deferred(), await deferred()]
    const other = await startSecondInstance(world)
    await untilDue(fans[2]?.subject ?? '')
    const synced = await Promise.all([second, other, second].map(({ deps }) => retryDueSyncs(deps)))
    expect(synced.reduce((sum, n) => sum + n)).toBe(3)
    expect(await userinfoRequests(world)).toBe(3)
    for (const fan of fans) expect(await stateOf(fan)).toBe('synced')
  })

  test('a failure does not prevent the retry of another sync', async () => {
    const [fan, other] = [await deferred(), await deferred()]
    await untilDue(other.subject)
    await goDown({ kind: 'malformed', count: 1 })
    expect(await retryDueSyncs(second.deps)).toBe(1)
    expect(new Set([await stateOf(fan), await stateOf(other)])).toEqual(new Set(['synced', 'deferred']))
  })

  test('is dropped when the token has expired; the next sync or webhook fills the mirror', async () => {
    const fans = [await deferred({ expiresIn: 60 }), await deferred({ expiresIn: 60 })]
    world.clock.advance(60_000)
    expect(await retryDueSyncs(second.deps)).toBe(0)
    expect(await userinfoRequests(world)).toBe(0)
    expect(second.logged.filter(line => line.includes('its token has expired'))).toHaveLength(2)

    const [pulling, waiting] = fans.map(({ subject }) => subject)
    if (!pulling || !waiting) throw new Error('there are two fans')
    expect([await rowOf(pulling), await rowOf(waiting)]).toEqual([undefined, undefined])
    const again = world.withToken(await world.idp.issueToken(pulling))
    expect(await stateOf(again)).toBe('deferred')
    await again.post('/api/user/sync-mock-idp')
    expect(await stateOf(again)).toBe('synced')
    await deliver(world, updated(world, waiting, { name: 'By Webhook' }))
    expect(await stateOf(world.withToken(await world.idp.issueToken(waiting)))).toBe('synced')
  })

  test('an earlier sync or webhook removes it from the queue', async () => {
    const [pulling, waiting] = [await deferred(), await deferred()]
    await pulling.post('/api/user/sync-mock-idp')
    await deliver(world, updated(world, waiting.subject, { name: 'By Webhook' }))
    for (const fan of [pulling, waiting]) {
      expect(await stateOf(fan)).toBe('synced')
      expect(await rowOf(fan.subject)).toBeUndefined()
    }
  })

  test('is dropped when the provider refuses the token', async () => {
    const fan = await deferred()
    await goDown({ status: 401 })
    await untilDue(fan.subject)
    expect(await retryDueSyncs(second.deps)).toBe(0)
    expect(await userinfoRequests(world)).toBe(1)
    expect(await rowOf(fan.subject)).toBeUndefined()
    expect(await stateOf(fan)).toBe('deferred')
  })

  test('is dropped when the provider deletes the user, also during the request', async () => {
    const [before, during] = [await deferred(), await deferred()]
    await deliver(world, deleted(world, before.subject))
    expect(await rowOf(before.subject)).toBeUndefined()

    const overtaken = await startSecondInstance(world, {
      fetch: async request => {
        const answer = await world.idp.handle(request)
        if (request.url.endsWith('/userinfo')) await deliver(world, deleted(world, during.subject))
        return answer
      },
    })
    await untilDue(during.subject)
    await retryDueSyncs(overtaken.deps)
    const user = await findUser(world.db.read, { provider: 'mock-idp', subject: during.subject })
    const { identities } = world.db.tables
    const [mirror] = await world.db.read
      .select()
      .from(identities)
      .where(eq(identities.userId, user?.id ?? ''))
    expect(mirror).toMatchObject({ name: null, email: null, deletedAt: new Date(world.clock.ms) })
    expect(await rowOf(during.subject)).toBeUndefined()
    expect((await during.get('/api/user/profile')).status).toBe(401)
  })

  test('stores the token encrypted, for its subject and key only', async () => {
    const fan = await deferred()
    const sealed = (await rowOf(fan.subject))?.encryptedToken ?? ''
    const bytes = Buffer.from(sealed, 'base64url')
    for (const part of [fan.token, ...fan.token.split('.')]) {
      expect(sealed).not.toContain(part)
      expect(bytes.includes(part)).toBe(false)
    }
    const { tokenEncryption } = second.deps
    expect(tokenEncryption.decrypt(sealed, fan.subject)).toBe(fan.token)
    expect(tokenEncryption.decrypt(sealed, 'fan-0199')).toBeNull()
    expect(
      createEncryption(deriveKey('another key', 'deferred sync')).decrypt(sealed, fan.subject),
    ).toBeNull()
  })

  test('is dropped, with a log line, if the token was encrypted with another key', async () => {
    const fan = await deferred()
    await untilDue(fan.subject)
    const stranger = {
      ...second.deps,
      tokenEncryption: createEncryption(deriveKey('another key', 'deferred sync')),
    }
    expect(await retryDueSyncs(stranger)).toBe(0)
    expect(await userinfoRequests(world)).toBe(0)
    expect(second.logged.join()).toContain('its token cannot be decrypted')
    expect(second.logged.join()).not.toContain(fan.token)
  })
})
