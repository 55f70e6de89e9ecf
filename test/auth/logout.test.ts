import { expect, test } from 'bun:test'
import { sweepExpired } from '../../src/auth/sweep.ts'
import { onEachEngine } from '../support/world.ts'

const SECOND = 1000
const DAY = 86_400_000

onEachEngine('POST /api/auth/logout', world => {
  const statusWith = async (token: string) => (await world.withToken(token).get('/api/rewards')).status
  const native = async (token: string) =>
    (await world.withToken(token).post('/api/auth/native-token', {})).body

  /** The same token with its signature spelled otherwise: base64url leaves spare bits in its last character. */
  function malleate(token: string): string[] {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const at = alphabet.indexOf(token.at(-1) ?? '')
    return [1, 2, 3].map(bits => token.slice(0, -1) + alphabet[at ^ bits]).concat(`${token}=`, `${token}==`)
  }

  test('a session token is refused from then on, and the fan’s others are not', async () => {
    const fan = await world.fan()
    const other = await world.idp.issueToken(fan.subject)
    expect((await fan.post('/api/auth/logout')).status).toBe(204)
    const { status, headers, body } = await fan.get('/api/rewards')
    expect([status, body.code]).toEqual([401, 'invalid_token'])
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
    expect(await statusWith(other)).toBe(200)
  })

  test('a token logged out does not come back with its signature spelled otherwise', async () => {
    for (const claims of [{}, { jti: undefined }]) {
      const { subject } = await world.fan()
      const token = await world.idp.issueToken(subject, { claims })
      expect(await statusWith(token)).toBe(200)
      expect((await world.withToken(token).post('/api/auth/logout')).status).toBe(204)
      for (const spelled of [token, ...malleate(token)]) expect(await statusWith(spelled)).toBe(401)
    }
  })

  test('dates with fractions of a second are taken: exchanged, synced, logged out, refused', async () => {
    const now = world.clock.ms / 1000
    const claims = { iat: now - 0.987654321, nbf: now - 0.5, exp: now + 3600.123456789 }
    for (const everywhere of [false, true]) {
      const { subject } = await world.fan()
      const token = await world.idp.issueToken(subject, { claims })
      const fan = world.withToken(token)
      const phone = await native(token)
      expect((await fan.post('/api/user/sync-mock-idp')).status).toBe(200)
      expect((await fan.post('/api/auth/logout', { everywhere })).status).toBe(204)
      expect([await statusWith(token), await statusWith(phone.token)]).toEqual([401, everywhere ? 401 : 200])
    }
  })

  test('a native token ends its own session only', async () => {
    const fan = await world.fan()
    const [phone, tablet] = [await native(fan.token), await native(fan.token)]
    expect((await world.withToken(phone.token).post('/api/auth/logout', {})).status).toBe(204)
    expect(await statusWith(phone.token)).toBe(401)
    expect(await statusWith(tablet.token)).toBe(200)
    expect(await statusWith(fan.token)).toBe(200)
    const { refreshToken } = phone
    expect((await world.anonymous.post('/api/auth/native-token/refresh', { refreshToken })).status).toBe(401)
  })

  test('everywhere ends every session of the fan, of either kind, and nobody else’s', async () => {
    const [fan, other] = [await world.fan(), await world.fan()]
    const [phone, tablet] = [await native(fan.token), await native(fan.token)]
    const second = await world.idp.issueToken(fan.subject)
    expect((await world.withToken(phone.token).post('/api/auth/logout', { everywhere: true })).status).toBe(
      204,
    )
    for (const token of [fan.token, second, phone.token, tablet.token])
      expect(await statusWith(token)).toBe(401)
    expect(await statusWith(other.token)).toBe(200)
    world.clock.advance(2 * SECOND)
    expect(await statusWith(await world.idp.issueToken(fan.subject))).toBe(200)
  })

  test('refuses members it does not know', async () => {
    const fan = await world.fan()
    expect((await fan.post('/api/auth/logout', { all: true })).status).toBe(422)
    expect(await statusWith(fan.token)).toBe(200)
  })

  test('the sweep takes away what has expired and nothing that still counts', async () => {
    const fan = await world.fan()
    const lasting = await world.idp.issueToken(fan.subject, { expiresIn: 40 * 86_400 })
    await world.withToken(lasting).post('/api/auth/logout')
    const phone = await native(fan.token)
    await fan.post('/api/auth/logout')
    world.clock.advance(32 * DAY)
    expect(await sweepExpired(world.db)).toBeGreaterThan(0)
    const { refreshTokens, revokedTokens, nativeSessions } = world.db.tables
    expect(await world.db.read.select().from(refreshTokens)).toEqual([])
    expect(await world.db.read.select().from(revokedTokens)).toHaveLength(1)
    expect((await world.db.read.select().from(nativeSessions)).some(({ id }) => id === phone.sessionId)).toBe(
      true,
    )
    expect(await statusWith(lasting)).toBe(401)
    world.clock.advance(200 * DAY)
    await sweepExpired(world.db)
    expect(await world.db.read.select().from(nativeSessions)).toEqual([])
    expect(await sweepExpired(world.db)).toBe(0)
  })
})
