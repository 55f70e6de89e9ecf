/** A token that was valid at the last request is refused at the next one, however it ended: the cache is invalidated. */
import { expect, test } from 'bun:test'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { tombstoneIdentity } from '../../../src/identity/users/mirror.ts'
import { fanTag, tokenValidityTag } from '../../../src/platform/cache/tags.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine('A token with cached validity', world => {
  const callerOf = ({ subject }: { subject: string }) => ({ provider: world.config.identity.name, subject })
  const admits = async (client: Client) => (await client.get('/api/rewards')).status

  async function device(fan: Client) {
    const { body } = await fan.post('/api/auth/native-token', {})
    return { ...body, client: world.withToken(body.token) }
  }
  async function expectEnded(client: Client, end: () => Promise<unknown>) {
    expect(await admits(client)).toBe(200)
    await end()
    expect(await admits(client)).toBe(401)
  }

  test('is refused after its user is deleted by the provider, with or without a record', async () => {
    for (const record of [true, false]) {
      const fan = await world.fan()
      if (record) await fan.post('/api/user/onboarding', {})
      await expectEnded(fan, () =>
        world.db.write(async tx => tombstoneIdentity(tx, (await ensureUser(tx, callerOf(fan))).user)),
      )
    }
  })

  test('is refused after its user is erased', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/onboarding', {})
    const { client } = await device(fan)
    expect(await admits(client)).toBe(200)
    await expectEnded(fan, () => world.db.write(tx => eraseUser(tx, callerOf(fan))))
    expect(await admits(client)).toBe(401)
  })

  test('is refused after the reuse of a refresh token of its device', async () => {
    const { client, refreshToken } = await device(await world.fan())
    const refresh = (token: string) =>
      world.anonymous.post('/api/auth/native-token/refresh', { refreshToken: token })
    const { body } = await refresh(refreshToken)
    await refresh(body.refreshToken)
    await expectEnded(client, () => refresh(refreshToken))
  })

  test('is refused after its device is signed out: by itself, by another, or everywhere', async () => {
    const fan = await world.fan()
    const [own, other, every] = [await device(fan), await device(fan), await device(fan)]
    await expectEnded(own.client, () => own.client.post('/api/auth/logout', {}))
    await expectEnded(other.client, () =>
      fan.send(`/api/auth/sessions/${other.sessionId}`, { method: 'DELETE' }),
    )
    world.clock.advance(1_000)
    expect(await admits(fan)).toBe(200)
    await expectEnded(every.client, () => fan.post('/api/auth/logout', { everywhere: true }))
    expect(await admits(fan)).toBe(401)
  })

  test('is checked again when its validity changes, and not after other changes', async () => {
    const { db, deps } = world
    const caller = { provider: world.config.identity.name, subject: 'nobody' }
    const at = world.clock.now()
    const claims = { subject: 'nobody', tokenId: 'a token', issuedAt: 0, expiresAt: 0, authenticatedAt: 0 }
    const { counts } = deps.tokenValidityCache
    /** Returns whether the database was asked. */
    async function check() {
      const { misses } = counts
      await deps.tokenValidityCache.checkSession(claims, caller, { tokenId: 'a token', issuedAt: at })
      return counts.misses > misses
    }
    expect(await check()).toBe(true)
    await db.write(async tx => {
      for (let fan = 0; fan < 200_000; fan++) tx.invalidate(fanTag(`${fan}`))
    })
    // PostgreSQL does not report the commits of other processes, so nothing is cached.
    const isCached = db.externalCommits() !== null
    expect(await check()).toBe(!isCached)
    await db.write(async tx => tx.invalidate(tokenValidityTag(caller)))
    expect(await check()).toBe(true)
    expect(await check()).toBe(!isCached)
  })

  test('is refused after too many newer devices signed in', async () => {
    const fan = await world.fan()
    const oldest = await device(fan)
    expect(await admits(oldest.client)).toBe(200)
    for (let admitted = 200, others = 0; admitted === 200; others++) {
      expect(others).toBeLessThan(100)
      world.clock.advance(1)
      await device(fan)
      admitted = await admits(oldest.client)
    }
    expect(await admits(oldest.client)).toBe(401)
  })
})
