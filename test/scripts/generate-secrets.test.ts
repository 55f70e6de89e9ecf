/** `bun run generate-secrets`: what it prints is accepted in production. */
import { expect, test } from 'bun:test'
import { parseConfig } from '../../src/platform/config/config.ts'
import { runScript } from './run-script.ts'

test('the printed lines complete a configuration for production, and differ in each run', async () => {
  const [first, second] = await Promise.all([1, 2].map(() => runScript('generate-secrets', [])))
  const secrets = Object.fromEntries(
    (first?.out ?? '')
      .trim()
      .split('\n')
      .map(line => line.split(/=(.*)/s).slice(0, 2)),
  )
  const config = parseConfig({
    NODE_ENV: 'production',
    DATABASE_URL: 'sqlite:/var/lib/matchday/matchday.db',
    IDP_ISSUER: 'https://login.example.com',
    IDP_AUDIENCE: 'matchday-api',
    IDP_NAME: 'example',
    ...secrets,
  })
  expect(config.nativeTokens.key.kid).toMatch(/^[\w-]{43}$/)
  expect(second?.out).not.toBe(first?.out)
})
