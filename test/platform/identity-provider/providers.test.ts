/** The configurations for real providers in docs/providers/, with tokens as the providers document them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JWTPayload } from 'jose'
import { createClock } from '../../support/clock.ts'
import { root } from '../../support/dev.ts'
import { sqliteEngine, type TemporaryDatabase } from '../../support/engines.ts'
import { createProviderDouble, type ProviderDouble } from './provider-double.ts'
import { type ProviderShape, shapes } from './provider-shapes.ts'

const clock = createClock()
const now = Math.floor(clock.ms / 1000)
let temporary: TemporaryDatabase
beforeAll(async () => {
  temporary = await sqliteEngine.open(clock)
})
afterAll(() => temporary.remove())

test.each([
  ['keycloak', shapes.Keycloak],
  ['auth0', shapes.Auth0],
  ['privy', shapes.Privy],
  ['clerk', shapes.Clerk],
  ['firebase', shapes['Firebase Authentication']],
  ['supabase', shapes['Supabase Auth']],
  ['cognito', shapes['Amazon Cognito']],
  ['entra', shapes['Microsoft Entra ID']],
  ['okta', shapes.Okta],
] as [string, ProviderShape][])(
  'docs/providers/%s.md has the settings that are tested here',
  (page, { env }) => {
    const text = readFileSync(join(root, `docs/providers/${page}.md`), 'utf8')
    const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(text) ?? []
    const settings = Object.fromEntries(
      block
        .trim()
        .split('\n')
        .map(line => line.split(/=(.*)/, 2)),
    )
    // The test also requires a number, which the page has no use for.
    const required = env.IDP_REQUIRED_CLAIMS?.replace(',version=2', '')
    expect(settings).toEqual(required ? { ...env, IDP_REQUIRED_CLAIMS: required } : env)
  },
)

for (const [name, shape] of Object.entries<ProviderShape>(shapes)) {
  describe(`${name}, by configuration only and in production`, () => {
    let double: ProviderDouble
    beforeAll(async () => {
      double = await createProviderDouble(shape, temporary.db, clock)
    })

    const sign = ({ header, claims }: { header: object; claims: JWTPayload }) =>
      double.sign(header, { iat: now, exp: now + 3600, ...claims })

    for (const [what, token] of Object.entries(shape.good)) {
      test(`accepts ${what}`, async () => {
        const { status, body } = await double.as(await sign(token)).get('/api/rewards')
        expect([status, body.code]).toEqual([200, undefined])
      })
    }

    for (const [what, token] of Object.entries(shape.refused)) {
      test(`refuses ${what}`, async () => {
        const { status, body } = await double.as(await sign(token)).get('/api/rewards')
        expect([status, body.code]).toEqual([401, 'invalid_token'])
      })
    }

    test('refuses valid claims with another key, and expired ones', async () => {
      for (const { header, claims } of Object.values(shape.good)) {
        const forged = await double.forge(header, { iat: now, exp: now + 3600, ...claims })
        expect((await double.as(forged).get('/api/rewards')).status).toBe(401)
        const old = await sign({ header, claims: { ...claims, iat: now - 90, exp: now - 31 } })
        expect((await double.as(old).get('/api/rewards')).status).toBe(401)
      }
    })

    test('mirrors the claims of a fan from the configured source', async () => {
      const [token] = Object.values(shape.good)
      if (!token) throw new Error('no good token')
      const path = `/api/user/sync-${shape.env.IDP_NAME}`
      const { status, body } = await double.as(await sign(token)).post(path)
      expect(status).toBe(200)
      expect(body.identity).toMatchObject({ subject: token.claims.sub, ...shape.identity })
    })
  })
}
