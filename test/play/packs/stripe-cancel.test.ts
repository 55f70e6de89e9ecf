/** Cancelling a purchase in money also cancels its PaymentIntent at Stripe, after the commit and without making the fan wait. */
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
  patientFan,
  refusal,
  start,
} from './packs-world.ts'
import { errorReply, type Outage, useStripe } from './stripe-server.ts'
import { checkOut, deliver, impatient, impatientGateway, requestsFor, traces } from './stripe-world.ts'

const stripe = useStripe()

const statusOf = (intentId: string) => stripe.intents.get(intentId)?.status
const warnings = ({ logged }: World) =>
  logged.filter(line => line.includes('the payment of a cancelled purchase was not cancelled'))

onEachEngine(
  'Cancelling a purchase that is paid through Stripe',
  world => {
    test('cancels the intent that was prepared, once', async () => {
      const { fan, purchaseId, intentId } = await checkOut(world)
      expectStatus(200, await cancel(fan, purchaseId))
      await waitUntil('the intent is canceled', () => statusOf(intentId) === 'canceled')
      expectStatus(200, await cancel(fan, purchaseId))
      const asked = requestsFor(stripe, `/v1/payment_intents/${intentId}/cancel`)
      expect(asked.map(({ form }) => form)).toEqual([{ cancellation_reason: 'requested_by_customer' }])
      expect(
        [...stripe.intents.values()].filter(({ metadata }) => metadata.purchaseId === purchaseId),
      ).toHaveLength(1)
    })

    test('leaves no payment open if none was prepared, or if it is prepared at the same time', async () => {
      const fan = await patientFan(world)
      const { id } = expectStatus(201, await start(fan, await addPack(world, { price: EUROS })))
      expectStatus(200, await cancel(fan, id))
      const intentOf = () => [...stripe.intents.values()].find(({ metadata }) => metadata.purchaseId === id)
      await waitUntil('the intent is canceled', () => intentOf()?.status === 'canceled')

      const charge = { purchaseId: id, ...EUROS, expiresAt: new Date(world.clock.ms + HOLD) }
      const late = await impatientGateway(world).prepare(charge)
      expect(late.paymentReference).toBe(intentOf()?.id ?? '')
      expect(statusOf(late.paymentReference ?? '')).toBe('canceled')
    })

    test('does not ask Stripe for a price in points, or when the purchase cannot be cancelled', async () => {
      const rich = await patientFan(world, 100)
      const { id } = expectStatus(201, await start(rich, await addPack(world)))
      const paid = await checkOut(world)
      stripe.pay(paid.intentId)
      expectStatus(200, await complete(paid.fan, paid.purchaseId, paid.intentId))
      stripe.asked.length = 0
      expectStatus(200, await cancel(rich, id))
      expect(refusal(await cancel(paid.fan, paid.purchaseId))).toEqual([409, 'purchase_not_pending'])
      expect(stripe.asked).toEqual([])
    })

    test('does not undo a payment that was made before: it becomes refund_due', async () => {
      const checkout = await checkOut(world)
      const intent = stripe.pay(checkout.intentId)
      expectStatus(200, await cancel(checkout.fan, checkout.purchaseId))
      await waitUntil(
        'Stripe is asked',
        () => requestsFor(stripe, `/v1/payment_intents/${checkout.intentId}/cancel`).length > 0,
      )
      expect((await deliver(world, intent)).status).toBe(204)
      expect(await traces(world, checkout)).toMatchObject({ status: 'refund_due', sold: 0, handedOver: 0 })
    })

    describe.each<[string, Outage]>([
      ['never answers', 'hang'],
      ['answers 500', errorReply(500, 'api_error', null, 'Something went wrong on Stripe’s end.')],
    ])('while Stripe %s', (_, outage) => {
      test('responds immediately and logs a warning, and a later payment becomes refund_due', async () => {
        const checkout = await checkOut(world)
        const { fan, purchaseId, intentId } = checkout
        const client = impatient(world, fan, outage === 'hang' ? { deadlineMs: 100 } : {})
        world.logged.length = 0
        stripe.outage = outage
        expect(expectStatus(200, await client.post(`/api/packs/purchases/${purchaseId}/cancel`)).status).toBe(
          'cancelled',
        )
        await waitUntil('the failure is logged', () => warnings(world).length > 0)
        expect(JSON.parse(warnings(world)[0] ?? '')).toMatchObject({ level: 40, purchaseId })

        stripe.outage = null
        expect((await deliver(world, stripe.pay(intentId))).status).toBe(204)
        expect(await traces(world, checkout)).toMatchObject({ status: 'refund_due', sold: 0, handedOver: 0 })
      })
    })
  },
  { env: stripe.env },
)
