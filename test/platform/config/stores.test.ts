/** The stores in which apps sell: their settings, and what is wrong with them. */
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, type Environment, parseConfig } from '../../../src/platform/config/config.ts'
import { makeDevelopmentSecrets } from '../../../src/platform/config/development-secrets.ts'

const development = await makeDevelopmentSecrets()
const production = { NODE_ENV: 'production' }
const apple = { APPLE_BUNDLE_ID: 'com.club.fans', APPLE_PRODUCTS: 'com.club.fans.pack=499 EUR' }

const storesOf = (env: Environment) => parseConfig({ ...development, ...env }).stores

/** What is wrong with the stores of this environment. */
function faults(env: Environment): string[] {
  try {
    parseConfig({ ...development, ...env })
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.filter(problem => /^APPLE_/.test(problem))
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

  test('refuses a product of two prices, and a bundle that is none', () => {
    expect(faults({ ...apple, APPLE_PRODUCTS: 'com.club.pack=499 EUR,com.club.pack=999 EUR' })).toEqual([
      'APPLE_PRODUCTS must have each product once: it pays one price',
    ])
    expect(faults({ ...apple, APPLE_BUNDLE_ID: 'com club' })).toEqual([
      'APPLE_BUNDLE_ID must be a bundle identifier',
    ])
  })

  test('takes another root in development only, from a file with a certificate', () => {
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
