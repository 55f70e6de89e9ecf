import { describe, expect, test } from 'bun:test'
import {
  createWorld,
  exchange,
  obtainCode,
  obtainTokens,
  refresh,
  type TokenResponse,
  type World,
} from './world.ts'

async function oauthError(response: Response) {
  const body = (await response.json()) as { error: string; error_description: string }
  return { status: response.status, error: body.error }
}
const invalidGrant = { status: 400, error: 'invalid_grant' }

describe('a code', () => {
  test('with the wrong verifier is rejected, and then also with the right one', async () => {
    const world = createWorld()
    const code = await obtainCode(world)
    expect(await oauthError(await exchange(world, code, { code_verifier: 'wrong'.repeat(10) }))).toEqual(
      invalidGrant,
    )
    expect(await oauthError(await exchange(world, code))).toEqual(invalidGrant)
  })

  test('used a second time is rejected and revokes the tokens of the first use', async () => {
    const world = createWorld()
    const code = await obtainCode(world)
    const tokens = (await (await exchange(world, code)).json()) as TokenResponse
    expect((await world.userinfo(tokens.access_token)).status).toBe(200)
    expect(await oauthError(await exchange(world, code))).toEqual(invalidGrant)
    expect((await world.userinfo(tokens.access_token)).status).toBe(401)
    expect(await oauthError(await refresh(world, tokens.refresh_token))).toEqual(invalidGrant)
  })

  test('expires after a minute', async () => {
    const world = createWorld()
    const [early, late] = [await obtainCode(world), await obtainCode(world)]
    await world.idp.advance(59_999)
    expect((await exchange(world, early)).status).toBe(200)
    await world.idp.advance(1)
    expect(await oauthError(await exchange(world, late))).toEqual(invalidGrant)
  })

  test('is valid only for its client and its redirect URI', async () => {
    const world = createWorld()
    const other = { client_id: 'matchday-swagger' }
    expect(await oauthError(await exchange(world, await obtainCode(world), other))).toEqual(invalidGrant)
    const elsewhere = { redirect_uri: 'http://localhost:3000/other' }
    expect(await oauthError(await exchange(world, await obtainCode(world), elsewhere))).toEqual(invalidGrant)
  })

  test('of a deleted fan is rejected', async () => {
    const world = createWorld()
    const code = await obtainCode(world)
    await world.send('DELETE', '/_mock/users/fan-0001')
    expect(await oauthError(await exchange(world, code))).toEqual(invalidGrant)
  })
})

describe('a refresh token', () => {
  test('is rotated at each use, and the nonce is not repeated', async () => {
    const world = createWorld()
    const first = await obtainTokens(world)
    const second = (await (await refresh(world, first.refresh_token)).json()) as TokenResponse
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect((await world.userinfo(second.access_token)).status).toBe(200)
    expect(atob(second.id_token.split('.')[1] ?? '')).not.toContain('nonce')
  })

  test('revokes the whole grant when it is used again', async () => {
    const world = createWorld()
    const first = await obtainTokens(world)
    const second = (await (await refresh(world, first.refresh_token)).json()) as TokenResponse
    expect(await oauthError(await refresh(world, first.refresh_token))).toEqual(invalidGrant)
    expect(await oauthError(await refresh(world, second.refresh_token))).toEqual(invalidGrant)
    for (const { access_token } of [first, second])
      expect((await world.userinfo(access_token)).status).toBe(401)
  })

  test('may narrow the scope but not widen it, and a rejected request does not use it up', async () => {
    const world = createWorld()
    const { refresh_token } = await obtainTokens(world, { scope: 'openid email' })
    const more = await refresh(world, refresh_token, { scope: 'openid profile' })
    expect(await oauthError(more)).toEqual({ status: 400, error: 'invalid_scope' })
    const less = (await (await refresh(world, refresh_token, { scope: 'openid' })).json()) as TokenResponse
    expect(less.scope).toBe('openid')
  })

  test('is unknown to another client and after thirty days', async () => {
    const world = createWorld()
    const { refresh_token } = await obtainTokens(world)
    expect(await oauthError(await refresh(world, refresh_token, { client_id: 'matchday-swagger' }))).toEqual(
      invalidGrant,
    )
    await world.idp.advance(30 * 86_400_000)
    expect(await oauthError(await refresh(world, refresh_token))).toEqual(invalidGrant)
  })
})

describe('revocation', () => {
  const revoke = (world: World, token: string) => world.post('/revoke', { client_id: 'matchday-app', token })

  test('of an access token revokes only that token', async () => {
    const world = createWorld()
    const tokens = await obtainTokens(world)
    expect((await revoke(world, tokens.access_token)).status).toBe(200)
    expect((await world.userinfo(tokens.access_token)).status).toBe(401)
    expect((await refresh(world, tokens.refresh_token)).status).toBe(200)
  })

  test('of a refresh token revokes the grant', async () => {
    const world = createWorld()
    const tokens = await obtainTokens(world)
    await revoke(world, tokens.refresh_token)
    expect((await world.userinfo(tokens.access_token)).status).toBe(401)
    expect(await oauthError(await refresh(world, tokens.refresh_token))).toEqual(invalidGrant)
  })

  test('of an unknown token is no error, and of another client’s token has no effect', async () => {
    const world = createWorld()
    const tokens = await obtainTokens(world)
    expect((await revoke(world, 'unknown')).status).toBe(200)
    await world.post('/revoke', { client_id: 'matchday-swagger', token: tokens.refresh_token })
    await world.post('/revoke', { client_id: 'matchday-swagger', token: tokens.access_token })
    expect((await world.userinfo(tokens.access_token)).status).toBe(200)
  })
})

describe('the token endpoint', () => {
  test('accepts only forms', async () => {
    const world = createWorld()
    const response = await world.send('POST', '/token', {
      grant_type: 'refresh_token',
      client_id: 'matchday-app',
    })
    expect(await oauthError(response)).toEqual({ status: 400, error: 'invalid_request' })
  })

  test('responds to invalid requests with the error codes of RFC 6749', async () => {
    const world = createWorld()
    const cases: [Record<string, string>, number, string][] = [
      [{ grant_type: 'password', client_id: 'matchday-app' }, 400, 'unsupported_grant_type'],
      [{ grant_type: 'authorization_code', client_id: 'matchday-app' }, 400, 'invalid_request'],
      [{ client_id: 'matchday-app' }, 400, 'invalid_request'],
      [{ grant_type: 'refresh_token' }, 400, 'invalid_request'],
      [{ grant_type: 'refresh_token', client_id: 'evil' }, 401, 'invalid_client'],
      [
        { grant_type: 'refresh_token', client_id: 'matchday-app', client_secret: 'guess' },
        401,
        'invalid_client',
      ],
    ]
    for (const [form, status, error] of cases) {
      const response = await world.post('/token', form)
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(await oauthError(response)).toEqual({ status, error })
    }
  })

  test('rejects a repeated parameter', async () => {
    const { idp } = createWorld()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = 'client_id=matchday-app&client_id=matchday-swagger'
    const response = await idp.fetch('http://localhost:4000/token', { method: 'POST', headers, body })
    expect(await oauthError(response)).toEqual({ status: 400, error: 'invalid_request' })
  })
})
