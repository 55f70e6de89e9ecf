import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import { NOBODY } from '../../../src/core/caller.ts'
import { sweepExpired } from '../../../src/identity/auth/sweep-expired.ts'
import { logOut } from '../../../src/identity/auth/token-validity.ts'
import { onEachEngine } from '../../support/world.ts'

const SECOND = 1000
const DAY = 86_400_000

onEachEngine('POST /api/auth/logout', world => {
  const statusWith = async (token: string) => (await world.withToken(token).get('/api/rewards')).status
  const native = async (token: string) =>
    (await world.withToken(token).post('/api/auth/native-token', {})).body

  /** The same token with another encoding of its signature: base64url has unused bits in the last character. */
  function malleate(token: string): string[] {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const at = alphabet.indexOf(token.at(-1) ?? '')
    return [1, 2, 3].map(bits => token.slice(0, -1) + alphabet[at ^ bits]).concat(`${token}=`, `${token}==`)
  }

  /** The same ES256 token with the second valid signature: (r, n - s) instead of (r, s). */
  function withOtherSignature(token: string): string {
    const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
    const at = token.lastIndexOf('.') + 1
    const [r, s] = [0, 32].map(start =>
      Buffer.from(token.slice(at), 'base64url')
        .subarray(start, start + 32)
        .toString('hex'),
    )
    const other = (n - BigInt(`0x${s}`)).toString(16).padStart(64, '0')
    return token.slice(0, at) + Buffer.from(`${r}${other}`, 'hex').toString('base64url')
  }

  test('revokes the session token, and no other token of the fan', async () => {
    const fan = await world.fan()
    const other = await world.idp.issueToken(fan.subject)
    expect((await fan.post('/api/auth/logout')).status).toBe(204)
    const { status, headers, body } = await fan.get('/api/rewards')
    expect([status, body.code]).toEqual([401, 'invalid_token'])
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
    expect(await statusWith(other)).toBe(200)
  })

  test('a revoked token is refused also with another encoding of its signature', async () => {
    for (const claims of [{}, { jti: undefined }]) {
      const { subject } = await world.fan()
      const token = await world.idp.issueToken(subject, { claims })
      expect(await statusWith(token)).toBe(200)
      expect((await world.withToken(token).post('/api/auth/logout')).status).toBe(204)
      for (const spelled of [token, ...malleate(token)]) expect(await statusWith(spelled)).toBe(401)
    }
  })

  test('a revoked token is refused also with its second valid signature', async () => {
    for (const claims of [{}, { jti: undefined }]) {
      const { subject } = await world.fan()
      const token = await world.idp.issueToken(subject, { claims })
      const other = withOtherSignature(token)
      expect(other).not.toBe(token)
      expect([await statusWith(token), await statusWith(other)]).toEqual([200, 200])
      expect((await world.withToken(other).post('/api/auth/logout')).status).toBe(204)
      expect([await statusWith(token), await statusWith(other)]).toEqual([401, 401])
    }
  })

  test('a token of another fan with the same jti stays valid', async () => {
    const [fan, other] = [await world.fan(), await world.fan()]
    const [mine, theirs] = await Promise.all(
      [fan, other].map(({ subject }) => world.idp.issueToken(subject, { claims: { jti: 'the same' } })),
    )
    if (!mine || !theirs) throw new Error('two tokens are issued')
    expect((await world.withToken(mine).post('/api/auth/logout')).status).toBe(204)
    expect([await statusWith(mine), await statusWith(theirs)]).toEqual([401, 200])
    expect((await world.withToken(theirs).post('/api/auth/logout')).status).toBe(204)
    expect(await statusWith(theirs)).toBe(401)
  })

  test('only the token that is logged out is refused if two tokens have no jti', async () => {
    const { subject } = await world.fan()
    const issue = (claims: object) => world.idp.issueToken(subject, { claims: { jti: undefined, ...claims } })
    const [first, second] = [await issue({ sid: 'a' }), await issue({ sid: 'b' })]
    expect((await world.withToken(first).post('/api/auth/logout')).status).toBe(204)
    expect([await statusWith(first), await statusWith(second)]).toEqual([401, 200])
  })

  test('a revocation stored without the subject, as earlier releases did, holds until the token expires', async () => {
    const provider = world.config.identity.name
    for (const claims of [{}, { jti: undefined }]) {
      const { subject } = await world.fan()
      const token = await world.idp.issueToken(subject, { claims })
      const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
      const { jti, exp = 0 } = decodeJwt(token)
      const tokenId = jti ? `jti ${jti}` : `signed ${sha256(token.slice(0, token.lastIndexOf('.')))}`
      const id = sha256(JSON.stringify([provider, tokenId]))
      await world.db.write(tx =>
        tx.insert(tx.tables.revokedTokens).values({ id, expiresAt: new Date(exp * SECOND) }),
      )
      expect(await statusWith(token)).toBe(401)
    }
  })

  test('a revocation lasts longer than the 30 s of clock tolerance after exp, sweeps included', async () => {
    const { subject } = await world.fan()
    const token = await world.idp.issueToken(subject, { expiresIn: 60 })
    const kept = await world.idp.issueToken(subject, { expiresIn: 60 })
    await world.withToken(token).post('/api/auth/logout')
    for (const ms of [60 * SECOND, 29_999]) {
      world.clock.advance(ms)
      await sweepExpired(world.db)
      // The other token of the same age shows that the token is not refused because of its age.
      expect([await statusWith(token), await statusWith(kept)]).toEqual([401, 200])
    }
  })

  test('a token with fractions of a second in its dates can be exchanged, used to sync, and logged out', async () => {
    const now = world.clock.ms / 1000
    const claims = { iat: now - 2.987654321, nbf: now - 1.5, exp: now + 3600.123456789 }
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

  test('everywhere ends all sessions of the fan, of both kinds, and of no other fan', async () => {
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

  test('everywhere revokes tokens of a provider whose clock is 20 s ahead, requested with either kind of token', async () => {
    for (const by of ['session', 'native'] as const) {
      const { subject } = await world.fan()
      const iat = Math.floor(world.clock.ms / SECOND) + 20
      const issue = (ahead = 0) => world.idp.issueToken(subject, { claims: { iat: iat + ahead } })
      const [session, second] = [await issue(), await issue()]
      const [phone, tablet] = [await native(session), await native(second)]
      const asking = world.withToken(by === 'session' ? session : phone.token)
      expect((await asking.post('/api/auth/logout', { everywhere: true })).status).toBe(204)
      for (const token of [session, second, phone.token, tablet.token])
        expect([by, await statusWith(token)]).toEqual([by, 401])
      // A token of the next second of the provider's clock is valid.
      expect([by, await statusWith(await issue(1))]).toEqual([by, 200])
    }
  })

  test('a later logout everywhere does not undo one whose token was issued in the future', async () => {
    const { subject } = await world.fan()
    const caller = {
      provider: world.config.identity.name,
      subject,
      userId: NOBODY,
      locale: null,
      hasBlocks: false,
    }
    const logOutWith = (issuedAt: Date) => {
      const expiresAt = new Date(issuedAt.getTime() + 60 * SECOND)
      const credential = {
        kind: 'session' as const,
        token: '',
        tokenId: '',
        issuedAt,
        expiresAt,
        authenticatedAt: issuedAt,
      }
      return world.db.write(tx => logOut(tx, { ...caller, credential }, true))
    }
    const token = await world.idp.issueToken(subject, {
      claims: { iat: Math.floor(world.clock.ms / SECOND) + 20 },
    })
    await logOutWith(new Date(world.clock.ms + 20 * SECOND))
    expect(await statusWith(token)).toBe(401)
    // As a request that was authenticated before.
    world.clock.advance(SECOND)
    await logOutWith(new Date(world.clock.ms - 60 * SECOND))
    expect(await statusWith(token)).toBe(401)
  })

  test('refuses unknown members', async () => {
    const fan = await world.fan()
    expect((await fan.post('/api/auth/logout', { all: true })).status).toBe(422)
    expect(await statusWith(fan.token)).toBe(200)
  })

  test('the sweep deletes expired rows and no others', async () => {
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
