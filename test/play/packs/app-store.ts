/**
 * An App Store of the tests: a certificate authority with the marker extensions of Apple's, which signs transactions and
 * notifications as StoreKit 2 and the App Store Server do.
 */
import 'reflect-metadata'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  BasicConstraintsExtension,
  Extension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { CompactSign } from 'jose'

export const BUNDLE = 'com.club.fans'
export const PRODUCT = 'com.club.fans.pack'
const LEAF_MARKER = '1.2.840.113635.100.6.11.1'
const INTERMEDIATE_MARKER = '1.2.840.113635.100.6.2.1'
const CURVE = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const NULL = new Uint8Array([5, 0])

interface Authority {
  certificate: X509Certificate
  keys: CryptoKeyPair
}

interface Issued {
  name: string
  issuer?: Authority | undefined
  marker?: string | null
  ca?: boolean
  notBefore?: Date
  notAfter?: Date
}

async function issue({ name, issuer, marker, ca = false, ...period }: Issued): Promise<Authority> {
  const keys = await crypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
  const { notBefore = new Date('2020-01-01'), notAfter = new Date('2040-01-01') } = period
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: issuer?.certificate.subject ?? `CN=${name}`,
    publicKey: keys.publicKey,
    signingKey: issuer?.keys.privateKey ?? keys.privateKey,
    signingAlgorithm: CURVE,
    ...{ notBefore, notAfter },
    extensions: [
      new BasicConstraintsExtension(ca, undefined, true),
      ...(marker ? [new Extension(marker, false, NULL)] : []),
    ],
  })
  return { certificate, keys }
}

const base64 = ({ certificate }: Authority) => Buffer.from(certificate.rawData).toString('base64')

export interface ChainFaults {
  leafMarker?: string | null
  intermediateMarker?: string | null
  intermediateIsCa?: boolean
  leafNotBefore?: Date
  leafNotAfter?: Date
}

export async function createAppStore() {
  const root = await issue({ name: 'Apple Root CA - G3', ca: true })
  let made = 0

  async function chainOf(faults: ChainFaults = {}, top = root) {
    const { leafMarker = LEAF_MARKER, intermediateMarker = INTERMEDIATE_MARKER } = faults
    const intermediate = await issue({
      name: 'Apple Worldwide Developer Relations Certification Authority',
      issuer: top,
      marker: intermediateMarker,
      ca: faults.intermediateIsCa ?? true,
    })
    const leaf = await issue({
      name: 'Prod ECC Mac App Store and iTunes Store Receipt Signing',
      issuer: intermediate,
      marker: leafMarker,
      ...(faults.leafNotBefore ? { notBefore: faults.leafNotBefore } : {}),
      ...(faults.leafNotAfter ? { notAfter: faults.leafNotAfter } : {}),
    })
    return { leaf, x5c: [leaf, intermediate, top].map(base64) }
  }
  type Chain = Awaited<ReturnType<typeof chainOf>>

  const genuine = await chainOf()
  const sign = (payload: object, { leaf, x5c }: Chain) =>
    new CompactSign(Buffer.from(JSON.stringify(payload)))
      .setProtectedHeader({ alg: 'ES256', x5c })
      .sign(leaf.keys.privateKey)

  const path = join(mkdtempSync(join(tmpdir(), 'app-store-')), 'root.pem')
  writeFileSync(path, root.certificate.toString('pem'))

  return {
    env: {
      APPLE_BUNDLE_ID: BUNDLE,
      APPLE_ENVIRONMENT: 'sandbox',
      APPLE_PRODUCTS: `${PRODUCT}=499 EUR, ${PRODUCT}.alt=499 EUR, ${PRODUCT}.box=999 EUR`,
      APPLE_ROOT_CERTIFICATE: path,
    },
    chainOf,
    /** Another authority of the same names. */
    forgedChain: async () => chainOf({}, await issue({ name: 'Apple Root CA - G3', ca: true })),
    /** The members of a transaction that StoreKit sends of a consumable. */
    transaction(accountToken: string | undefined, facts: object = {}) {
      const transactionId = `2000000${String(++made).padStart(9, '0')}`
      return {
        transactionId,
        originalTransactionId: transactionId,
        bundleId: BUNDLE,
        productId: PRODUCT,
        purchaseDate: 1_785_000_000_000,
        originalPurchaseDate: 1_785_000_000_000,
        quantity: 1,
        type: 'Consumable',
        ...(accountToken === undefined ? {} : { appAccountToken: accountToken }),
        inAppOwnershipType: 'PURCHASED',
        signedDate: 1_785_000_001_000,
        environment: 'Sandbox',
        transactionReason: 'PURCHASE',
        storefront: 'DEU',
        storefrontId: '143443',
        price: 4990,
        currency: 'EUR',
        ...facts,
      }
    },
    sign: (payload: object, chain: Chain = genuine) => sign(payload, chain),
    /** The body of a notification, version 2. */
    async notification(notificationType: string, transaction: object, facts: object = {}) {
      const payload = {
        notificationType,
        notificationUUID: crypto.randomUUID(),
        version: '2.0',
        signedDate: 1_785_000_002_000,
        data: {
          bundleId: BUNDLE,
          bundleVersion: '7',
          environment: 'Sandbox',
          signedTransactionInfo: await sign(transaction, genuine),
          ...facts,
        },
      }
      return JSON.stringify({ signedPayload: await sign(payload, genuine) })
    },
  }
}
