/** Packs that an app sells in Google Play: purchase tokens, their acknowledgement, refunds, and pushed notifications. */
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { createApp } from '../../../src/app/app.ts'
import { acknowledgePayments } from '../../../src/play/purchases/acknowledge.ts'
import { createGoogleGateway } from '../../../src/play/purchases/gateways/google.ts'
import { createClient } from '../../support/client.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { type Outage, PRODUCT, PUSHER, type StorePurchase, startGooglePlay } from './google-play.ts'
import {
  addPack,
  complete,
  EUROS,
  expectStatus,
  HOLD,
  MINUTE,
  type NewPack,
  open,
  patientFan,
  refusal,
  start,
} from './packs-world.ts'
import { complaints, completedBy, traces, UNTOUCHED } from './stripe-world.ts'

const play = await startGooglePlay()
afterAll(() => play.stop())
afterEach(() => {
  play.outage = null
})

async function begin(world: World, pack: NewPack = {}) {
  play.now = () => world.clock.ms
  const packId = await addPack(world, { price: EUROS, supply: 5, ...pack })
  const fan = await patientFan(world)
  const { id: purchaseId } = expectStatus(201, await start(fan, packId))
  return { fan, packId, purchaseId: String(purchaseId) }
}

/** A purchase that Google Play has taken the money for. */
async function buyInApp(world: World, facts: Partial<StorePurchase> = {}, pack: NewPack = {}) {
  const begun = await begin(world, pack)
  const token = play.sell(begun.purchaseId, facts)
  return { ...begun, token, reference: `google:${token}` }
}

const bought = (purchaseToken: string) => ({
  oneTimeProductNotification: { version: '1.0', notificationType: 1, purchaseToken, sku: PRODUCT },
})
const voided = (purchaseToken: string, refundType = 1) => ({
  voidedPurchaseNotification: { purchaseToken, orderId: 'GPA.1', productType: 2, refundType },
})

const send = (
  { anonymous }: Pick<World, 'anonymous'>,
  { authorization, body }: { authorization?: string; body: string },
) =>
  anonymous.send('/api/webhooks/google-play', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) },
    body,
  })

const tell = async (world: World, notification: object) => send(world, await play.push(notification))

/** The application on the same database, with a gateway of its own. `deadlineMs` is short for a store that never answers. */
function impatient(world: World, fan: { token?: string } = {}, deadlineMs = 10_000) {
  const { stores } = world.config
  if (!stores.google) throw new Error('the world is not of Google Play')
  const resilience = { deadlineMs, retryWaitMs: 0 }
  const options = {
    fetch: (request: Request) => fetch(request),
    log: world.deps.log,
    now: world.deps.now,
    resilience,
  }
  const google = createGoogleGateway(stores.google, options)
  const app = createApp({ ...world.deps, payments: { google } })
  const client = createClient(
    request => app.handle(request),
    () => null,
    fan.token,
  )
  return { client, payments: { google } }
}

const paymentsOf = async ({ db }: World, purchaseId: string) =>
  (await db.read.select().from(db.tables.payments)).filter(row => row.purchaseId === purchaseId)

const NOT_PAID = [402, 'payment_not_confirmed']

onEachEngine(
  'A purchase in Google Play',
  world => {
    test('is prepared with the product of its price, and the purchase as the account', async () => {
      const { fan, purchaseId } = await begin(world)
      const body = { purchaseId, gateway: 'google' }
      expect(expectStatus(200, await fan.post('/api/packs/purchase/payment', body))).toMatchObject({
        gateway: 'google',
        paymentReference: null,
        store: { productId: PRODUCT, accountToken: purchaseId },
      })
      const apple = await fan.post('/api/packs/purchase/payment', { purchaseId, gateway: 'apple' })
      expect(refusal(apple)).toEqual(NOT_PAID)
      expect(apple.body.detail).toBe('This server takes no payments of apple.')
    })

    test('completes once with its token, which is then consumed', async () => {
      const sale = await buyInApp(world)
      const { fan, purchaseId, reference, token } = sale
      const first = await complete(fan, purchaseId, reference)
      expect(first).toMatchObject({ status: 200, body: { status: 'completed' } })
      expect((await complete(fan, purchaseId, reference)).body).toEqual(first.body)
      expect(await traces(world, sale)).toEqual(completedBy(reference))
      expect(play.purchases.get(token)?.acknowledgementState).toBe('ACKNOWLEDGEMENT_STATE_PENDING')
      expect((await paymentsOf(world, purchaseId))[0]?.acknowledgeBy).not.toBeNull()

      await Promise.all([acknowledgePayments(world.deps), acknowledgePayments(world.deps)])
      expect(play.purchases.get(token)?.acknowledgementState).toBe('ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED')
      expect((await paymentsOf(world, purchaseId))[0]?.acknowledgeBy).toBeNull()
      play.asked.length = 0
      await acknowledgePayments(world.deps)
      expect(play.asked).toEqual([])
      expect(world.logged.join()).not.toContain(token)
    })

    test('requests one access token for many requests, and a new one when it expires', async () => {
      const sales = await Promise.all(Array.from({ length: 4 }, () => buyInApp(world)))
      world.clock.advance(2 * 60 * MINUTE)
      play.asked.length = 0
      const { payments } = impatient(world)
      const charge = { purchaseId: '', ...EUROS, expiresAt: new Date(world.clock.ms) }
      for (const _ of ['at once', 'again'])
        await Promise.all(
          sales.map(({ purchaseId, reference }) =>
            payments.google.examine({ ...charge, purchaseId }, reference),
          ),
        )
      expect(play.asked.filter(({ path }) => path === '/token')).toHaveLength(1)
      world.clock.advance(60 * MINUTE)
      await payments.google.examine(charge, sales[0]?.reference ?? '')
      expect(play.asked.filter(({ path }) => path === '/token')).toHaveLength(2)
    })

    describe('does not complete with a payment', () => {
      const item = (productId: string, offer: object = {}) => ({
        productLineItem: [
          {
            productId,
            productOfferDetails: {
              quantity: 1,
              refundableQuantity: 1,
              consumptionState: 'CONSUMPTION_STATE_YET_TO_BE_CONSUMED',
              ...offer,
            },
          },
        ],
      })
      const faults: [string, Partial<StorePurchase>][] = [
        ['that is pending', { purchaseStateContext: { purchaseState: 'PENDING' } }],
        ['that was cancelled', { purchaseStateContext: { purchaseState: 'CANCELLED' } }],
        ['of a product of another price', item('box')],
        ['of an unknown product', item('scarf')],
        ['of several pieces', item(PRODUCT, { quantity: 2 })],
        ['whose quantity was refunded', item(PRODUCT, { refundableQuantity: 0 })],
        [
          'of several products',
          { productLineItem: [...item(PRODUCT).productLineItem, ...item('box').productLineItem] },
        ],
        ['of no product', { productLineItem: [] }],
        ['of another purchase', { obfuscatedExternalAccountId: '01981e2c-7c1f-7000-8000-000000000003' }],
      ]
      test.each(faults)('%s', async (_, facts) => {
        const sale = await buyInApp(world, facts)
        expect(refusal(await complete(sale.fan, sale.purchaseId, sale.reference))).toEqual(NOT_PAID)
        expect(await traces(world, sale)).toEqual(UNTOUCHED)
      })

      test('that names no purchase, or has a token that Google Play does not know', async () => {
        const sale = await begin(world)
        const stray = `google:${play.sell(undefined)}`
        for (const reference of [stray, 'google:unknown', 'google:', 'google:a/../b', 'google:a?b'])
          expect(refusal(await complete(sale.fan, sale.purchaseId, reference))).toEqual(NOT_PAID)
        expect(await traces(world, sale)).toEqual(UNTOUCHED)
      })

      test('of another fan, which is not disclosed', async () => {
        const [victim, thief] = [await buyInApp(world), await begin(world)]
        const before = await complete(thief.fan, thief.purchaseId, victim.reference)
        expectStatus(200, await complete(victim.fan, victim.purchaseId, victim.reference))
        const after = await complete(thief.fan, thief.purchaseId, victim.reference)
        expect([refusal(before), refusal(after)]).toEqual([NOT_PAID, NOT_PAID])
        expect(after.body.detail).toBe(before.body.detail)
        expect(await traces(world, thief)).toEqual(UNTOUCHED)
      })
    })

    test('of a license tester counts only if the server accepts them', async () => {
      const sale = await buyInApp(world, { testPurchaseContext: { fopType: 'TEST' } })
      const { google } = world.config.stores
      if (!google) throw new Error('the world is not of Google Play')
      const options = { fetch: (request: Request) => fetch(request), now: world.deps.now }
      const strict = createGoogleGateway({ ...google, testPurchases: false }, options)
      const charge = { purchaseId: sale.purchaseId, ...EUROS, expiresAt: new Date(world.clock.ms) }
      expect(await strict.examine(charge, sale.reference)).toMatchObject({ state: 'mismatch' })
      expectStatus(200, await complete(sale.fan, sale.purchaseId, sale.reference))
    })

    test('completes once while client and notification come at the same time', async () => {
      const sales = await Promise.all(Array.from({ length: 5 }, () => buyInApp(world)))
      await Promise.all(
        sales.map(async sale => {
          const answers = await Promise.all([
            complete(sale.fan, sale.purchaseId, sale.reference),
            tell(world, bought(sale.token)),
            complete(sale.fan, sale.purchaseId, sale.reference),
            tell(world, bought(sale.token)),
          ])
          expect(answers.map(({ status }) => status)).toEqual([200, 204, 200, 204])
          expect(await traces(world, sale)).toEqual(completedBy(sale.reference))
          expect(await paymentsOf(world, sale.purchaseId)).toHaveLength(1)
        }),
      )
    })

    test('with a payment that arrives after the pack was sold to another fan becomes refund_due, and is not acknowledged', async () => {
      const late = await buyInApp(world, {}, { supply: 1 })
      world.clock.advance(HOLD)
      expectStatus(201, await start(await patientFan(world), late.packId))
      expect((await tell(world, bought(late.token))).status).toBe(204)
      expect(await traces(world, late)).toMatchObject({ status: 'refund_due', sold: 0 })
      await acknowledgePayments(world.deps)
      expect(play.purchases.get(late.token)?.acknowledgementState).toBe('ACKNOWLEDGEMENT_STATE_PENDING')
    })

    test('is refunded in the store once, however often the refund is repeated', async () => {
      const sale = await buyInApp(world)
      expectStatus(200, await complete(sale.fan, sale.purchaseId, sale.reference))
      const { google } = world.deps.payments
      const charge = { purchaseId: sale.purchaseId, ...EUROS, expiresAt: new Date(world.clock.ms) }
      const { orderId } = play.purchases.get(sale.token) ?? {}
      await google?.refund(charge, sale.reference)
      await google?.refund(charge, sale.reference)
      expect(play.refunded.filter(id => id === orderId)).toHaveLength(1)
      await expect(google?.refund(charge, 'google:unknown')).rejects.toThrow('not_refundable')
      await expect(google?.refund(charge, 'pi_3Fake')).rejects.toThrow('not_refundable')
    })

    test('that the store refunds takes the sealed pack back, once, and leaves an opened one', async () => {
      const [sealed, opened] = [await buyInApp(world), await buyInApp(world)]
      expectStatus(200, await complete(sealed.fan, sealed.purchaseId, sealed.reference))
      const { userPack } = expectStatus(200, await complete(opened.fan, opened.purchaseId, opened.reference))
      expectStatus(200, await open(opened.fan, userPack.id))
      complaints(world)
      for (const { token } of [sealed, opened]) {
        play.void(token)
        for (const _ of ['first', 'again']) expect((await tell(world, voided(token))).status).toBe(204)
      }
      expect(await traces(world, sealed)).toMatchObject({ status: 'refunded', sold: 0 })
      expect(await traces(world, opened)).toMatchObject({ status: 'refunded', sold: 1 })
      expect(complaints(world)).toMatchObject([{ gateway: 'google', reference: opened.reference }])
    })

    test('that the store refunds in part, or that names another app, changes nothing', async () => {
      const sale = await buyInApp(world)
      expectStatus(200, await complete(sale.fan, sale.purchaseId, sale.reference))
      const other = { packageName: 'com.rival.fans', ...voided(sale.token) }
      const strays = [
        voided(sale.token, 2),
        other,
        { testNotification: { version: '1.0' } },
        voided('unknown'),
        {},
      ]
      for (const notification of strays) expect((await tell(world, notification)).status).toBe(204)
      expect(await traces(world, sale)).toEqual(completedBy(sale.reference))
    })

    test('that the store refunded before it was acknowledged is reported to the operator', async () => {
      const sale = await buyInApp(world)
      expectStatus(200, await complete(sale.fan, sale.purchaseId, sale.reference))
      play.void(sale.token)
      complaints(world)
      await acknowledgePayments(world.deps)
      const { purchaseId } = sale
      const own = complaints(world).filter(line => line.purchaseId === purchaseId)
      expect(own).toMatchObject([{ gateway: 'google' }])
      expect((await paymentsOf(world, sale.purchaseId))[0]?.acknowledgeBy).toBeNull()
    })

    describe('refuses a push', () => {
      const claims: [string, Record<string, unknown>][] = [
        ['for another audience', { aud: 'https://rival.example' }],
        ['of another issuer', { iss: 'https://login.example' }],
        ['of another service account', { email: 'rival@club.iam.gserviceaccount.com' }],
        ['of an address that is not verified', { email_verified: false }],
        ['that has expired', { exp: 1_700_000_000 }],
      ]
      test.each(claims)('%s', async (_, wrong) => {
        const sale = await buyInApp(world)
        const answer = await send(world, await play.push(bought(sale.token), wrong))
        expect(refusal(answer)).toEqual([401, 'invalid_signature'])
        expect(await traces(world, sale)).toEqual(UNTOUCHED)
      })

      test('that is signed by another key, or not signed', async () => {
        const sale = await buyInApp(world)
        const forged = await play.push(bought(sale.token), {}, true)
        const { body } = forged
        for (const push of [
          forged,
          { body },
          { body, authorization: 'Bearer a.b.c' },
          { body, authorization: PUSHER },
        ])
          expect(refusal(await send(world, push))).toEqual([401, 'invalid_signature'])
        expect(await traces(world, sale)).toEqual(UNTOUCHED)
      })
    })

    describe.each<[string, Outage]>([
      ['never answers', 'hang'],
      ['answers 500', { status: 500, body: { error: { code: 500 } } }],
      ['answers 502 in HTML', { status: 502, body: '<html>Bad gateway</html>' }],
      ['answers 200 in HTML', { status: 200, body: '<html>Please sign in</html>' }],
      ['refuses the key', { status: 401, body: { error: { code: 401 } } }],
      ['refuses the service account', { status: 403, body: { error: { code: 403 } } }],
      ['limits requests', { status: 429, body: { error: { code: 429 } } }],
    ])('while Google Play %s', (_, outage) => {
      test('is 503 for client and push, keeps the acknowledgement due, and succeeds later', async () => {
        const [open, done] = [await buyInApp(world), await buyInApp(world)]
        expectStatus(200, await complete(done.fan, done.purchaseId, done.reference))
        const { client, payments } = impatient(world, open.fan, outage === 'hang' ? 100 : undefined)
        play.outage = outage
        const push = await play.push(bought(open.token))
        const answers = [
          await complete(client, open.purchaseId, open.reference),
          await send({ anonymous: client }, push),
        ]
        for (const answer of answers) expect(refusal(answer)).toEqual([503, 'payment_gateway_unavailable'])
        expect(await traces(world, open)).toEqual(UNTOUCHED)
        await expect(acknowledgePayments({ ...world.deps, payments })).rejects.toThrow(
          'payment_gateway_unavailable',
        )
        expect((await paymentsOf(world, done.purchaseId))[0]?.acknowledgeBy).not.toBeNull()

        play.outage = null
        expect((await send(world, push)).status).toBe(204)
        await acknowledgePayments(world.deps)
        expect(await traces(world, open)).toEqual(completedBy(open.reference))
        expect(await paymentsOf(world, done.purchaseId)).toMatchObject([{ acknowledgeBy: null }])
      })
    })
  },
  { env: play.env },
)
