import { describe, expect, test } from 'bun:test'
import {
  createWorld,
  exchange,
  obtainCode,
  obtainTokens,
  refresh,
  type TokenAnswer,
  type World,
} from './world.ts'

async function refusal(response: Response) {
  const body = (await response.json()) as { error: string; error_description: string }
  return { status: response.status, error: body.error }
}
const invalidGrant = { status: 400, error: 'invalid_grant' }

describe('a code', () => {
  test('with the wrong verifier gives nothing, and is spoilt for the right one', async () => {
    const world = createWorld()
    const code = await obtainCode(world)
    expect(await refusal(await exchange(world, code, { code_verifier: 'wrong'.repeat(10) }))).toEqual(
      invalidGrant,
    )
    expect(await refusal(await exchange(world, code))).toEqual(invalidGrant)
  })

  test('used a second time gives nothing and revokes what the first use gave', async () => {
    const world = createWorld()
    const code = await obtainCode(world)
    const tokens = (await (await exchange(world, code)).json()) as TokenAnswer
    expect((await world.userinfo(tokens.access_token)).status).toBe(200)
    expect(await refusal(await exchange(world, code))).toEqual(invalidGrant)
    expect((await world.userinfo(tokens.access_token)).status).toBe(401)
    expect(await refusal(await refresh(world, tokens.refresh_token))).toEqual(invalidGrant)
  })

  test('lives for a minute', async () => {
    const world = createWorld()
    const [early, late] = [await obtainCode(world), await obtainCode(world)]
    await world.idp.advance(59_999)
    expect((await exchange(world, early)).status).toBe(200)
    await world.idp.advance(1)
    expect(await refusal(await exchange(world, late))).toEqual(invalidGrant)
  })

  test('is good for its client and its redirect URI alone', async () => {
    const world = createWorld()
    const other = { client_id: 'matchday-swagger' }
    expect(await refusal(await exchange(world, await obtainCode(world), other))).toEqual(invalidGrant)
    const elsewhere = { redirect_uri: 'http://localhost:3000/other' }
    expect(await refusal(await exchange(world, await obtainCode(world), elsewhere))).toEqual(invalidGrant)
  })

  test('of a fan deleted meanwhile gives nothing', async () => {
    const world = createWorld()
    const code = await obtainCode(world)
    await world.send('DELETE', '/_mock/users/fan-0001')
    expect(await refusal(await exchange(world, code))).toEqual(invalidGrant)
  })
})

describe('a refresh token', () => {
  test('is rotated at each use, and the nonce is not repeated', async () => {
    const world = createWorld()
    const first = await obtainTokens(world)
    const second = (await (await refresh(world, first.refresh_token)).json()) as TokenAnswer
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect((await world.userinfo(second.access_token)).status).toBe(200)
    expect(atob(second.id_token.split('.')[1] ?? '')).not.toContain('nonce')
  })

  test('that comes back after it was spent takes the whole grant with it', async () => {
    const world = createWorld()
    const first = await obtainTokens(world)
    const second = (await (await refresh(world, first.refresh_token)).json()) as TokenAnswer
    expect(await refusal(await refresh(world, first.refresh_token))).toEqual(invalidGrant)
    expect(await refusal(await refresh(world, second.refresh_token))).toEqual(invalidGrant)
    for (const { access_token } of [first, second])
      expect((await world.userinfo(access_token)).status).toBe(401)
  })

  test('may ask for less than was granted but not for more, and a refused wish does not spend it', async () => {
    const world = createWorld()
    const { refresh_token } = await obtainTokens(world, { scope: 'openid email' })
    const more = await refresh(world, refresh_token, { scope: 'openid profile' })
    expect(await refusal(more)).toEqual({ status: 400, error: 'invalid_scope' })
    const less = (await (await refresh(world, refresh_token, { scope: 'openid' })).json()) as TokenAnswer
    expect(less.scope).toBe('openid')
  })

  test('is unknown to another client and after thirty days', async () => {
    const world = createWorld()
    const { refresh_token } = await obtainTokens(world)
    expect(await refusal(await refresh(world, refresh_token, { client_id: 'matchday-swagger' }))).toEqual(
      invalidGrant,
    )
    await world.idp.advance(30 * 86_400_000)
    expect(await refusal(await refresh(world, refresh_token))).toEqual(invalidGrant)
  })
})

describe('revocation', () => {
  const revoke = (world: World, token: string) => world.post('/revoke', { client_id: 'matchday-app', token })

  test('of an access token ends that token alone', async () => {
    const world = createWorld()
    const tokens = await obtainTokens(world)
    expect((await revoke(world, tokens.access_token)).status).toBe(200)
    expect((await world.userinfo(tokens.access_token)).status).toBe(401)
    expect((await refresh(world, tokens.refresh_token)).status).toBe(200)
  })

  test('of a refresh token ends the grant', async () => {
    const world = createWorld()
    const tokens = await obtainTokens(world)
    await revoke(world, tokens.refresh_token)
    expect((await world.userinfo(tokens.access_token)).status).toBe(401)
    expect(await refusal(await refresh(world, tokens.refresh_token))).toEqual(invalidGrant)
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
  test('takes forms alone', async () => {
    const world = createWorld()
    const response = await world.send('POST', '/token', {
      grant_type: 'refresh_token',
      client_id: 'matchday-app',
    })
    expect(await refusal(response)).toEqual({ status: 400, error: 'invalid_request' })
  })

  test('answers mistakes with the codes of RFC 6749', async () => {
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
      expect(await refusal(response)).toEqual({ status, error })
    }
  })

  test('refuses a parameter that comes twice', async () => {
    const { idp } = createWorld()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = 'client_id=matchday-app&client_id=matchday-swagger'
    const response = await idp.fetch('http://localhost:4000/token', { method: 'POST', headers, body })
    expect(await refusal(response)).toEqual({ status: 400, error: 'invalid_request' })
  })
})
