/** Stripe down, slow, broken, or refusing our key: the fan is told to try again, and nothing is written. */
import { describe, expect, test } from 'bun:test'
import { onEachEngine } from '../../support/world.ts'
import { complete, refusal } from './packs-world.ts'
import { errorReply, type Outage, useStripe } from './stripe-server.ts'
import {
  checkOut,
  complaints,
  completedBy,
  deliver,
  impatient,
  prepare,
  traces,
  UNTOUCHED,
} from './stripe-world.ts'

const stripe = useStripe()

const outages: [string, Outage][] = [
  ['never answers', 'hang'],
  ['answers 500', errorReply(500, 'api_error', null, 'Something went wrong on Stripe’s end.')],
  ['answers 429', errorReply(429, 'invalid_request_error', 'rate_limit', 'Too many requests.')],
  ['answers 409', errorReply(409, 'invalid_request_error', 'lock_timeout', 'This object is being accessed.')],
  ['answers 403', errorReply(403, 'invalid_request_error', null, 'The key lacks a permission.')],
  [
    'refuses a key that was used for something else',
    errorReply(400, 'idempotency_error', null, 'Other parameters.'),
  ],
  ['is a proxy that answers 502 in JSON', { status: 502, body: { message: 'Bad Gateway' } }],
  ['answers with something else than an intent', { status: 200, body: { object: 'list', data: [] } }],
  ['answers null', { status: 200, body: null }],
]

onEachEngine(
  'When Stripe',
  world => {
    describe.each(outages)('%s', (_, outage) => {
      test('preparing, completing and the webhook are 503 with Retry-After, and succeed later', async () => {
        const checkout = await checkOut(world)
        const intent = stripe.pay(checkout.intentId)
        const client = impatient(world, checkout.fan, outage === 'hang' ? { deadlineMs: 100 } : {})
        stripe.outage = outage
        const answers = [
          await prepare(client, checkout.purchaseId),
          await complete(client, checkout.purchaseId, checkout.intentId),
          await deliver(world, intent, undefined, client),
        ]
        for (const answer of answers) {
          expect(refusal(answer)).toEqual([503, 'payment_gateway_unavailable'])
          expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
        }
        expect(await traces(world, checkout)).toEqual(UNTOUCHED)

        stripe.outage = null
        expect((await deliver(world, intent)).status).toBe(204)
        expect(await traces(world, checkout)).toEqual(completedBy(checkout.intentId))
      })
    })

    test('cannot be reached, the problem asks the fan to try again', async () => {
      const checkout = await checkOut(world)
      const gone = useStripe()
      await gone.stop()
      const { config } = world
      const apiBase = gone.env.STRIPE_API_BASE ?? null
      if (config.payments.gateway !== 'stripe') throw new Error('the world is not of Stripe')
      const elsewhere = { ...world, config: { ...config, payments: { ...config.payments, apiBase } } }
      const answer = await complete(
        impatient(elsewhere, checkout.fan),
        checkout.purchaseId,
        checkout.intentId,
      )
      expect(refusal(answer)).toEqual([503, 'payment_gateway_unavailable'])
      expect(await traces(world, checkout)).toEqual(UNTOUCHED)
    })

    test('refuses the configured key: the caller gets no 401, and the key is not disclosed', async () => {
      const checkout = await checkOut(world)
      stripe.pay(checkout.intentId)
      const key = 'rk_test_RevokedAndNotToBeTold'
      const client = impatient(world, checkout.fan, { secretKey: key })
      world.logged.length = 0
      const answers = [
        await prepare(client, checkout.purchaseId),
        await complete(client, checkout.purchaseId, checkout.intentId),
      ]
      for (const answer of answers) {
        expect(refusal(answer)).toEqual([503, 'payment_gateway_unavailable'])
        expect(answer.headers.get('www-authenticate')).toBeNull()
        expect(JSON.stringify(answer)).not.toContain('Revoked')
      }
      expect(stripe.asked.at(-1)?.authorization).toBe(`Bearer ${key}`)
      expect(world.logged.join()).not.toContain('Revoked')
      // The operator is told which request of Stripe's log to look at.
      expect(complaints(world)).toMatchObject([
        { stripe: { type: 'StripeAuthenticationError', statusCode: 401, requestId: 'req_fake' } },
        { stripe: { type: 'StripeAuthenticationError', statusCode: 401, requestId: 'req_fake' } },
      ])
      expect(await traces(world, checkout)).toEqual(UNTOUCHED)
    })

    test('answers with a card error, the payment is not confirmed', async () => {
      const checkout = await checkOut(world)
      stripe.outage = errorReply(402, 'card_error', 'card_declined', 'Your card was declined.')
      const answer = await complete(checkout.fan, checkout.purchaseId, checkout.intentId)
      expect(refusal(answer)).toEqual([402, 'payment_not_confirmed'])
      expect(await traces(world, checkout)).toEqual(UNTOUCHED)
    })
  },
  { env: stripe.env },
)
