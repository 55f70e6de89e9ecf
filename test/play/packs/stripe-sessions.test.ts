/** Paying on the page of a Checkout Session: prepare, pay, complete; abandoned, late and repeated payments. */
import { describe, expect, test } from 'bun:test'
import { waitUntil } from '../../support/wait-until.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import {
  addPack,
  cancel,
  complete,
  EUROS,
  expectStatus,
  HOLD,
  MINUTE,
  type NewPack,
  patientFan,
  refusal,
  start,
} from './packs-world.ts'
import { errorReply, type Outage, type Session, useStripe } from './stripe-server.ts'
import {
  complaints,
  completedBy,
  deliver,
  impatient,
  prepare,
  requestsFor,
  traces,
  UNTOUCHED,
} from './stripe-world.ts'

const stripe = useStripe()

const env = {
  ...stripe.env,
  STRIPE_CLIENT: 'checkout_sessions',
  STRIPE_SUCCESS_URL: 'https://club.example/paid?session={CHECKOUT_SESSION_ID}',
  STRIPE_CANCEL_URL: 'https://club.example/cart',
}

/** A purchase whose page is open. */
async function checkOut(world: World, pack: NewPack = {}) {
  stripe.now = () => world.clock.ms
  const packId = await addPack(world, { price: EUROS, supply: 5, ...pack })
  const fan = await patientFan(world)
  const { id: purchaseId } = expectStatus(201, await start(fan, packId))
  const { paymentReference: sessionId } = expectStatus(200, await prepare(fan, purchaseId))
  return { fan, packId, purchaseId, sessionId: String(sessionId) }
}

const intentOf = ({ payment_intent: id }: Session) => id ?? ''
const sessionsOf = (purchaseId: string) =>
  [...stripe.sessions.values()].filter(({ metadata }) => metadata.purchaseId === purchaseId)

onEachEngine(
  'Paying on the page of a Checkout Session',
  world => {
    test('asks Stripe for one session of the price, which ends soon after the hold', async () => {
      stripe.asked.length = 0
      const { fan, purchaseId, sessionId } = await checkOut(world)
      const again = await Promise.all([prepare(fan, purchaseId), prepare(fan, purchaseId)])
      const [session] = sessionsOf(purchaseId)
      const prepared = {
        gateway: 'stripe',
        paymentReference: sessionId,
        clientSecret: null,
        checkoutUrl: `https://checkout.stripe.com/c/pay/${sessionId}`,
        store: null,
      }
      for (const { body } of again) expect(body).toEqual(prepared)
      expect(sessionsOf(purchaseId)).toHaveLength(1)
      expect(stripe.asked[0]).toMatchObject({
        method: 'POST',
        path: '/v1/checkout/sessions',
        idempotencyKey: `session-${purchaseId}`,
        form: {
          mode: 'payment',
          'line_items[0][quantity]': '1',
          'line_items[0][price_data][currency]': 'eur',
          'line_items[0][price_data][unit_amount]': '499',
          client_reference_id: purchaseId,
          'metadata[purchaseId]': purchaseId,
          'payment_intent_data[metadata][purchaseId]': purchaseId,
          'adaptive_pricing[enabled]': 'false',
          success_url: env.STRIPE_SUCCESS_URL,
          cancel_url: env.STRIPE_CANCEL_URL,
        },
      })
      const end = (session?.expires_at ?? 0) * 1000
      expect(end - (world.clock.ms + HOLD)).toBe(31 * MINUTE)
    })

    test('can be prepared until the last second of the hold', async () => {
      stripe.now = () => world.clock.ms
      const fan = await patientFan(world)
      const { id } = expectStatus(201, await start(fan, await addPack(world, { price: EUROS })))
      world.clock.advance(HOLD - 1000)
      expect((await prepare(fan, id)).status).toBe(200)
    })

    test('completes with the session that the client comes back with, under its PaymentIntent', async () => {
      const checkout = await checkOut(world)
      const { fan, purchaseId, sessionId } = checkout
      expect(refusal(await complete(fan, purchaseId, sessionId))).toEqual([402, 'payment_not_confirmed'])
      const paid = stripe.paySession(sessionId)
      const first = await complete(fan, purchaseId, sessionId)
      expect(first).toMatchObject({ status: 200, body: { status: 'completed' } })
      expect((await complete(fan, purchaseId, sessionId)).body).toEqual(first.body)
      expect(await traces(world, checkout)).toEqual(completedBy(intentOf(paid)))
    })

    describe('does not complete with a session', () => {
      const shortcomings: [string, Partial<Session>][] = [
        ['of another amount', { amount_total: 498 }],
        ['in another currency', { currency: 'usd' }],
        ['that is complete and not paid', { payment_status: 'unpaid' }],
        ['without a payment', { payment_intent: null }],
      ]
      test.each(shortcomings)('%s', async (_, facts) => {
        const checkout = await checkOut(world)
        Object.assign(stripe.paySession(checkout.sessionId), facts)
        const answer = await complete(checkout.fan, checkout.purchaseId, checkout.sessionId)
        expect(refusal(answer)).toEqual([402, 'payment_not_confirmed'])
        expect(await traces(world, checkout)).toEqual(UNTOUCHED)
      })

      test('whose payment is of another amount than the session says', async () => {
        const checkout = await checkOut(world)
        const session = stripe.paySession(checkout.sessionId)
        stripe.pay(intentOf(session), { amount_received: 498 })
        const answer = await complete(checkout.fan, checkout.purchaseId, checkout.sessionId)
        expect(refusal(answer)).toEqual([402, 'payment_not_confirmed'])
      })

      test('that another fan has paid', async () => {
        const [mine, other] = [await checkOut(world), await checkOut(world)]
        stripe.paySession(other.sessionId)
        expect((await complete(other.fan, other.purchaseId, other.sessionId)).status).toBe(200)
        const answer = await complete(mine.fan, mine.purchaseId, other.sessionId)
        expect(refusal(answer)).toEqual([402, 'payment_not_confirmed'])
        expect(await traces(world, mine)).toEqual(UNTOUCHED)
      })
    })

    test('the events of the session, the events of its intent and the client complete a purchase once, all at the same time', async () => {
      const checkouts = await Promise.all(Array.from({ length: 6 }, () => checkOut(world)))
      await Promise.all(
        checkouts.map(async checkout => {
          const { fan, purchaseId, sessionId } = checkout
          const session = stripe.paySession(sessionId)
          const intent = stripe.pay(intentOf(session))
          const answers = await Promise.all([
            deliver(world, session, 'checkout.session.completed'),
            complete(fan, purchaseId, sessionId),
            deliver(world, intent),
            complete(fan, purchaseId, intentOf(session)),
            deliver(world, session, 'checkout.session.completed'),
          ])
          expect(answers.map(({ status }) => status)).toEqual([204, 200, 204, 200, 204])
          expect(await traces(world, checkout)).toEqual(completedBy(intentOf(session)))
        }),
      )
    })

    test('a payment that takes days completes when it succeeds, and offers no second one meanwhile', async () => {
      const checkout = await checkOut(world)
      const { fan, purchaseId, sessionId } = checkout
      const session = stripe.paySession(sessionId, 'processing')
      expect((await deliver(world, session, 'checkout.session.completed')).status).toBe(204)
      expect(await traces(world, checkout)).toEqual(UNTOUCHED)
      // Asked, not charged again.
      const prepared = expectStatus(200, await prepare(fan, purchaseId))
      expect(prepared).toMatchObject({ paymentReference: sessionId, checkoutUrl: null })

      world.clock.advance(2 * HOLD)
      stripe.pay(intentOf(session))
      Object.assign(session, { payment_status: 'paid' })
      const event = 'checkout.session.async_payment_succeeded'
      expect((await deliver(world, session, event)).status).toBe(204)
      expect(await traces(world, checkout)).toEqual(completedBy(intentOf(session)))
    })

    test('a payment that fails later can be made again, on another page', async () => {
      const checkout = await checkOut(world)
      const { fan, purchaseId, sessionId } = checkout
      const failed = stripe.paySession(sessionId, 'processing')
      stripe.pay(intentOf(failed), { status: 'requires_payment_method', amount_received: 0 })
      expect((await deliver(world, failed, 'checkout.session.async_payment_failed')).status).toBe(204)
      expect(await traces(world, checkout)).toEqual(UNTOUCHED)

      const [one, two] = await Promise.all([prepare(fan, purchaseId), prepare(fan, purchaseId)])
      expect(one.body).toEqual(two.body)
      expect(one.body.paymentReference).not.toBe(sessionId)
      expect(sessionsOf(purchaseId)).toHaveLength(2)
      const paid = stripe.paySession(one.body.paymentReference)
      expectStatus(200, await complete(fan, purchaseId, one.body.paymentReference))
      expect(await traces(world, checkout)).toEqual(completedBy(intentOf(paid)))
    })

    test('a page that was left can be opened again, and blocks no other purchase', async () => {
      const checkout = await checkOut(world, { supply: 1 })
      const { fan, packId, purchaseId, sessionId } = checkout
      expect(expectStatus(200, await prepare(fan, purchaseId)).paymentReference).toBe(sessionId)
      world.clock.advance(HOLD)
      const { id } = expectStatus(201, await start(fan, packId))
      const next = expectStatus(200, await prepare(fan, id)).paymentReference
      const old = stripe.sessions.get(sessionId)
      if (!old) throw new Error('the session vanished')
      Object.assign(old, { status: 'expired', url: null })
      expect((await deliver(world, old, 'checkout.session.expired')).status).toBe(204)
      const paid = stripe.paySession(next)
      expectStatus(200, await complete(fan, id, next))
      expect(await traces(world, { packId, purchaseId: id })).toEqual(completedBy(intentOf(paid)))
    })

    test('a payment that arrives after the pack was sold to another fan becomes refund_due', async () => {
      const late = await checkOut(world, { supply: 1 })
      const session = stripe.paySession(late.sessionId)
      world.clock.advance(HOLD)
      expectStatus(201, await start(await patientFan(world), late.packId))
      complaints(world)
      expect((await deliver(world, session, 'checkout.session.completed')).status).toBe(204)
      expect(await traces(world, late)).toMatchObject({ status: 'refund_due', sold: 0, handedOver: 0 })
      expect(complaints(world)).toMatchObject([{ purchaseId: late.purchaseId }])
    })

    test('a second payment of one purchase is reported to the operator', async () => {
      const { purchaseId, sessionId, packId } = await checkOut(world)
      const session = stripe.paySession(sessionId)
      await deliver(world, session, 'checkout.session.completed')
      complaints(world)
      const { amount_total: amount } = session
      const second = stripe.makeIntent({ amount, metadata: { purchaseId } })
      expect((await deliver(world, stripe.pay(second.id))).status).toBe(204)
      expect(complaints(world)).toMatchObject([{ purchaseId, reference: second.id }])
      expect(await traces(world, { packId, purchaseId })).toEqual(completedBy(intentOf(session)))
    })

    test('cancelling the purchase closes the page, and a preparation at the same time opens none', async () => {
      const { fan, purchaseId, sessionId } = await checkOut(world)
      expectStatus(200, await cancel(fan, purchaseId))
      await waitUntil('the page is closed', () => stripe.sessions.get(sessionId)?.status === 'expired')
      expect(sessionsOf(purchaseId)).toHaveLength(1)
      const { payments } = world.deps
      const charge = { purchaseId, ...EUROS, expiresAt: new Date(world.clock.ms + HOLD) }
      await expect(payments.stripe?.prepare(charge)).rejects.toThrow('payment_not_confirmed')
    })

    test('does not undo a payment that was made before: it becomes refund_due', async () => {
      const checkout = await checkOut(world)
      const session = stripe.paySession(checkout.sessionId)
      expectStatus(200, await cancel(checkout.fan, checkout.purchaseId))
      expect((await deliver(world, session, 'checkout.session.completed')).status).toBe(204)
      expect(await traces(world, checkout)).toMatchObject({ status: 'refund_due', sold: 0, handedOver: 0 })
    })

    test('completes with a PaymentIntent that was prepared before the setting changed', async () => {
      const checkout = await checkOut(world)
      const { purchaseId } = checkout
      const intent = stripe.makeIntent({ amount: 499, metadata: { purchaseId } })
      stripe.pay(intent.id)
      expectStatus(200, await complete(checkout.fan, purchaseId, intent.id))
      expect(await traces(world, checkout)).toEqual(completedBy(intent.id))
    })

    describe.each<[string, Outage]>([
      ['never answers', 'hang'],
      ['answers 500', errorReply(500, 'api_error', null, 'Something went wrong on Stripe’s end.')],
      ['is a proxy that answers 502 in HTML', { status: 502, body: '<html>502 Bad Gateway</html>' }],
      ['is a proxy that answers 200 in HTML', { status: 200, body: '<html>Please sign in</html>' }],
    ])('while Stripe %s', (_, outage) => {
      test('preparing, completing and the event are 503, and succeed later', async () => {
        const checkout = await checkOut(world)
        const { purchaseId, sessionId } = checkout
        const session = stripe.paySession(sessionId)
        const client = impatient(world, checkout.fan, outage === 'hang' ? { deadlineMs: 100 } : {})
        stripe.outage = outage
        const answers = [
          await prepare(client, purchaseId),
          await complete(client, purchaseId, sessionId),
          await deliver(world, session, 'checkout.session.completed', client),
        ]
        for (const answer of answers) expect(refusal(answer)).toEqual([503, 'payment_gateway_unavailable'])
        expect(await traces(world, checkout)).toEqual(UNTOUCHED)
        stripe.outage = null
        expect((await deliver(world, session, 'checkout.session.completed')).status).toBe(204)
        expect(await traces(world, checkout)).toEqual(completedBy(intentOf(session)))
        expect(requestsFor(stripe, '/v1/refunds')).toEqual([])
      })
    })
  },
  { env },
)
