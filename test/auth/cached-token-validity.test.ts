/** A token that was let in a moment ago is refused at the next request, whichever way it ended: what is remembered goes. */
import { expect, test } from 'bun:test'
import { eraseUser } from '../../src/admin/erase-user.ts'
import { fanTag, tokenValidityTag } from '../../src/cache/tags.ts'
import { tombstoneIdentity } from '../../src/users/mirror.ts'
import { ensureUser } from '../../src/users/users.ts'
import type { Client } from '../support/client.ts'
import { onEachEngine } from '../support/world.ts'

onEachEngine('A token that was let in', world => {
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

  test('is refused once its user was deleted by the provider, with a record or without', async () => {
    for (const record of [true, false]) {
      const fan = await world.fan()
      if (record) await fan.post('/api/user/onboarding', {})
      await expectEnded(fan, () =>
        world.db.write(async tx => tombstoneIdentity(tx, (await ensureUser(tx, callerOf(fan))).user)),
      )
    }
  })

  test('is refused once its user was erased', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/onboarding', {})
    const { client } = await device(fan)
    expect(await admits(client)).toBe(200)
    await expectEnded(fan, () => world.db.write(tx => eraseUser(tx, callerOf(fan))))
    expect(await admits(client)).toBe(401)
  })

  test('is refused once a spent refresh token of its device came again', async () => {
    const { client, refreshToken } = await device(await world.fan())
    await world.anonymous.post('/api/auth/native-token/refresh', { refreshToken })
    world.clock.advance(11_000)
    await expectEnded(client, () => world.anonymous.post('/api/auth/native-token/refresh', { refreshToken }))
  })

  test('is refused once its device was signed out, by itself, from another, or everywhere', async () => {
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

  test('is judged anew when a standing changes, and not for what others do', async () => {
    const { db, deps } = world
    const tag = tokenValidityTag({ provider: 'mock-idp', subject: 'judged' })
    let judged = 0
    const judge = () =>
      deps.tokenValidityCache.getConsistent('a token', async () => ({ value: ++judged, tags: [tag] }))
    const first = await judge()
    await db.write(async tx => {
      for (let fan = 0; fan < 200_000; fan++) tx.invalidate(fanTag(`${fan}`))
    })
    // PostgreSQL does not tell of other processes' commits: there nothing is remembered.
    const remembered = db.foreignCommits() !== null
    expect(await judge()).toBe(remembered ? first : first + 1)
    await db.write(async tx => tx.invalidate(tag))
    expect(await judge()).toBe(judged)
    expect(judged).toBe(remembered ? 2 : 3)
  })

  test('is refused once newer devices have taken its place', async () => {
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
