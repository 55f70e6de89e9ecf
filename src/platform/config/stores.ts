import { createPrivateKey, X509Certificate } from 'node:crypto'
import { attempt } from '../../core/attempt.ts'
import type { EnvironmentReader } from './environment.ts'

/** Products of a store by the price that they pay, `499 EUR`. The first one is offered. */
type StoreProducts = ReadonlyMap<string, readonly string[]>

/** The App Store of Apple. */
export interface AppleConfig {
  bundleId: string
  environment: 'production' | 'sandbox'
  /** The numeric id of the app; null in the sandbox, which has none. */
  appId: number | null
  products: StoreProducts
  /** DER of a root that replaces Apple's; development only. */
  rootCertificate: Uint8Array | null
}

/** Google Play. */
export interface GoogleConfig {
  packageName: string
  /** The service account that reads purchases. `privateKey` is PKCS #8 in PEM. */
  account: { clientEmail: string; privateKey: string; keyId: string | null }
  products: StoreProducts
  /** Whether purchases of license testers, which cost nothing, are accepted. */
  testPurchases: boolean
  /** The audience and the service account of the push subscription; null: notifications are refused. */
  push: { audience: string; account: string } | null
  /** Replaces the hosts of Google, such as `http://localhost:9000`; development only. */
  apiBase: string | null
}

/** Stores of mobile platforms, through which apps sell digital goods. Null: not in use. */
export const readStoresConfig = (reader: EnvironmentReader) =>
  Object.freeze({ apple: readApple(reader), google: readGoogle(reader) })

function readApple(reader: EnvironmentReader): Readonly<AppleConfig> | null {
  const bundleId = reader.text('APPLE_BUNDLE_ID')
  const environment = reader.oneOf(
    'APPLE_ENVIRONMENT',
    reader.production ? ['production', 'sandbox'] : ['sandbox', 'production'],
  )
  const appId = reader.integer('APPLE_APP_ID', 0, 1, Number.MAX_SAFE_INTEGER)
  const products = readProducts(reader, 'APPLE_PRODUCTS')
  const rootCertificate = readRoot(reader)
  if (bundleId === undefined) return null
  if (!/^[\w.-]{1,155}$/.test(bundleId)) reader.refuse('APPLE_BUNDLE_ID', 'must be a bundle identifier')
  if (environment === 'production' && appId === 0)
    reader.refuse('APPLE_APP_ID', 'is required by APPLE_ENVIRONMENT=production')
  if (products.size === 0)
    reader.refuse('APPLE_PRODUCTS', 'is required by APPLE_BUNDLE_ID: PRODUCT=499 EUR, separated by commas')
  return Object.freeze({ bundleId, environment, appId: appId || null, products, rootCertificate })
}

function readGoogle(reader: EnvironmentReader): Readonly<GoogleConfig> | null {
  const packageName = reader.text('GOOGLE_PLAY_PACKAGE')
  const account = readAccount(reader, 'GOOGLE_PLAY_SERVICE_ACCOUNT')
  const products = readProducts(reader, 'GOOGLE_PLAY_PRODUCTS')
  const testPurchases = reader.flag('GOOGLE_PLAY_TEST_PURCHASES', !reader.production)
  const push = readPush(reader)
  const apiBase = readGoogleBase(reader)
  if (packageName === undefined) return null
  if (!/^[a-zA-Z][\w.]{1,254}$/.test(packageName))
    reader.refuse('GOOGLE_PLAY_PACKAGE', 'must be the package name of an app')
  if (account === undefined)
    reader.refuse('GOOGLE_PLAY_SERVICE_ACCOUNT', 'must be the JSON key of a service account')
  if (products.size === 0)
    reader.refuse(
      'GOOGLE_PLAY_PRODUCTS',
      'is required by GOOGLE_PLAY_PACKAGE: PRODUCT=499 EUR, separated by commas',
    )
  return account ? Object.freeze({ packageName, account, products, testPurchases, push, apiBase }) : null
}

function readAccount(reader: EnvironmentReader, name: string): GoogleConfig['account'] | undefined {
  const text = reader.secret(name) ?? ''
  // Guarantee of the cast: every value has members, which are checked below.
  const key = Object(attempt(() => JSON.parse(text))) as Record<string, unknown>
  const { client_email: clientEmail, private_key: privateKey, private_key_id: keyId } = key
  if (typeof clientEmail !== 'string' || typeof privateKey !== 'string') return undefined
  if (attempt(() => createPrivateKey(privateKey).asymmetricKeyType) !== 'rsa') return undefined
  return { clientEmail, privateKey, keyId: typeof keyId === 'string' ? keyId : null }
}

function readPush(reader: EnvironmentReader): GoogleConfig['push'] {
  const audience = reader.text('GOOGLE_PLAY_PUSH_AUDIENCE')
  const account = reader.text('GOOGLE_PLAY_PUSH_ACCOUNT')
  if (audience !== undefined && account !== undefined) return { audience, account }
  if (audience !== undefined || account !== undefined)
    reader.refuse('GOOGLE_PLAY_PUSH_AUDIENCE', 'and GOOGLE_PLAY_PUSH_ACCOUNT must be set together')
  return null
}

function readGoogleBase(reader: EnvironmentReader): string | null {
  const value = reader.text('GOOGLE_PLAY_API_BASE')
  if (value === undefined) return null
  if (reader.production) reader.refuse('GOOGLE_PLAY_API_BASE', 'must not be set in production')
  else if (!/^https?:/.test(value) || URL.parse(value)?.origin !== value)
    reader.refuse('GOOGLE_PLAY_API_BASE', 'must be http:// or https://, a host and optionally a port')
  return value
}

/** `com.club.pack=499 EUR, com.club.box=999 EUR` */
function readProducts(reader: EnvironmentReader, name: string): StoreProducts {
  const products = new Map<string, string[]>()
  for (const item of reader.list(name, ',')) {
    const [, product, amount, currency] =
      /^([\w.-]{1,255})\s*=\s*([1-9]\d{0,14})\s+([A-Z]{3})$/.exec(item) ?? []
    if (product === undefined) {
      reader.refuse(
        name,
        'must be PRODUCT=AMOUNT CURRENCY, separated by commas, such as com.club.pack=499 EUR',
      )
      break
    }
    const price = `${amount} ${currency}`
    products.set(price, [...(products.get(price) ?? []), product])
  }
  const all = [...products.values()].flat()
  if (new Set(all).size < all.length) reader.refuse(name, 'must have each product once: it pays one price')
  return products
}

function readRoot(reader: EnvironmentReader): Uint8Array | null {
  const pem = reader.file('APPLE_ROOT_CERTIFICATE')
  if (pem === undefined) return null
  const certificate = attempt(() => new X509Certificate(pem))
  if (reader.production)
    reader.refuse('APPLE_ROOT_CERTIFICATE', 'must not be set in production: its owner could forge payments')
  else if (!certificate) reader.refuse('APPLE_ROOT_CERTIFICATE', 'must name a file with a certificate in PEM')
  return certificate?.raw ?? null
}
