/** URLs of the provider: only those of the configuration and discovery, and in production no internal addresses. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { pino } from 'pino'
import { createApp } from '../../../src/app/app.ts'
import { createDeps } from '../../../src/app/deps.ts'
import { createGuardedFetch } from '../../../src/core/ssrf-guard.ts'
import { type Environment, parseConfig } from '../../../src/platform/config/config.ts'
import { makeDevelopmentSecrets } from '../../../src/platform/config/development-secrets.ts'
import type { Fetch } from '../../../src/platform/identity-provider/fetch-json.ts'
import { createClient } from '../../support/client.ts'
import { createClock } from '../../support/clock.ts'
import { sqliteEngine, type TemporaryDatabase } from '../../support/engines.ts'
import { ownSecrets } from './own-secrets.ts'

const clock = createClock()
const production = {
  NODE_ENV: 'production',
  PUSH_CREDENTIALS: '',
  DATABASE_URL: 'postgres://db.example/matchday',
  IDP_AUDIENCE: 'matchday-api',
  IDP_NAME: 'example',
  ...(await ownSecrets()),
}
let temporary: TemporaryDatabase
beforeAll(async () => {
  temporary = await sqliteEngine.open(clock)
})
afterAll(() => temporary.remove())

/** An application on a network with these documents at these URLs; `asked` lists the requests. */
async function start(env: Environment, documents: Record<string, unknown>) {
  const asked: string[] = []
  const network: Fetch = async ({ url, redirect }) => {
    asked.push(`${redirect} ${url}`)
    const found = documents[url]
    return Response.json(found ?? {}, { status: found ? 200 : 404 })
  }
  return { ...(await startOn(env, network)), asked }
}

async function startOn(env: Environment, fetch: Fetch) {
  // Keys that another application has stored would serve while this one reads none.
  await temporary.db.write(tx => tx.delete(tx.tables.providerKeys))
  const log = pino({ level: 'silent' })
  const deps = await createDeps({
    config: parseConfig(env),
    db: temporary.db,
    log,
    sources: { ...clock, now: () => clock.now() },
    fetch,
    resilience: { deadlineMs: 2_000 },
  })
  const app = createApp(deps)
  const as = (token?: string) =>
    createClient(
      request => app.handle(request),
      () => null,
      token,
    )
  return { as, deps }
}

/** A well-formed token; its signature is never checked. */
const TOKEN = [{ alg: 'ES256', kid: 'a', typ: 'at+jwt' }, { iss: 'https://login.example.com' }]
  .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .concat('AAAA')
  .join('.')

async function expectClosed({ as }: Pick<Awaited<ReturnType<typeof start>>, 'as'>, reason: string) {
  const { status, headers, body } = await as(TOKEN).get('/api/rewards')
  expect([status, body.code]).toEqual([503, 'identity_provider_unavailable'])
  expect(headers.has('retry-after')).toBe(true)
  expect(JSON.stringify(body)).not.toContain(reason)
  const ready = await as().get('/readyz')
  expect([ready.status, ready.body.checks.identityProvider]).toEqual([503, reason])
}

describe('in production', () => {
  const issuer = 'https://login.example.com'
  const discovery = `${issuer}/.well-known/openid-configuration`
  const env = { ...production, IDP_ISSUER: issuer }
  const good = { issuer, jwks_uri: `${issuer}/keys`, userinfo_endpoint: `${issuer}/userinfo` }

  test('a discovery document with an internal or plain http URL is refused, and nothing is sent there', async () => {
    for (const member of ['jwks_uri', 'userinfo_endpoint']) {
      for (const target of [
        'https://localhost/keys',
        'https://127.0.0.1:8443/keys',
        'https://10.1.2.3/keys',
        'https://192.168.0.10/keys',
        'https://169.254.169.254/latest/meta-data/',
        'https://[::1]/keys',
        'https://[::ffff:127.0.0.1]/keys',
        'http://login.example.com/keys',
        'file:///etc/passwd',
      ]) {
        const app = await start(env, {
          [discovery]: { ...good, [member]: target },
          [good.jwks_uri]: { keys: [] },
          [target]: { keys: [] },
        })
        await expectClosed(app, `its discovery document has no permitted ${member}`)
        expect(app.asked).toEqual([`manual ${discovery}`])
      }
    }
  })

  test('a host that resolves to a loopback address receives no token, and the sync is 502', async () => {
    let received = 0
    await using inside = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch() {
        received++
        return Response.json({ sub: 'fan' })
      },
    })
    const userinfo = `https://userinfo.example.com:${inside.port}/userinfo`
    const guarded = createGuardedFetch({
      publicOnly: true,
      resolve: async name => [name === 'userinfo.example.com' ? '127.0.0.1' : '9.9.9.9'],
      transport: async url => {
        if (url.startsWith('https://9.9.9.9/')) return Response.json({ ...good, userinfo_endpoint: userinfo })
        return fetch(`http://127.0.0.1:${inside.port}/userinfo`)
      },
    })
    const { deps } = await startOn(env, guarded)
    await expect(deps.identity.readUserData(TOKEN, 'fan')).rejects.toMatchObject({
      code: 'identity_provider_invalid',
    })
    expect(received).toBe(0)
  })

  test('is refused once: a corrected document is accepted at the next attempt', async () => {
    const documents: Record<string, unknown> = { [discovery]: { ...good, jwks_uri: 'https://10.1.2.3/keys' } }
    const app = await start(env, documents)
    await expectClosed(app, 'its discovery document has no permitted jwks_uri')
    documents[discovery] = good
    documents[good.jwks_uri] = {
      keys: [
        {
          kty: 'EC',
          crv: 'P-256',
          kid: 'a',
          x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
          y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
        },
      ],
    }
    clock.advance(1_000)
    await app.deps.identity.refresh()
    expect((await app.as().get('/readyz')).body.checks.identityProvider).toBe('ok')
  })
})

describe('in production, with IDP_ALLOW_PRIVATE=localhost', () => {
  const issuer = 'https://localhost:8443/realms/club'
  const env = { ...production, IDP_ISSUER: issuer, IDP_ALLOW_PRIVATE: 'keycloak.internal, localhost' }

  test('the provider is requested there, and at no other private host', async () => {
    const discovery = `${issuer}/.well-known/openid-configuration`
    const good = { issuer, jwks_uri: 'https://localhost:8443/keys' }
    const app = await start(env, { [discovery]: good, [good.jwks_uri]: { keys: [] } })
    await app.deps.identity.refresh()
    expect(app.asked).toEqual([`manual ${discovery}`, `manual ${good.jwks_uri}`])
    const other = await start(env, { [discovery]: { ...good, jwks_uri: 'https://127.0.0.1:8443/keys' } })
    await expectClosed(other, 'its discovery document has no permitted jwks_uri')
  })

  test.each([
    '10.0.0.7',
    'https://keycloak.internal',
    'keycloak.internal:8443',
    '*.internal',
    '[::1]',
    '127.1',
  ])('%s is not a host name', value => {
    expect(() => parseConfig({ ...env, IDP_ALLOW_PRIVATE: value })).toThrow(
      'IDP_ALLOW_PRIVATE must be host names, separated by commas',
    )
  })
})

describe('a redirect', () => {
  let elsewhere: ReturnType<typeof Bun.serve>
  let provider: ReturnType<typeof Bun.serve>
  const visits: string[] = []
  /** Which of the provider's paths redirects. */
  let moved = ''
  beforeAll(() => {
    elsewhere = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch(request) {
        visits.push(request.url)
        return Response.json({})
      },
    })
    provider = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch({ url }) {
        const { origin, pathname } = new URL(url)
        if (pathname.includes(moved)) return Response.redirect(`${elsewhere.url}${pathname}`, 307)
        return Response.json(
          pathname.includes('openid')
            ? { issuer: origin, jwks_uri: `${origin}/keys`, userinfo_endpoint: `${origin}/userinfo` }
            : { keys: [] },
        )
      },
    })
  })
  afterAll(() => Promise.all([provider.stop(true), elsewhere.stop(true)]))

  test('is never followed, so that no token and no trust goes to another server', async () => {
    const IDP_ISSUER = provider.url.origin
    for (const path of ['openid-configuration', 'keys']) {
      moved = path
      const env = { ...(await makeDevelopmentSecrets()), IDP_ISSUER }
      await expectClosed(await startOn(env, request => fetch(request)), 'it responded with 307')
    }
    moved = 'userinfo'
    const app = await startOn({ ...(await makeDevelopmentSecrets()), IDP_ISSUER }, request => fetch(request))
    await expect(app.deps.identity.readUserData(TOKEN, 'fan')).rejects.toMatchObject({
      code: 'identity_provider_invalid',
    })
    expect(visits).toEqual([])
  })
})
