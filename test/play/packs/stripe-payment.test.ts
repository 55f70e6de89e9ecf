/** Paying through Stripe as a client does: prepare, pay, complete; and what does not count as a payment. */
import { afterAll, describe, expect, test } from 'bun:test'
import { onEachEngine } from '../../support/world.ts'
import { addPack, complete, EUROS, expectStatus, HOLD, patientFan, refusal, start } from './packs-world.ts'
import { type Intent, SECRET_KEY, startStripe } from './stripe-server.ts'
import { checkOut, completedBy, prepare, requestsFor, traces, UNTOUCHED } from './stripe-world.ts'

const stripe = startStripe()
afterAll(() => stripe.stop())

/** Intents of Stripe that do not pay the purchase. */
const shortcomings: [string, Partial<Intent>][] = [
  ['is not paid yet', { status: 'requires_payment_method', amount_received: 0 }],
  ['waits for the bank', { status: 'requires_action', amount_received: 0 }],
  ['is on its way', { status: 'processing', amount_received: 0 }],
  ['is authorized but not captured', { status: 'requires_capture', amount_received: 0 }],
  ['was canceled', { status: 'canceled', amount_received: 0 }],
  ['is of another amount', { amount: 498, amount_received: 498 }],
  ['was received in part', { amount_received: 498 }],
  ['was made out for more, and captured in part', { amount: 998, amount_received: 499 }],
  ['was received twice over', { amount_received: 998 }],
  ['is in another currency', { currency: 'usd' }],
  ['is for another purchase', { metadata: { purchaseId: '01981e2c-7c1f-7000-8000-000000000003' } }],
  ['is for no purchase', { metadata: {} }],
  [
    'failed with a card that was declined',
    {
      status: 'requires_payment_method',
      amount_received: 0,
      last_payment_error: { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds' },
    },
  ],
]

onEachEngine(
  'Paying through Stripe',
  world => {
    test('asks Stripe for one intent, in the price of the purchase, under its id', async () => {
      const packId = await addPack(world, { price: EUROS })
      const fan = await patientFan(world)
      const { id } = expectStatus(201, await start(fan, packId))
      stripe.asked.length = 0
      const prepared = await prepare(fan, id)

      expect(prepared.status).toBe(200)
      expect(prepared.headers.get('cache-control')).toBe('no-store')
      const [intent] = [...stripe.intents.values()].filter(({ metadata }) => metadata.purchaseId === id)
      expect(prepared.body).toEqual({
        gateway: 'stripe',
        paymentReference: intent?.id,
        clientSecret: intent?.client_secret,
        checkoutUrl: null,
        store: null,
      })
      expect(stripe.asked).toEqual([
        {
          method: 'POST',
          path: '/v1/payment_intents',
          authorization: `Bearer ${SECRET_KEY}`,
          idempotencyKey: id,
          form: {
            amount: '499',
            currency: 'eur',
            'automatic_payment_methods[enabled]': 'true',
            'metadata[purchaseId]': id,
          },
        },
      ])
    })

    test('prepares the same intent however often, and at once', async () => {
      const { fan, purchaseId, intentId } = await checkOut(world)
      const again = await Promise.all(Array.from({ length: 8 }, () => prepare(fan, purchaseId)))
      expect(new Set(again.map(({ body }) => body.paymentReference))).toEqual(new Set([intentId]))
      const made = [...stripe.intents.values()].filter(({ metadata }) => metadata.purchaseId === purchaseId)
      expect(made).toHaveLength(1)
    })

    test('completes a purchase that Stripe says is paid, and answers the same from then on', async () => {
      const checkout = await checkOut(world)
      const { fan, purchaseId, intentId } = checkout
      stripe.pay(intentId)
      const first = await complete(fan, purchaseId, intentId)
      expect(first).toMatchObject({
        status: 200,
        body: { status: 'completed', userPack: { state: 'sealed' } },
      })
      expect(await traces(world, checkout)).toEqual(completedBy(intentId))

      const read = requestsFor(stripe, `/v1/payment_intents/${intentId}`).length
      expect((await complete(fan, purchaseId, intentId)).body).toEqual(first.body)
      expect(requestsFor(stripe, `/v1/payment_intents/${intentId}`)).toHaveLength(read)
    })

    describe('does not complete with a payment that', () => {
      test.each(shortcomings)('%s', async (_, facts) => {
        const checkout = await checkOut(world)
        stripe.pay(checkout.intentId, facts)
        const answer = await complete(checkout.fan, checkout.purchaseId, checkout.intentId)
        expect(refusal(answer)).toEqual([402, 'payment_not_confirmed'])
        expect(await traces(world, checkout)).toEqual(UNTOUCHED)
      })

      test.each([
        ['in part', 1],
        ['in full', EUROS.amount],
      ])('was refunded %s in the dashboard', async (_, amount) => {
        const checkout = await checkOut(world)
        stripe.pay(checkout.intentId)
        stripe.refundInDashboard(checkout.intentId, amount)
        const answer = await complete(checkout.fan, checkout.purchaseId, checkout.intentId)
        expect(refusal(answer)).toEqual([402, 'payment_not_confirmed'])
        expect(await traces(world, checkout)).toEqual(UNTOUCHED)
      })

      test('Stripe does not know', async () => {
        const checkout = await checkOut(world)
        const answer = await complete(checkout.fan, checkout.purchaseId, 'pi_unknown')
        expect(refusal(answer)).toEqual([402, 'payment_not_confirmed'])
        expect(await traces(world, checkout)).toEqual(UNTOUCHED)
      })

      test('paid another purchase of the same price', async () => {
        const [mine, other] = [await checkOut(world), await checkOut(world)]
        stripe.pay(other.intentId)
        expect((await complete(other.fan, other.purchaseId, other.intentId)).status).toBe(200)
        const answer = await complete(mine.fan, mine.purchaseId, other.intentId)
        expect(refusal(answer)).toEqual([402, 'payment_not_confirmed'])
        expect(await traces(world, mine)).toEqual(UNTOUCHED)
      })
    })

    test('does not call Stripe for a reference that cannot be the id of an intent', async () => {
      const checkout = await checkOut(world)
      stripe.asked.length = 0
      const odd = [
        'pi_',
        'ch_3Fake',
        'pi_../refunds',
        'pi_x/../../charges',
        'pi_x?expand[]=y',
        ' pi_x',
        `pi_${'x'.repeat(251)}`,
      ]
      for (const reference of odd) {
        const answer = await complete(checkout.fan, checkout.purchaseId, reference)
        expect([402, 422]).toContain(answer.status)
      }
      expect(stripe.asked).toEqual([])
      expect(await traces(world, checkout)).toEqual(UNTOUCHED)
    })

    test('offers no payment of a purchase that has expired, is paid, or costs points', async () => {
      const [expired, paid] = [await checkOut(world), await checkOut(world)]
      stripe.pay(paid.intentId)
      await complete(paid.fan, paid.purchaseId, paid.intentId)
      expect(refusal(await prepare(paid.fan, paid.purchaseId))).toEqual([409, 'no_payment_needed'])

      const rich = await patientFan(world, 100)
      const { id } = expectStatus(201, await start(rich, await addPack(world)))
      expect(refusal(await prepare(rich, id))).toEqual([409, 'no_payment_needed'])

      world.clock.advance(HOLD)
      expect(refusal(await prepare(expired.fan, expired.purchaseId))).toEqual([409, 'purchase_expired'])
      expect(refusal(await prepare(rich, expired.purchaseId))).toEqual([404, 'purchase_not_found'])
    })

    test('reports that the price is not accepted when Stripe refuses the intent', async () => {
      const fan = await patientFan(world)
      const packId = await addPack(world, { price: { amount: 10, currency: 'EUR' } })
      const { id } = expectStatus(201, await start(fan, packId))
      const answer = await prepare(fan, id)
      expect(refusal(answer)).toEqual([402, 'payment_not_confirmed'])
      expect(answer.body.detail).toBe('The gateway does not accept this price.')
    })
  },
  { env: stripe.env },
)
