/** A real OpenID Connect server with the application, by configuration only and over real connections. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { pino } from 'pino'
import { createApp } from '../../../src/app/app.ts'
import { createDeps } from '../../../src/app/deps.ts'
import { createGuardedFetch } from '../../../src/core/ssrf-guard.ts'
import { type Environment, parseConfig } from '../../../src/platform/config/config.ts'
import { makeDevelopmentSecrets } from '../../../src/platform/config/development-secrets.ts'
import { KEYS_FRESH_MS } from '../../../src/platform/identity-provider/key-set.ts'
import { type Client, createClient } from '../../support/client.ts'
import { createClock, KICK_OFF } from '../../support/clock.ts'
import { conformanceOf } from '../../support/conformance.ts'
import { sqliteEngine, type TemporaryDatabase } from '../../support/engines.ts'
import { AUDIENCE, claimsOf, type RealProvider, startRealProvider } from './oidc-provider.ts'

// The provider goes by the machine's clock. Ours is a little ahead of it, so that no token is of the future.
const clock = createClock()
clock.set(Date.now() + 600_000 - KICK_OFF)

let provider: RealProvider
let temporary: TemporaryDatabase
beforeAll(async () => {
  provider = await startRealProvider()
  temporary = await sqliteEngine.open(clock)
})
afterAll(async () => {
  await temporary.remove()
  await provider.stop()
})

/** The application with these variables. Returns clients for tokens. */
async function start(env: Environment): Promise<(token: string) => Client> {
  const config = parseConfig({
    ...(await makeDevelopmentSecrets()),
    IDP_ISSUER: provider.issuer,
    IDP_AUDIENCE: AUDIENCE,
    IDP_NAME: 'oidc-provider',
    ...env,
  })
  const deps = await createDeps({
    config,
    db: temporary.db,
    log: pino({ level: 'silent' }),
    sources: clock,
    fetch: createGuardedFetch({ publicOnly: config.identity.publicOnly }),
    // A loopback connection: fast enough on any machine.
    resilience: { deadlineMs: 30_000 },
  })
  const app = createApp(deps)
  const judge = await conformanceOf(deps, app)
  return token => createClient(request => app.handle(request), judge, token)
}

describe('oidc-provider, by configuration alone', () => {
  test('a fan signs in by authorization code with PKCE, and the API accepts the access token', async () => {
    const as = await start({ IDP_USER_DATA: 'token' })
    const { tokens } = await provider.signIn('ada')
    expect((await as(tokens.access_token).get('/api/rewards')).status).toBe(200)
    const idToken = await as(tokens.id_token).get('/api/rewards')
    expect([idToken.status, idToken.body.code]).toEqual([401, 'invalid_token'])
    const stolen = await provider.signIn('ada', 'v'.repeat(43))
    expect([stolen.status, stolen.tokens]).toMatchObject([400, { error: 'invalid_grant' }])
  })

  test('a sync mirrors the claims of the token', async () => {
    const as = await start({ IDP_USER_DATA: 'token' })
    const { tokens } = await provider.signIn('bea')
    const { status, body } = await as(tokens.access_token).post('/api/user/sync-oidc-provider')
    const { name, email, email_verified: emailVerified } = claimsOf('bea')
    expect([status, body.identity]).toMatchObject([
      200,
      { provider: 'oidc-provider', subject: 'bea', name, email, emailVerified },
    ])
  })

  test('its userinfo refuses the audience-bound token: 502 names the setting, and the fan stays signed in', async () => {
    const as = await start({})
    const fan = as((await provider.signIn('cleo')).tokens.access_token)
    const { status, body } = await fan.post('/api/user/sync-oidc-provider')
    expect([status, body.code]).toEqual([502, 'identity_provider_refused'])
    expect(body.detail).toContain('IDP_USER_DATA=token')
    expect((await fan.post('/api/user/onboarding', {})).body.state).toBe('completed')
  })

  test('a key rotation is followed without a restart, and a retired key is refused in time', async () => {
    const as = await start({ IDP_USER_DATA: 'token' })
    const statusOf = async (token: string) => (await as(token).get('/api/rewards')).status
    const before = (await provider.signIn('dan')).tokens.access_token
    expect(await statusOf(before)).toBe(200)

    await provider.rotateKeys('kept')
    const after = (await provider.signIn('dan')).tokens.access_token
    expect([await statusOf(after), await statusOf(before)]).toEqual([200, 200])

    await provider.rotateKeys('retired')
    const last = (await provider.signIn('dan')).tokens.access_token
    clock.advance(KEYS_FRESH_MS)
    expect([await statusOf(last), await statusOf(after), await statusOf(before)]).toEqual([200, 401, 401])
  })
})
