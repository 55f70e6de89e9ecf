/** The stores in which apps sell: their settings, and what is wrong with them. */
import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, type Environment, parseConfig } from '../../../src/platform/config/config.ts'
import { makeDevelopmentSecrets } from '../../../src/platform/config/development-secrets.ts'

const development = await makeDevelopmentSecrets()
const production = { NODE_ENV: 'production' }
const apple = { APPLE_BUNDLE_ID: 'com.club.fans', APPLE_PRODUCTS: 'com.club.fans.pack=499 EUR' }

const storesOf = (env: Environment) => parseConfig({ ...development, ...env }).stores

/** Configuration errors of the stores in this environment. */
function faults(env: Environment): string[] {
  try {
    parseConfig({ ...development, ...env })
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.filter(problem => /^(APPLE|GOOGLE)_/.test(problem))
  }
}

function fileOf(content: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'stores-')), 'root.pem')
  writeFileSync(path, content)
  return path
}

describe('The App Store', () => {
  test('is not in use unless a bundle is named', () => {
    expect(storesOf({})).toMatchObject({ apple: null })
    expect(storesOf({ APPLE_PRODUCTS: apple.APPLE_PRODUCTS })).toMatchObject({ apple: null })
  })

  test('has products by price, and the sandbox in development', () => {
    const APPLE_PRODUCTS = 'com.club.pack = 499 EUR,com.club.alt=499 EUR, com.club.box=1000 JPY'
    expect(storesOf({ ...apple, APPLE_PRODUCTS }).apple).toEqual({
      bundleId: 'com.club.fans',
      environment: 'sandbox',
      appId: null,
      products: new Map([
        ['499 EUR', ['com.club.pack', 'com.club.alt']],
        ['1000 JPY', ['com.club.box']],
      ]),
      rootCertificate: null,
    })
  })

  test('requires products, and in its production environment the id of the app', () => {
    expect(faults({ ...apple, APPLE_PRODUCTS: undefined })).toEqual([
      'APPLE_PRODUCTS is required by APPLE_BUNDLE_ID: PRODUCT=499 EUR, separated by commas',
    ])
    const live = { ...apple, APPLE_ENVIRONMENT: 'production' }
    const missing = ['APPLE_APP_ID is required by APPLE_ENVIRONMENT=production']
    expect(faults(live)).toEqual(missing)
    expect(faults({ ...production, ...apple })).toEqual(missing)
    expect(storesOf({ ...live, APPLE_APP_ID: '1234567890' }).apple).toMatchObject({ appId: 1_234_567_890 })
    expect(faults({ ...live, APPLE_APP_ID: 'id12' })).toHaveLength(2)
  })

  test.each([
    'com.club.pack',
    'com.club.pack=499',
    'com.club.pack=4.99 EUR',
    'com.club.pack=0 EUR',
    'com.club.pack=499 eur',
    'com.club.pack=499 POINTS',
    'club pack=499 EUR',
  ])('refuses %s as products', APPLE_PRODUCTS => {
    expect(faults({ ...apple, APPLE_PRODUCTS })).toEqual(
      expect.arrayContaining([
        'APPLE_PRODUCTS must be PRODUCT=AMOUNT CURRENCY, separated by commas, such as com.club.pack=499 EUR',
      ]),
    )
  })

  test('refuses a product with two prices, and an invalid bundle', () => {
    expect(faults({ ...apple, APPLE_PRODUCTS: 'com.club.pack=499 EUR,com.club.pack=999 EUR' })).toEqual([
      'APPLE_PRODUCTS must have each product once: it pays one price',
    ])
    expect(faults({ ...apple, APPLE_BUNDLE_ID: 'com club' })).toEqual([
      'APPLE_BUNDLE_ID must be a bundle identifier',
    ])
  })

  test('accepts another root only in development, from a file with a certificate', () => {
    const APPLE_ROOT_CERTIFICATE = fileOf('no certificate')
    expect(faults({ ...apple, APPLE_ROOT_CERTIFICATE })).toEqual([
      'APPLE_ROOT_CERTIFICATE must name a file with a certificate in PEM',
    ])
    expect(faults({ ...production, ...apple, APPLE_APP_ID: '1', APPLE_ROOT_CERTIFICATE })).toEqual([
      'APPLE_ROOT_CERTIFICATE must not be set in production: its owner could forge payments',
    ])
    expect(faults({ ...apple, APPLE_ROOT_CERTIFICATE: '/nowhere' })).toHaveLength(1)
  })
})

describe('Google Play', () => {
  const key = (type: 'rsa' | 'ec') =>
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
      : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const accountOf = (type: 'rsa' | 'ec', members: object = {}) =>
    JSON.stringify({
      client_email: 'matchday@club.iam.gserviceaccount.com',
      private_key: key(type).export({ type: 'pkcs8', format: 'pem' }),
      ...members,
    })
  const google = {
    GOOGLE_PLAY_PACKAGE: 'com.club.fans',
    GOOGLE_PLAY_SERVICE_ACCOUNT: accountOf('rsa'),
    GOOGLE_PLAY_PRODUCTS: 'pack=499 EUR',
  }

  test('is not in use unless a package is named, and accepts testers in development', () => {
    expect(storesOf({}).google).toBeNull()
    expect(storesOf({ ...google, GOOGLE_PLAY_PACKAGE: undefined }).google).toBeNull()
    expect(storesOf(google).google).toMatchObject({
      packageName: 'com.club.fans',
      account: { clientEmail: 'matchday@club.iam.gserviceaccount.com', keyId: null },
      products: new Map([['499 EUR', ['pack']]]),
      testPurchases: true,
      push: null,
      apiBase: null,
    })
    expect(faults({ ...production, ...google })).toEqual([])
  })

  test('takes its key from a file', () => {
    const { GOOGLE_PLAY_SERVICE_ACCOUNT: content, ...others } = google
    expect(faults({ ...others, GOOGLE_PLAY_SERVICE_ACCOUNT_FILE: fileOf(content) })).toEqual([])
  })

  test.each([
    ['nothing', undefined],
    ['no JSON', 'key'],
    ['JSON of nothing', 'null'],
    ['an account without a key', '{"client_email":"a@b"}'],
    ['a key that is none', accountOf('rsa', { private_key: 'secret-key' })],
    ['a key of another algorithm', accountOf('ec')],
  ])('refuses %s as a service account, and shows none of it', (_, GOOGLE_PLAY_SERVICE_ACCOUNT) => {
    expect(faults({ ...google, GOOGLE_PLAY_SERVICE_ACCOUNT })).toEqual([
      'GOOGLE_PLAY_SERVICE_ACCOUNT must be the JSON key of a service account',
    ])
  })

  test('refuses half of a push subscription, an odd package, no products, and other hosts in production', () => {
    expect(faults({ ...google, GOOGLE_PLAY_PUSH_AUDIENCE: 'a' })).toEqual([
      'GOOGLE_PLAY_PUSH_AUDIENCE and GOOGLE_PLAY_PUSH_ACCOUNT must be set together',
    ])
    expect(faults({ ...google, GOOGLE_PLAY_PACKAGE: 'com club' })).toEqual([
      'GOOGLE_PLAY_PACKAGE must be the package name of an app',
    ])
    expect(faults({ ...google, GOOGLE_PLAY_PRODUCTS: undefined })).toHaveLength(1)
    const GOOGLE_PLAY_API_BASE = 'http://localhost:9000'
    expect(faults({ ...google, GOOGLE_PLAY_API_BASE })).toEqual([])
    expect(faults({ ...production, ...google, GOOGLE_PLAY_API_BASE })).toEqual([
      'GOOGLE_PLAY_API_BASE must not be set in production',
    ])
    for (const odd of ['localhost', 'http://localhost/v1', 'ftp://localhost'])
      expect(faults({ ...google, GOOGLE_PLAY_API_BASE: odd })).toHaveLength(1)
  })
})
