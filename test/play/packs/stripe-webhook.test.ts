/** Events of Stripe: signed, once or repeated, before or after the client, in time or late. */
import { describe, expect, test } from 'bun:test'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { upsertRule } from '../../../src/economy/rules/rule-kind.ts'
import { onEachEngine } from '../../support/world.ts'
import { userIdOf } from '../quests/quests-world.ts'
import { addPack, buy, complete, HOLD, patientFan, refusal, start } from './packs-world.ts'
import { eventOf, type Intent, signEvent, useStripe } from './stripe-server.ts'
import {
  checkOut,
  complaints,
  completedBy,
  deliver,
  deliverBody,
  requestsFor,
  traces,
  UNTOUCHED,
} from './stripe-world.ts'

const stripe = useStripe()

onEachEngine(
  'The webhook of Stripe',
  world => {
    test('completes the purchase that was paid, and accepts the same event again', async () => {
      const checkout = await checkOut(world)
      const intent = stripe.pay(checkout.intentId)
      expect((await deliver(world, intent)).status).toBe(204)
      expect(await traces(world, checkout)).toEqual(completedBy(intent.id))

      // Again, and when Stripe's own API is away: nothing is asked about what is settled.
      stripe.outage = 'hang'
      expect((await deliver(world, intent)).status).toBe(204)
      expect(await traces(world, checkout)).toEqual(completedBy(intent.id))
      stripe.outage = null
      const answer = await complete(checkout.fan, checkout.purchaseId, intent.id)
      expect(answer).toMatchObject({ status: 200, body: { status: 'completed' } })
    })

    test('and concurrent repeated completions by the client complete it once', async () => {
      const checkouts = await Promise.all(Array.from({ length: 10 }, () => checkOut(world)))
      await Promise.all(
        checkouts.map(async checkout => {
          const { fan, purchaseId, intentId } = checkout
          const intent = stripe.pay(intentId)
          const answers = await Promise.all([
            deliver(world, intent),
            complete(fan, purchaseId, intentId),
            deliver(world, intent),
            complete(fan, purchaseId, intentId),
          ])
          expect(answers.map(({ status }) => status)).toEqual([204, 200, 204, 200])
          expect(answers[1]?.body).toEqual(answers[3]?.body)
          expect(await traces(world, checkout)).toEqual(completedBy(intentId))
        }),
      )
    })

    describe('refuses before it looks at the body', () => {
      const MINUTES = 60_000
      const body = JSON.stringify({ neither: 'an event', nor: ['a', 'type'] })
      const badSignatures: [string, (now: number) => string][] = [
        ['without a signature', () => ''],
        ['with a signature of another secret', now => signEvent(body, now, 'whsec_another')],
        ['with a signature of another body', now => signEvent(`${body} `, now)],
        [
          'with a signature that is older than five minutes',
          now => signEvent(body, now - 5 * MINUTES - 1000),
        ],
        [
          'with another time than was signed',
          now => signEvent(body, now).replace(/t=\d+/, `t=${now / 1000 + 1}`),
        ],
        ['with the test scheme only', now => signEvent(body, now).replace('v1=', 'v0=')],
        ['without a time', now => signEvent(body, now).replace(/t=\d+,/, '')],
        ['with nonsense', () => 'v1=,t=,,='],
      ]
      test.each(badSignatures)('a delivery %s', async (_, sign) => {
        const from = world.logged.length
        const answer = await deliverBody(world, body, sign(world.clock.ms))
        expect(refusal(answer)).toEqual([401, 'invalid_signature'])
        const events = world.logged.slice(from).filter(line => line.includes('"securityEvent"'))
        expect(events.map(line => JSON.parse(line))).toMatchObject([
          { securityEvent: 'webhook_signature_invalid', path: '/api/webhooks/stripe' },
        ])
      })

      test('but accepts one that is just under five minutes old, and one that is signed with an old and a new secret', async () => {
        const sound = JSON.stringify({ type: 'charge.succeeded' })
        const old = signEvent(sound, world.clock.ms - 4 * MINUTES)
        expect((await deliverBody(world, sound, old)).status).toBe(204)
        const other = signEvent(sound, world.clock.ms, 'whsec_rolled').split(',')[1]
        const both = signEvent(sound, world.clock.ms).replace(',', `,${other},`)
        expect((await deliverBody(world, sound, both)).status).toBe(204)
      })

      test('and validates signed events against its schema', async () => {
        const answer = await deliverBody(world, body, signEvent(body, world.clock.ms))
        expect(refusal(answer)).toEqual([422, 'validation_failed'])
      })
    })

    describe('tells broken signed deliveries from unsigned ones', () => {
      const dispute = { amount: 499, status: 'lost', payment_intent: 'pi_3Fake' }
      const due = { ...dispute, evidence_details: { due_by: 'soon' } }
      test.each([
        ['payment_intent.succeeded', {}, '/data/object'],
        ['payment_intent.succeeded', { data: null }, '/data/object'],
        ['payment_intent.succeeded', { data: 'pi_3Fake' }, '/data/object'],
        ['payment_intent.succeeded', { data: { object: [] } }, '/data/object'],
        ['payment_intent.succeeded', { data: { object: { id: 5 } } }, '/data/object/id'],
        [
          'payment_intent.succeeded',
          { data: { object: { id: 'pi', metadata: { purchaseId: 5 } } } },
          '/data/object/metadata',
        ],
        ['checkout.session.completed', {}, '/data/object'],
        [
          'checkout.session.completed',
          { data: { object: { payment_status: 'paid' } } },
          '/data/object/payment_intent',
        ],
        ['charge.dispute.closed', {}, '/data/object'],
        ['charge.dispute.closed', { data: { object: { ...dispute, amount: '499' } } }, '/data/object/amount'],
        ['charge.dispute.created', { data: { object: due } }, '/data/object/evidence_details'],
        ['v1.payment_intent.succeeded', { object: 'v2.core.event' }, '/related_object/id'],
      ])('%s with %j', async (type, members, pointer) => {
        const body = JSON.stringify({ object: 'event', type, ...members })
        const answer = await deliverBody(world, body, signEvent(body, world.clock.ms))
        expect(refusal(answer)).toEqual([422, 'validation_failed'])
        expect(answer.body.errors).toMatchObject([{ pointer }])
      })

      test.each(['{', '{"type":"payment_intent.succeeded"'])('%j', async body => {
        const answer = await deliverBody(world, body, signEvent(body, world.clock.ms))
        expect(refusal(answer)).toEqual([400, 'malformed_request'])
      })

      test('and ignores other types, whatever they contain', async () => {
        for (const members of [{}, { data: 7 }, { data: { object: { amount: 'a' } } }]) {
          const body = JSON.stringify({ type: 'charge.updated', ...members })
          expect((await deliverBody(world, body, signEvent(body, world.clock.ms))).status).toBe(204)
        }
      })
    })

    describe('of a thin event', () => {
      const thin = (type: string, members: object = {}) => {
        const body = JSON.stringify({ id: 'evt_65Fake', object: 'v2.core.event', type, ...members })
        return deliverBody(world, body, signEvent(body, world.clock.ms))
      }
      const about = (id: string, type = 'payment_intent') => ({
        related_object: { id, type, url: 'http://169.254.169.254/latest' },
      })

      test('fetches its object from Stripe, and completes the purchase', async () => {
        const checkout = await checkOut(world)
        stripe.pay(checkout.intentId)
        expect((await thin('v1.payment_intent.succeeded', about(checkout.intentId))).status).toBe(204)
        expect(await traces(world, checkout)).toEqual(completedBy(checkout.intentId))
      })

      test('makes Stripe retry while the object cannot be fetched', async () => {
        const checkout = await checkOut(world)
        stripe.pay(checkout.intentId)
        stripe.outage = { status: 500, body: 'no' }
        const early = await thin('v1.payment_intent.succeeded', about(checkout.intentId))
        expect(refusal(early)).toEqual([503, 'payment_gateway_unavailable'])
        stripe.outage = null
        const unknown = await thin('v1.payment_intent.succeeded', about('pi_3FakeOfNobody'))
        expect(refusal(unknown)).toEqual([503, 'payment_gateway_unavailable'])
        expect(await traces(world, checkout)).toEqual(UNTOUCHED)
      })

      test.each(['v1.payment_intent.created', 'v2.core.account.updated', 'payment_intent.succeeded'])(
        'accepts and ignores %s',
        async type => expect((await thin(type, about('pi_3FakeOfNobody'))).status).toBe(204),
      )
    })

    test('writes nothing for a delivery of a paid intent with a bad signature', async () => {
      const checkout = await checkOut(world)
      const body = JSON.stringify(eventOf(stripe.pay(checkout.intentId)))
      const answer = await deliverBody(world, body, signEvent(body, world.clock.ms, 'whsec_another'))
      expect(refusal(answer)).toEqual([401, 'invalid_signature'])
      expect(await traces(world, checkout)).toEqual(UNTOUCHED)
    })

    test('accepts and ignores other events, unknown purchases, and intents of other applications', async () => {
      const checkout = await checkOut(world)
      const intent = stripe.pay(checkout.intentId)
      for (const type of ['payment_intent.created', 'payment_intent.payment_failed', 'charge.refunded']) {
        expect((await deliver(world, intent, type)).status).toBe(204)
      }
      const unknown = '01981e2c-7c1f-7000-8000-000000000003'
      const strays: Intent['metadata'][] = [{ purchaseId: unknown }, {}]
      for (const metadata of strays) {
        const other = stripe.makeIntent({ amount: 499, amount_received: 499, status: 'succeeded', metadata })
        expect((await deliver(world, other)).status).toBe(204)
      }
      expect(await traces(world, checkout)).toEqual(UNTOUCHED)
    })

    test('makes Stripe retry while Stripe’s API does not report the payment, and completes then', async () => {
      const checkout = await checkOut(world)
      const paid = structuredClone(stripe.pay(checkout.intentId))
      stripe.pay(checkout.intentId, { status: 'processing', amount_received: 0 })
      const early = await deliver(world, paid)
      expect(refusal(early)).toEqual([503, 'payment_gateway_unavailable'])
      expect(early.headers.get('retry-after')).toBe('60')
      expect(await traces(world, checkout)).toEqual(UNTOUCHED)

      stripe.pay(checkout.intentId)
      expect((await deliver(world, paid)).status).toBe(204)
      expect(await traces(world, checkout)).toEqual(completedBy(checkout.intentId))
    })

    test('makes Stripe retry when the intent is unknown to our key', async () => {
      const checkout = await checkOut(world)
      const paid = stripe.pay(checkout.intentId)
      stripe.intents.delete(paid.id)
      expect(refusal(await deliver(world, paid))).toEqual([503, 'payment_gateway_unavailable'])
      expect(await traces(world, checkout)).toEqual(UNTOUCHED)
    })

    test('completes a payment whose rule grants more than the fan’s account can hold, without these points', async () => {
      const checkout = await checkOut(world)
      const { packId } = checkout
      const rule = { id: packId, name: 'Pack', eventType: 'purchase.completed', points: { fixed: 6 } }
      const when = [{ path: '/packId', op: 'eq' as const, value: packId }]
      await world.db.write(tx => upsertRule(tx, { ...rule, when }))
      const userId = await userIdOf(world, checkout.fan)
      const delta = Number.MAX_SAFE_INTEGER - 5
      await world.db.write(tx => appendEntry(tx, { userId, delta, reason: 'opening_balance', ref: 'import' }))
      const intent = stripe.pay(checkout.intentId)
      expect((await deliver(world, intent)).status).toBe(204)
      expect(await traces(world, checkout)).toEqual(completedBy(intent.id))
      expect((await checkout.fan.get('/api/user/points')).body.balance).toBe(delta)
    })

    test('reports a payment of the wrong amount to the operator, without a retry', async () => {
      const checkout = await checkOut(world)
      const intent = stripe.pay(checkout.intentId, { amount: 498, amount_received: 498 })
      complaints(world)
      expect((await deliver(world, intent)).status).toBe(204)
      expect(await traces(world, checkout)).toEqual(UNTOUCHED)
      expect(complaints(world)).toMatchObject([{ purchaseId: checkout.purchaseId, reference: intent.id }])
    })

    test('reports a second payment of one purchase to the operator, and creates no pack for it', async () => {
      const checkout = await checkOut(world)
      const first = stripe.pay(checkout.intentId)
      await deliver(world, first)
      complaints(world)
      const second = stripe.makeIntent({ ...first, id: `${first.id}again` })
      expect((await deliver(world, second)).status).toBe(204)
      expect(await traces(world, checkout)).toEqual(completedBy(first.id))
      expect(complaints(world)).toMatchObject([{ purchaseId: checkout.purchaseId, reference: second.id }])
    })

    test('reports money that was paid for a price in points', async () => {
      const rich = await patientFan(world, 100)
      const { id: purchaseId } = await buy(rich, await addPack(world))
      const stray = {
        amount: 100,
        amount_received: 100,
        status: 'succeeded' as const,
        metadata: { purchaseId },
      }
      const intent = stripe.makeIntent(stray)
      complaints(world)
      expect((await deliver(world, intent)).status).toBe(204)
      expect(complaints(world)).toMatchObject([{ purchaseId, reference: intent.id }])
    })

    test('completes a payment after the hold while a pack is left', async () => {
      const checkout = await checkOut(world, { supply: 1 })
      const intent = stripe.pay(checkout.intentId)
      world.clock.advance(HOLD)
      expect((await deliver(world, intent)).status).toBe(204)
      expect(await traces(world, checkout)).toEqual(completedBy(intent.id))
    })

    test('marks the refund due when the pack is sold out by then, and logs it after the commit', async () => {
      const late = await checkOut(world, { supply: 1 })
      const intent = stripe.pay(late.intentId)
      world.clock.advance(HOLD)
      // The next buyer holds the last one.
      expect((await start(await patientFan(world), late.packId)).status).toBe(201)
      complaints(world)
      const owed = { status: 'refund_due', paymentReference: intent.id, sold: 0, handedOver: 0 }
      for (const _ of ['first', 'again']) {
        expect((await deliver(world, intent)).status).toBe(204)
        expect(await traces(world, late)).toEqual(owed)
      }
      expect(complaints(world)).toMatchObject([{ purchaseId: late.purchaseId }])
      expect(refusal(await complete(late.fan, late.purchaseId, intent.id))).toEqual([409, 'purchase_expired'])
      expect(await traces(world, late)).toEqual(owed)
      expect(requestsFor(stripe, '/v1/refunds')).toEqual([])
    })
  },
  { env: stripe.env },
)
