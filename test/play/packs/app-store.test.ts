/** Packs that an app sells with StoreKit 2: signed transactions, and notifications of the App Store Server. */
import { describe, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { UnsecuredJWT } from 'jose'
import { appleRoot } from '../../../src/play/purchases/gateways/apple-root.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { BUNDLE, type ChainFaults, createAppStore, PRODUCT } from './app-store.ts'
import {
  addPack,
  cancel,
  complete,
  EUROS,
  expectStatus,
  HOLD,
  type NewPack,
  open,
  patientFan,
  receipt,
  refusal,
  start,
} from './packs-world.ts'
import { complaints, completedBy, traces, UNTOUCHED } from './stripe-world.ts'

const store = await createAppStore()

/** A purchase that waits for its payment. */
async function begin(world: World, pack: NewPack = {}) {
  const packId = await addPack(world, { price: EUROS, supply: 5, ...pack })
  const fan = await patientFan(world)
  const { id: purchaseId } = expectStatus(201, await start(fan, packId))
  return { fan, packId, purchaseId: String(purchaseId) }
}

/** A purchase that the App Store has taken the money for. */
async function buyInApp(world: World, facts: object = {}, pack: NewPack = {}) {
  const begun = await begin(world, pack)
  const transaction = store.transaction(begun.purchaseId, facts)
  const reference = `apple:${transaction.transactionId}`
  return { ...begun, transaction, reference, signed: await store.sign(transaction) }
}

const notify = ({ anonymous }: World, body: string) =>
  anonymous.send('/api/webhooks/app-store', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })

const tell = async (world: World, type: string, transaction: object) =>
  notify(world, await store.notification(type, transaction))

const paymentsOf = async ({ db }: World, purchaseId: string) =>
  (await db.read.select().from(db.tables.payments)).filter(row => row.purchaseId === purchaseId)

const NOT_PAID = [402, 'payment_not_confirmed']

test('The root certificate is Apple’s own', () => {
  const root = new X509Certificate(appleRoot())
  expect(root.fingerprint256.replaceAll(':', '').toLowerCase()).toBe(
    '63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179',
  )
  expect(root.subject).toContain('CN=Apple Root CA - G3')
  expect(root.verify(root.publicKey)).toBe(true)
})

onEachEngine(
  'A purchase in the App Store',
  world => {
    test('is prepared with the product of its price, and the purchase as the account token', async () => {
      const { fan, purchaseId } = await begin(world)
      const body = { purchaseId, gateway: 'apple' }
      expect(expectStatus(200, await fan.post('/api/packs/purchase/payment', body))).toEqual({
        gateway: 'apple',
        paymentReference: null,
        clientSecret: null,
        checkoutUrl: null,
        store: { productId: PRODUCT, accountToken: purchaseId },
      })
      const odd = await begin(world, { price: { amount: 500, currency: 'EUR' } })
      const answer = await odd.fan.post('/api/packs/purchase/payment', {
        ...body,
        purchaseId: odd.purchaseId,
      })
      expect(refusal(answer)).toEqual(NOT_PAID)
      expect(answer.body.detail).toBe('The App Store has no product of this price.')
    })

    test.each([
      ['its product', {}],
      ['another product of the price', { productId: `${PRODUCT}.alt` }],
      ['an upper-case account token', { appAccountToken: 'upper' }],
      ['a price of another country', { price: 5990, currency: 'USD', storefront: 'USA' }],
    ])('completes with the signed transaction of %s, once', async (_, facts) => {
      const begun = await begin(world)
      const { fan, purchaseId } = begun
      const token = 'appAccountToken' in facts ? { appAccountToken: purchaseId.toUpperCase() } : {}
      const transaction = store.transaction(purchaseId, { ...facts, ...token })
      const signed = await store.sign(transaction)
      const first = await complete(fan, purchaseId, signed)
      expect(first).toMatchObject({ status: 200, body: { status: 'completed' } })
      expect((await complete(fan, purchaseId, signed)).body).toEqual(first.body)
      expect(await traces(world, begun)).toEqual(completedBy(`apple:${transaction.transactionId}`))
      expect(await paymentsOf(world, purchaseId)).toMatchObject([{ amount: 499, currency: 'EUR' }])
      expect(world.logged.join()).not.toContain(signed.slice(-40))
    })

    describe('does not complete with a transaction', () => {
      const faults: [string, object][] = [
        ['of another app', { bundleId: 'com.rival.fans' }],
        ['of the other environment', { environment: 'Production' }],
        ['of a product of another price', { productId: `${PRODUCT}.box` }],
        ['of an unknown product', { productId: 'com.club.fans.scarf' }],
        ['of several pieces', { quantity: 2 }],
        ['that was refunded', { revocationDate: 1_785_000_003_000, revocationReason: 0 }],
        ['that the family shares', { inAppOwnershipType: 'FAMILY_SHARED' }],
        ['without an account token', { appAccountToken: undefined }],
        ['of another purchase', { appAccountToken: '01981e2c-7c1f-7000-8000-000000000003' }],
        ['without an id', { transactionId: undefined }],
      ]
      test.each(faults)('%s', async (_, facts) => {
        const bought = await buyInApp(world, facts)
        const answer = await complete(bought.fan, bought.purchaseId, bought.signed)
        expect(refusal(answer)).toEqual(NOT_PAID)
        expect(await traces(world, bought)).toEqual(UNTOUCHED)
      })

      const chains: [string, ChainFaults][] = [
        ['whose certificate lacks Apple’s marker', { leafMarker: null }],
        ['whose certificate has the marker of another purpose', { leafMarker: '1.2.840.113635.100.6.1.13' }],
        ['whose intermediate certificate lacks Apple’s marker', { intermediateMarker: null }],
        ['whose intermediate certificate is of no authority', { intermediateIsCa: false }],
        [
          'whose certificate had expired when it was signed',
          { leafNotAfter: new Date(1_785_000_001_000 - 86_400_000) },
        ],
        [
          'whose certificate was not valid yet when it was signed',
          { leafNotBefore: new Date(1_785_000_001_000 + 86_400_000) },
        ],
      ]
      test.each(chains)('%s', async (_, chain) => {
        const bought = await buyInApp(world)
        const signed = await store.sign(bought.transaction, await store.chainOf(chain))
        expect(refusal(await complete(bought.fan, bought.purchaseId, signed))).toEqual(NOT_PAID)
        expect(await traces(world, bought)).toEqual(UNTOUCHED)
      })

      test('signed by another authority with the same names', async () => {
        const bought = await buyInApp(world)
        const signed = await store.sign(bought.transaction, await store.forgedChain())
        expect(refusal(await complete(bought.fan, bought.purchaseId, signed))).toEqual(NOT_PAID)
      })

      test('that is not signed, or whose content or certificates were exchanged', async () => {
        const bought = await buyInApp(world)
        const [header = '', payload = '', signature = ''] = bought.signed.split('.')
        const other = await store.sign(store.transaction(bought.purchaseId))
        const [otherHeader = '', otherPayload = ''] = other.split('.')
        const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
        const { x5c } = JSON.parse(Buffer.from(header, 'base64url').toString())
        const forged = [
          new UnsecuredJWT(bought.transaction).encode(),
          `${encode({ alg: 'none', x5c })}.${payload}.`,
          `${encode({ alg: 'none', x5c })}.${payload}.${signature}`,
          `${header}.${otherPayload}.${signature}`,
          `${encode({ alg: 'ES256' })}.${payload}.${signature}`,
          `${encode({ alg: 'ES256', x5c: [x5c[0]] })}.${payload}.${signature}`,
          `${encode({ alg: 'ES256', x5c: [x5c[1], x5c[0], x5c[2]] })}.${payload}.${signature}`,
          `${encode({ alg: 'ES256', x5c: ['', '', ''] })}.${payload}.${signature}`,
          `${encode({ alg: 'ES256', x5c: 'none' })}.${payload}.${signature}`,
          `${otherHeader}.${payload}.AAAA`,
          'a.b.c',
        ]
        for (const reference of forged) {
          const answer = await complete(bought.fan, bought.purchaseId, reference)
          expect(refusal(answer)).toEqual(NOT_PAID)
        }
        expect(await traces(world, bought)).toEqual(UNTOUCHED)
      })

      test('that another fan has paid, whose payment is not disclosed', async () => {
        const [victim, thief] = [await buyInApp(world), await begin(world)]
        const before = await complete(thief.fan, thief.purchaseId, victim.signed)
        expectStatus(200, await complete(victim.fan, victim.purchaseId, victim.signed))
        const after = await complete(thief.fan, thief.purchaseId, victim.signed)
        expect([refusal(before), refusal(after)]).toEqual([NOT_PAID, NOT_PAID])
        expect(after.body.detail).toBe(before.body.detail)
        expect(await traces(world, thief)).toEqual(UNTOUCHED)
        const theirs = await complete(thief.fan, victim.purchaseId, victim.signed)
        expect(refusal(theirs)).toEqual([404, 'purchase_not_found'])
      })

      test('that has already paid another purchase', async () => {
        const first = await buyInApp(world)
        expectStatus(200, await complete(first.fan, first.purchaseId, first.signed))
        const { transactionId } = first.transaction
        const second = await buyInApp(world, { transactionId })
        expect(refusal(await complete(second.fan, second.purchaseId, second.signed))).toEqual(NOT_PAID)
        expect(await traces(world, second)).toEqual(UNTOUCHED)
      })
    })

    test('completes with a transaction whose certificate has expired since', async () => {
      const bought = await buyInApp(world)
      const chain = await store.chainOf({ leafNotAfter: new Date(1_785_000_001_000 + 60_000) })
      expectStatus(
        200,
        await complete(bought.fan, bought.purchaseId, await store.sign(bought.transaction, chain)),
      )
    })

    test('completes by a notification if the client never comes back', async () => {
      const bought = await buyInApp(world)
      for (const _ of ['first', 'again'])
        expect((await tell(world, 'ONE_TIME_CHARGE', bought.transaction)).status).toBe(204)
      expect(await traces(world, bought)).toEqual(completedBy(bought.reference))
    })

    test('completes once while client and notification come at the same time', async () => {
      const all = await Promise.all(Array.from({ length: 6 }, () => buyInApp(world)))
      await Promise.all(
        all.map(async bought => {
          const answers = await Promise.all([
            complete(bought.fan, bought.purchaseId, bought.signed),
            tell(world, 'ONE_TIME_CHARGE', bought.transaction),
            complete(bought.fan, bought.purchaseId, bought.signed),
            tell(world, 'ONE_TIME_CHARGE', bought.transaction),
          ])
          expect(answers.map(({ status }) => status)).toEqual([200, 204, 200, 204])
          expect(await traces(world, bought)).toEqual(completedBy(bought.reference))
          expect(await paymentsOf(world, bought.purchaseId)).toHaveLength(1)
        }),
      )
    })

    test('becomes refund_due if the payment arrives after the pack was sold to another fan, or after the fan cancelled', async () => {
      const late = await buyInApp(world, {}, { supply: 1 })
      world.clock.advance(HOLD)
      expectStatus(201, await start(await patientFan(world), late.packId))
      expect(refusal(await complete(late.fan, late.purchaseId, late.signed))).toEqual([
        409,
        'purchase_expired',
      ])
      const cancelled = await buyInApp(world)
      expectStatus(200, await cancel(cancelled.fan, cancelled.purchaseId))
      expect((await tell(world, 'ONE_TIME_CHARGE', cancelled.transaction)).status).toBe(204)
      for (const { reference, ...about } of [late, cancelled])
        expect(await traces(world, about)).toMatchObject({
          status: 'refund_due',
          paymentReference: reference,
        })

      expect((await tell(world, 'REFUND', late.transaction)).status).toBe(204)
      expect(await traces(world, late)).toMatchObject({ status: 'refunded' })
    })

    test('that was already paid in another way is reported to the operator', async () => {
      const bought = await buyInApp(world)
      const { fan, purchaseId } = bought
      const paid = await receipt(fan, purchaseId)
      expectStatus(200, await complete(fan, purchaseId, paid))
      complaints(world)
      expect((await tell(world, 'ONE_TIME_CHARGE', bought.transaction)).status).toBe(204)
      expect(await traces(world, bought)).toEqual(completedBy(paid))
      expect(complaints(world)).toMatchObject([{ gateway: 'apple', purchaseId, reference: bought.reference }])
      expect((await tell(world, 'REFUND', bought.transaction)).status).toBe(204)
      expect(await traces(world, bought)).toEqual(completedBy(paid))
    })

    describe('that Apple refunds', () => {
      test.each(['REFUND', 'REVOKE'])('takes the sealed pack back, once (%s)', async type => {
        const bought = await buyInApp(world)
        expectStatus(200, await complete(bought.fan, bought.purchaseId, bought.signed))
        const revoked = { ...bought.transaction, revocationDate: 1_785_000_003_000 }
        const answers = await Promise.all([tell(world, type, revoked), tell(world, type, revoked)])
        expect(answers.map(({ status }) => status)).toEqual([204, 204])
        expect(await traces(world, bought)).toMatchObject({ status: 'refunded', sold: 0 })
        const [payment] = await paymentsOf(world, bought.purchaseId)
        expect(payment?.refundedAt).not.toBeNull()
        const again = await complete(bought.fan, bought.purchaseId, bought.signed)
        expect(again).toMatchObject({ status: 200, body: { status: 'refunded' } })
      })

      test('leaves an opened pack with the fan, and tells the operator', async () => {
        const bought = await buyInApp(world)
        const { userPack } = expectStatus(200, await complete(bought.fan, bought.purchaseId, bought.signed))
        expectStatus(200, await open(bought.fan, userPack.id))
        complaints(world)
        expect((await tell(world, 'REFUND', bought.transaction)).status).toBe(204)
        expect(await traces(world, bought)).toMatchObject({ status: 'refunded', sold: 1 })
        expect(complaints(world)).toMatchObject([{ reference: bought.reference }])
        expect((await tell(world, 'REFUND_REVERSED', bought.transaction)).status).toBe(204)
        expect(complaints(world)).toMatchObject([{ reference: bought.reference }])
      })

      test('before it completes is never delivered, whatever arrives later', async () => {
        const bought = await buyInApp(world)
        const { fan, purchaseId, transaction, signed } = bought
        complaints(world)
        expect((await tell(world, 'REFUND', transaction)).status).toBe(204)
        expect(await traces(world, bought)).toMatchObject({ status: 'refunded', sold: 0, handedOver: 0 })
        expect((await tell(world, 'ONE_TIME_CHARGE', transaction)).status).toBe(204)
        expect((await complete(fan, purchaseId, signed)).body.status).toBe('refunded')
        expect(await traces(world, bought)).toMatchObject({ status: 'refunded', sold: 0, handedOver: 0 })
        expect(complaints(world)).toEqual([])
      })

      test.each([5, null])(
        'ends refunded in any order of client and notifications (supply %p)',
        async supply => {
          const all = await Promise.all(Array.from({ length: 5 }, () => buyInApp(world, {}, { supply })))
          await Promise.all(
            all.map(async bought => {
              const answers = await Promise.all([
                complete(bought.fan, bought.purchaseId, bought.signed),
                tell(world, 'REFUND', bought.transaction),
                tell(world, 'ONE_TIME_CHARGE', bought.transaction),
              ])
              for (const { status } of answers) expect(status).toBeLessThan(500)
              expect(await traces(world, bought)).toMatchObject({ status: 'refunded', sold: 0 })
              expect(await paymentsOf(world, bought.purchaseId)).toHaveLength(1)
            }),
          )
        },
      )
    })

    describe('refuses a notification', () => {
      test('that is not signed, or not by Apple', async () => {
        const bought = await buyInApp(world)
        const genuine = await store.notification('ONE_TIME_CHARGE', bought.transaction)
        const { signedPayload } = JSON.parse(genuine)
        const payload = JSON.parse(Buffer.from(signedPayload.split('.')[1], 'base64url').toString())
        const forged = await store.sign(payload, await store.forgedChain())
        const bodies = [
          { signedPayload: forged },
          { signedPayload: `${signedPayload.slice(0, -8)}AAAAAAAA` },
          { signedPayload: bought.signed },
          { signedPayload: 7 },
          {},
        ]
        for (const body of bodies) {
          const answer = await notify(world, JSON.stringify(body))
          expect(refusal(answer)).toEqual([401, 'invalid_signature'])
        }
        expect(await traces(world, bought)).toEqual(UNTOUCHED)
      })

      test.each([
        ['of another app', { bundleId: 'com.rival.fans' }],
        ['of the other environment', { environment: 'Production' }],
      ])('%s', async (_, facts) => {
        const bought = await buyInApp(world)
        const body = await store.notification('ONE_TIME_CHARGE', bought.transaction, facts)
        expect(refusal(await notify(world, body))).toEqual([401, 'invalid_signature'])
        expect(await traces(world, bought)).toEqual(UNTOUCHED)
      })
    })

    test('ignores other notifications, unknown purchases and transactions without an account token', async () => {
      const bought = await buyInApp(world)
      complaints(world)
      for (const type of ['TEST', 'CONSUMPTION_REQUEST', 'REFUND_DECLINED', 'DID_RENEW'])
        expect((await tell(world, type, bought.transaction)).status).toBe(204)
      const unknown = '01981e2c-7c1f-7000-8000-000000000003'
      for (const token of [unknown, undefined])
        for (const type of ['ONE_TIME_CHARGE', 'REFUND'])
          expect((await tell(world, type, store.transaction(token))).status).toBe(204)
      const stray = { ...bought.transaction, bundleId: 'com.rival.fans' }
      expect((await tell(world, 'ONE_TIME_CHARGE', stray)).status).toBe(204)
      expect(await traces(world, bought)).toEqual(UNTOUCHED)
      expect(complaints(world)).toEqual([])
      expect(BUNDLE).not.toBe(stray.bundleId)
    })

    test('reports a transaction that does not pay the purchase it names', async () => {
      const bought = await buyInApp(world, { productId: `${PRODUCT}.box` })
      complaints(world)
      expect((await tell(world, 'ONE_TIME_CHARGE', bought.transaction)).status).toBe(204)
      expect(complaints(world)).toMatchObject([
        { purchaseId: bought.purchaseId, reference: bought.reference },
      ])
    })
  },
  { env: store.env },
)
