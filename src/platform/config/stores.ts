import { X509Certificate } from 'node:crypto'
import { attempt } from '../../core/attempt.ts'
import type { EnvironmentReader } from './environment.ts'

/** Products of a store by the price that they pay, `499 EUR`. The first one is offered. */
export type StoreProducts = ReadonlyMap<string, readonly string[]>

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

/** Stores of mobile platforms, through which apps sell digital goods. Null: not in use. */
export const readStoresConfig = (reader: EnvironmentReader) => Object.freeze({ apple: readApple(reader) })

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
