import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { NOBODY } from '../../../src/core/caller.ts'
import { startSession } from '../../../src/identity/auth/native-sessions.ts'
import { sweepExpired } from '../../../src/identity/auth/sweep-expired.ts'
import {
  logOut,
  requireValidNativeToken,
  requireValidSessionToken,
} from '../../../src/identity/auth/token-validity.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine } from '../../support/world.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

onEachEngine('Native tokens', world => {
  const signIn = async (fan: Client, deviceName?: string) => {
    const { status, body } = await fan.post('/api/auth/native-token', deviceName ? { deviceName } : {})
    expect(status).toBe(200)
    return body as { token: string; refreshToken: string; sessionId: string; [member: string]: unknown }
  }
  const refresh = (refreshToken: string) =>
    world.anonymous.post('/api/auth/native-token/refresh', { refreshToken })
  const statusWith = async (token: string) => (await world.withToken(token).get('/api/rewards')).status

  test('a session is exchanged for a native token with all documented claims', async () => {
    const fan = await world.fan()
    const { headers, body } = await fan.post('/api/auth/native-token', { deviceName: 'Phone' })
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toMatchObject({
      tokenType: 'Bearer',
      expiresIn: 900,
      expiresAt: new Date(world.clock.ms + 15 * MINUTE).toISOString(),
      refreshExpiresAt: new Date(world.clock.ms + 30 * DAY).toISOString(),
    })
    expect(decodeProtectedHeader(body.token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' })
    const claims = decodeJwt(body.token)
    expect(claims).toMatchObject({ sub: fan.subject, sid: body.sessionId })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(900)
    expect(claims.jti).toBeString()
  })

  test.each([
    ['its client_id', { client_id: 'fan-app', azp: 'another' }, 'fan-app'],
    [
      'its azp, if it has no client_id',
      { client_id: undefined, azp: 'https://app.example' },
      'https://app.example',
    ],
    ['the audience, where it names no client', { client_id: undefined }, 'matchday-api'],
    ['the audience, where its client is no text', { client_id: 7, azp: '' }, 'matchday-api'],
    [
      'the audience, if its client is not a valid client id',
      { client_id: 'a\nb', azp: 'x'.repeat(256) },
      'matchday-api',
    ],
  ])(
    'a native token carries the client of the session token, refreshes included: %s',
    async (_, claims, expected) => {
      const { subject } = await world.fan()
      const clientOf = ({ token }: { token: string }) => decodeJwt(token).client_id
      let grant = await signIn(world.withToken(await world.idp.issueToken(subject, { claims })))
      expect(clientOf(grant)).toBe(expected)
      for (let refreshes = 0; refreshes < 2; refreshes++) {
        grant = (await refresh(grant.refreshToken)).body
        expect(clientOf(grant)).toBe(expected)
      }
    },
  )

  test('a refresh token with a changed client is refused, and one of an earlier release has no client', async () => {
    const fan = await world.fan()
    const { refreshToken } = await signIn(fan)
    const forged = refreshToken.slice(0, 48) + Buffer.from('another-app').toString('base64url')
    for (const text of [forged, refreshToken.slice(0, 48)])
      expect((await refresh(text)).body.code).toBe('invalid_refresh_token')
    const at = new Date(world.clock.ms)
    const caller = { provider: 'mock-idp', subject: fan.subject }
    const origin = { issuedAt: at, encryptedToken: '', tokenExpiresAt: at, clientId: null }
    const earlier = await world.db.write(tx => startSession(tx, caller, null, origin, DAY))
    expect(earlier.refreshToken).toHaveLength(48)
    const { body } = await refresh(earlier.refreshToken)
    expect(decodeJwt(body.token).client_id).toBe('matchday-api')
  })

  test('verifies with the keys at /.well-known/jwks.json, which contain nothing private', async () => {
    const { token } = await signIn(await world.fan())
    const { body } = await world.anonymous.get('/.well-known/jwks.json')
    expect(JSON.stringify(body)).not.toContain('"d"')
    const { payload } = await jwtVerify(token, createLocalJWKSet(body), {
      currentDate: new Date(world.clock.ms),
    })
    expect(payload.iss).toBe('urn:matchday')
  })

  test('has the same subject as the session token', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/profile', { displayName: 'Same' })
    const native = world.withToken((await signIn(fan)).token)
    expect((await native.get('/api/user/profile')).body.displayName).toBe('Same')
  })

  test('does not create a user record', async () => {
    const fan = await world.fan()
    const { users, revokedTokens } = world.db.tables
    const revoked = await world.db.read.select().from(revokedTokens)
    await signIn(fan)
    const { status, body } = await fan.get('/api/user/profile')
    expect([status, body.code]).toEqual([404, 'profile_not_found'])
    expect(await world.db.read.select().from(users).where(eq(users.subject, fan.subject))).toEqual([])
    expect(await world.db.read.select().from(revokedTokens)).toEqual(revoked)
    expect((await fan.post('/api/user/profile', {})).status).toBe(201)
  })

  test('expires after 15 minutes', async () => {
    const { token } = await signIn(await world.fan())
    world.clock.advance(15 * MINUTE - SECOND)
    expect(await statusWith(token)).toBe(200)
    world.clock.advance(10 * SECOND)
    expect(await statusWith(token)).toBe(401)
  })

  test('cannot be exchanged for another one, nor used to sync: 403 session_required', async () => {
    const native = world.withToken((await signIn(await world.fan())).token)
    for (const path of ['/api/auth/native-token', '/api/user/sync-mock-idp']) {
      const { status, body } = await native.post(path, {})
      expect([status, body.code]).toEqual([403, 'session_required'])
    }
  })

  test('onboarding with a native token syncs with the session token of the sign-in', async () => {
    const native = world.withToken((await signIn(await world.fan())).token)
    const { body } = await native.post('/api/user/onboarding', {})
    expect([body.state, body.identitySync]).toEqual(['completed', 'synced'])
    expect((await native.get('/api/user/profile')).body.identity.email).toBeString()
  })

  test('the session token is stored encrypted until it expires; onboarding after that defers the sync', async () => {
    const fan = await world.fan()
    const first = await signIn(fan)
    const { nativeSessions } = world.db.tables
    const rowOf = async () =>
      (await world.db.read.select().from(nativeSessions)).find(({ id }) => id === first.sessionId)
    expect((await rowOf())?.encryptedToken).not.toContain(fan.token.split('.')[2] ?? 'signature')
    world.clock.advance(61 * MINUTE)
    await sweepExpired(world.db)
    expect((await rowOf())?.encryptedToken).toBeNull()
    const native = world.withToken((await refresh(first.refreshToken)).body.token)
    const { body } = await native.post('/api/user/onboarding', {})
    expect([body.state, body.identitySync]).toEqual(['completed', 'deferred'])
    const again = world.withToken(await world.idp.issueToken(fan.subject))
    expect((await again.post('/api/user/sync-mock-idp')).status).toBe(200)
    expect((await native.get('/api/user/onboarding')).body.identitySync).toBe('synced')
  })

  test('a logout everywhere ends a session that is being created, in any order of commits', async () => {
    const { subject, token } = await world.fan()
    const { tokenId, ...times } = await world.deps.identity.verify(token)
    const [issuedAt, expiresAt] = [new Date(times.issuedAt), new Date(times.expiresAt)]
    const caller = { provider: 'mock-idp', subject }
    world.clock.advance(SECOND)
    const credential = {
      kind: 'session' as const,
      token,
      tokenId,
      issuedAt,
      expiresAt,
      authenticatedAt: issuedAt,
    }
    await world.db.write(tx =>
      logOut(tx, { ...caller, credential, userId: NOBODY, locale: null, hasBlocks: false }, true),
    )
    world.clock.advance(SECOND)
    // As a request that was authenticated before the logout and writes after it.
    const origin = { issuedAt, encryptedToken: '', tokenExpiresAt: expiresAt, clientId: null }
    const late = await world.db.write(tx => startSession(tx, caller, null, origin, DAY))
    await expect(requireValidNativeToken(world.db.read, caller, late.session.id)).rejects.toThrow(
      'invalid_token',
    )
    expect((await refresh(late.refreshToken)).body.code).toBe('invalid_refresh_token')
  })

  test('a logout everywhere ends sessions of a token of the same millisecond, and not of the next', async () => {
    const fan = await world.fan()
    await fan.post('/api/auth/logout', { everywhere: true })
    const caller = { provider: 'mock-idp', subject: fan.subject }
    const start = (afterLogout: number) => {
      const issuedAt = new Date(world.clock.ms + afterLogout)
      const origin = {
        issuedAt,
        encryptedToken: '',
        tokenExpiresAt: new Date(world.clock.ms + DAY),
        clientId: null,
      }
      return world.db.write(tx => startSession(tx, caller, null, origin, DAY))
    }
    const [same, next] = [await start(0), await start(1)]
    await expect(requireValidNativeToken(world.db.read, caller, same.session.id)).rejects.toThrow(
      'invalid_token',
    )
    expect((await refresh(same.refreshToken)).status).toBe(401)
    expect(await requireValidNativeToken(world.db.read, caller, next.session.id)).toMatchObject(caller)
    expect((await refresh(next.refreshToken)).status).toBe(200)
    const credential = { tokenId: 'jti late', issuedAt: new Date(world.clock.ms) }
    await expect(requireValidSessionToken(world.db.read, caller, credential)).rejects.toThrow('invalid_token')
    credential.issuedAt = new Date(world.clock.ms + 1)
    expect(await requireValidSessionToken(world.db.read, caller, credential)).toMatchObject({})
  })

  test('beyond fifty devices the oldest ones are signed out', async () => {
    const fan = await world.fan()
    const oldest = await signIn(fan)
    for (let device = 0; device < 50; device++) {
      world.clock.advance(SECOND)
      await signIn(fan)
    }
    expect((await fan.get('/api/auth/sessions')).body.sessions).toHaveLength(50)
    expect(await statusWith(oldest.token)).toBe(401)
  })

  test('a refresh returns new tokens of the same session, and the previous access token stays valid', async () => {
    const first = await signIn(await world.fan())
    world.clock.advance(MINUTE)
    const { status, headers, body } = await refresh(first.refreshToken)
    expect([status, body.sessionId]).toEqual([200, first.sessionId])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body.refreshToken).not.toBe(first.refreshToken)
    for (const token of [first.token, body.token]) expect(await statusWith(token)).toBe(200)
  })

  test('the previous refresh token is accepted however late, and either response is usable', async () => {
    for (const kept of [0, 1, 2]) {
      const { refreshToken } = await signIn(await world.fan())
      const answers = []
      for (const wait of [0, 30 * SECOND, 20 * DAY]) {
        world.clock.advance(wait)
        const { status, body } = await refresh(refreshToken)
        expect([wait, status]).toEqual([wait, 200])
        answers.push(body)
      }
      world.clock.advance(DAY)
      expect((await refresh(answers[kept].refreshToken)).status).toBe(200)
    }
  })

  test('once its successor has been used, reuse ends the session: all its tokens are refused', async () => {
    const first = await signIn(await world.fan())
    const second = (await refresh(first.refreshToken)).body
    const third = (await refresh(second.refreshToken)).body
    const { status, body, headers } = await refresh(first.refreshToken)
    expect([status, body.code]).toEqual([401, 'invalid_refresh_token'])
    expect(headers.get('www-authenticate')).toStartWith('Bearer')
    for (const { refreshToken } of [second, third]) expect((await refresh(refreshToken)).status).toBe(401)
    for (const { token } of [first, second, third]) expect(await statusWith(token)).toBe(401)
  })

  test.each([
    ['the fan', 0],
    ['the thief', 1],
  ])(
    'the use of the other of two successors of one token ends the session, when %s uses the first',
    async (_, used) => {
      const { refreshToken } = await signIn(await world.fan())
      const both = [(await refresh(refreshToken)).body, (await refresh(refreshToken)).body]
      const next = (await refresh(both[used].refreshToken)).body
      // A lost response is forgiven to the one that was used, and to no other.
      expect((await refresh(both[used].refreshToken)).status).toBe(200)
      expect((await refresh(both[1 - used].refreshToken)).status).toBe(401)
      expect((await refresh(next.refreshToken)).status).toBe(401)
      expect(await statusWith(next.token)).toBe(401)
    },
  )

  test('the token before the previous one is never accepted', async () => {
    const first = await signIn(await world.fan())
    const second = (await refresh(first.refreshToken)).body
    await refresh(second.refreshToken)
    expect((await refresh(first.refreshToken)).status).toBe(401)
    expect(await statusWith(first.token)).toBe(401)
  })

  test('the end of one session does not affect other devices of the fan', async () => {
    const fan = await world.fan()
    const [phone, tablet] = [await signIn(fan, 'Phone'), await signIn(fan, 'Tablet')]
    const second = (await refresh(phone.refreshToken)).body
    await refresh(second.refreshToken)
    await refresh(phone.refreshToken)
    expect([await statusWith(phone.token), await statusWith(tablet.token)]).toEqual([401, 200])
  })

  test('refresh tokens expire after 30 days', async () => {
    const { refreshToken } = await signIn(await world.fan())
    world.clock.advance(30 * DAY)
    expect((await refresh(refreshToken)).status).toBe(401)
  })

  test('no token outlives its session, even if it is refreshed', async () => {
    let { refreshToken, sessionId } = await signIn(await world.fan())
    const ends = world.clock.ms + 180 * DAY
    for (let month = 0; month < 6; month++) {
      world.clock.advance(29 * DAY + 23 * 60 * MINUTE)
      const { body } = await refresh(refreshToken)
      expect(Date.parse(body.refreshExpiresAt)).toBeLessThanOrEqual(ends)
      expect(Date.parse(body.expiresAt)).toBeLessThanOrEqual(ends)
      expect(body.sessionId).toBe(sessionId)
      refreshToken = body.refreshToken
    }
    world.clock.ms = ends
    expect((await refresh(refreshToken)).status).toBe(401)
  })

  test('refuses an unknown refresh token with 401 invalid_refresh_token, and an invalid body with 422', async () => {
    const { token } = await signIn(await world.fan())
    for (const text of ['x', token, `mdrt_${'A'.repeat(43)}`]) {
      expect((await refresh(text)).body.code).toBe('invalid_refresh_token')
    }
    expect((await world.anonymous.post('/api/auth/native-token/refresh', {})).status).toBe(422)
  })

  test('the database contains hashes of refresh tokens, never the tokens', async () => {
    const first = await signIn(await world.fan())
    const second = (await refresh(first.refreshToken)).body
    const rows = JSON.stringify(await world.db.read.select().from(world.db.tables.refreshTokens))
    for (const { refreshToken } of [first, second]) expect(rows).not.toContain(refreshToken.slice(5, 30))
  })

  test('twenty concurrent refreshes with one token all succeed, with one new generation', async () => {
    const { refreshToken, sessionId } = await signIn(await world.fan())
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(refreshToken)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    const { nativeSessions } = world.db.tables
    const rows = await world.db.read.select().from(nativeSessions)
    expect(rows.find(({ id }) => id === sessionId)?.generation).toBe(2)
  })

  test('none of twenty concurrent reuses of a refresh token succeeds, and the session is ended', async () => {
    const first = await signIn(await world.fan())
    const before = (await refresh(first.refreshToken)).body
    const second = (await refresh(before.refreshToken)).body
    const attempts = [...Array(20).fill(first.refreshToken), second.refreshToken]
    const answers = await Promise.all(attempts.map(refresh))
    expect(answers.slice(0, 20).every(({ status }) => status === 401)).toBe(true)
    // The valid refresh may come before or after the reuse: its tokens, if any, are refused too.
    const last = answers[20]
    if (last?.status === 200) expect((await refresh(last.body.refreshToken)).status).toBe(401)
    expect(await statusWith(second.token)).toBe(401)
  })

  test('lists the devices of the caller only, and marks the current one', async () => {
    const [fan, other] = [await world.fan(), await world.fan()]
    await signIn(other, 'Not mine')
    const phone = await signIn(fan, 'Phone')
    world.clock.advance(MINUTE)
    const tablet = await signIn(fan)
    const { sessions } = (await world.withToken(phone.token).get('/api/auth/sessions')).body
    expect(sessions).toMatchObject([
      { id: tablet.sessionId, deviceName: null, current: false },
      { id: phone.sessionId, deviceName: 'Phone', current: true },
    ])
    expect((await fan.get('/api/auth/sessions')).body.sessions).toMatchObject([
      { current: false },
      { current: false },
    ])
  })

  test('lists devices page by page, each once, also those that signed in at the same moment', async () => {
    const [fan, other] = [await world.fan(), await world.fan()]
    for (let n = 0; n < 3; n++) await signIn(fan, `Phone ${n}`)
    world.clock.advance(MINUTE)
    for (let n = 3; n < 5; n++) await signIn(fan, `Phone ${n}`)
    const whole = (await fan.get('/api/auth/sessions')).body
    expect([whole.sessions.length, whole.nextCursor]).toEqual([5, null])
    const listed: unknown[] = []
    let cursor = ''
    for (let pages = 1; pages <= 3; pages++) {
      const page = (await fan.get(`/api/auth/sessions?limit=2${cursor}`)).body
      listed.push(...page.sessions)
      expect(page.nextCursor === null).toBe(pages === 3)
      if (pages === 1)
        expect(await other.get(`/api/auth/sessions?cursor=${page.nextCursor}`)).toMatchObject({
          status: 400,
          body: { code: 'invalid_cursor' },
        })
      cursor = `&cursor=${page.nextCursor}`
    }
    expect(listed).toEqual(whole.sessions)
  })

  test('signs one device out; a device of another fan is 404 session_not_found', async () => {
    const [fan, other] = [await world.fan(), await world.fan()]
    const [phone, tablet] = [await signIn(fan), await signIn(fan)]
    const path = `/api/auth/sessions/${phone.sessionId}`
    expect((await other.send(path, { method: 'DELETE' })).body.code).toBe('session_not_found')
    expect((await fan.send(path, { method: 'DELETE' })).status).toBe(204)
    expect((await fan.send(path, { method: 'DELETE' })).status).toBe(404)
    expect([await statusWith(phone.token), await statusWith(tablet.token)]).toEqual([401, 200])
    expect((await refresh(phone.refreshToken)).status).toBe(401)
  })
})
