/** How many variables an operator can set, and what happens to one that is no longer read. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Glob } from 'bun'
import { ConfigError, type Environment, parseConfig } from '../../../src/platform/config/config.ts'
import { SETTING_NAMES, variableOf } from '../../../src/platform/config/settings.ts'
import { secrets, startApi, startProvider } from '../../support/processes.ts'

const root = join(import.meta.dir, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'matchday-variables-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Not ours, or decided in the catalogue. */
const SETTINGS = SETTING_NAMES.map(variableOf)
const isForeign = (name: string) => name === 'NODE_ENV' || name.startsWith('OTEL_')

/** Those that production refuses. */
const DEVELOPMENT: Environment = {
  APPLE_ROOT_CERTIFICATE: join(root, 'package.json'),
  DEMO_FOLDER: 'data/demo',
  GOOGLE_PLAY_API_BASE: 'http://localhost:1',
  STRIPE_API_BASE: 'http://localhost:1',
}

/** Reads the payments of Stripe too, whose variables are read only if it is the gateway. */
const STRIPE = { PAYMENT_GATEWAY: 'stripe', STRIPE_CLIENT: 'checkout_sessions' }

function problemsOf(env: Environment): string[] {
  try {
    parseConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

/** `NAME_FILE` is another form of `NAME`. */
function readNames(): string[] {
  const asked = new Set<string>()
  const env: Environment = { ...secrets, ...STRIPE }
  problemsOf(
    new Proxy(env, {
      get(target, name) {
        if (typeof name === 'string') asked.add(name)
        return Reflect.get(target, name)
      },
    }),
  )
  return [...asked].filter(name => !asked.has(name.replace(/_FILE$/, '')) || !name.endsWith('_FILE'))
}

test('production has at most 91 variables, without the settings of the catalogue and those of OpenTelemetry', () => {
  const ours = readNames().filter(name => !isForeign(name) && !SETTINGS.includes(name))
  const refused = problemsOf({ ...secrets, ...STRIPE, ...DEVELOPMENT, NODE_ENV: 'production' })
    .filter(problem => problem.includes(' must not be set in production'))
    .map(problem => problem.split(' ')[0])
  expect(refused.toSorted()).toEqual(Object.keys(DEVELOPMENT).toSorted())
  const counted = ours.filter(name => !(name in DEVELOPMENT))
  expect(counted.length, counted.join(' ')).toBeLessThanOrEqual(91)
  expect(counted.length).toBeGreaterThan(60)
})

test('the count misses no variable that is read only under a condition', () => {
  const sources = [...new Glob('src/platform/config/*.ts').scanSync(root)].filter(
    path => !path.endsWith('/removed.ts'),
  )
  const named = sources.flatMap(path =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g)].map(
      ([, name]) => name ?? '',
    ),
  )
  const counted = readNames()
  expect(named.length).toBeGreaterThan(80)
  expect(named.filter(name => !isForeign(name) && !counted.includes(name))).toEqual([])
})

test('a variable that is no longer read is named with what replaces it, and never its value', () => {
  const env = {
    ...secrets,
    MAX_BODY_LEVELS: 'hunter2',
    RATE_LIMIT_TOKENS_PER_ADDRESS: 'hunter2',
    BODY_TIMEOUT_MS: ' ',
  }
  expect(parseConfig(env).noLongerRead).toEqual([
    'MAX_BODY_LEVELS is no longer read: its default is now a constant',
    'RATE_LIMIT_TOKENS_PER_ADDRESS is no longer read: set RATE_LIMITS=tokensPerAddress=… instead',
  ])
  expect(parseConfig({ ...secrets }).noLongerRead).toEqual([])
})

test('what replaces a rate limit is accepted', () => {
  const names = ['CLAIMS', 'PURCHASES', 'REDEMPTIONS', 'RELATIONS', 'REPORTS']
  names.push('TOKENS', 'TOKENS_PER_ADDRESS', 'TRADES', 'UPLOADS', 'WALLETS')
  const old = Object.fromEntries(names.map(name => [`RATE_LIMIT_${name}`, '7']))
  const stated = parseConfig({ ...secrets, ...old }).noLongerRead.map(
    message => /set RATE_LIMITS=(\w+)=… instead/.exec(message)?.[1],
  )
  const RATE_LIMITS = stated.map(policy => `${policy}=7`).join(',')
  const { rates } = parseConfig({ ...secrets, RATE_LIMITS }).limits
  expect(Object.values(rates).filter(rate => rate === 7)).toHaveLength(names.length)
})

test('a start with such a variable succeeds, and logs one warning about it', async () => {
  const provider = await startProvider({ fans: 1 })
  const api = await startApi({
    DATABASE_URL: `sqlite:${folder}/matchday.db`,
    IDP_ISSUER: provider.issuer,
    IDP_KEYS_USABLE_HOURS: '1',
  })
  await api.stop()
  await provider.stop()
  const lines = api.output.filter(line => line.includes('IDP_KEYS_USABLE_HOURS'))
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 40,
    msg: 'IDP_KEYS_USABLE_HOURS is no longer read: its default is now a constant',
  })
})
