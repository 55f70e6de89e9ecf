/** `bun run reconcile` as a command. */
import { afterEach, expect, test } from 'bun:test'
import { complete, expectStatus } from '../play/packs/packs-world.ts'
import { errorReply, SECRET_KEY, useStripe } from '../play/packs/stripe-server.ts'
import { checkOut } from '../play/packs/stripe-world.ts'
import { engines } from '../support/engines.ts'
import { onEngine, type World } from '../support/world.ts'
import { runScriptOn } from './run-script.ts'

const stripe = useStripe()
afterEach(() => {
  stripe.intents.clear()
})

const run = (world: World, parameters: string[], extra: Record<string, string> = {}) =>
  runScriptOn(world, 'reconcile', parameters, { ...stripe.env, ...extra })

for (const engine of engines) {
  onEngine(
    engine,
    'bun run reconcile',
    world => {
      test('exits with 0 without differences, and with 1 and their names with some', async () => {
        stripe.now = () => world.clock.ms
        const paid = await checkOut(world)
        stripe.pay(paid.intentId)
        expectStatus(200, await complete(paid.fan, paid.purchaseId, paid.intentId))
        const period = ['--since', new Date(world.clock.ms).toISOString().slice(0, 10)]
        const before = await run(world, period)
        expect(before.code).toBe(0)
        expect(before.out).toStartWith('No differences. Compared 1 payments and 0 refunds of Stripe')

        const lost = await checkOut(world)
        stripe.pay(lost.intentId)
        const text = await run(world, period)
        expect([text.code, text.err]).toEqual([1, ''])
        expect(text.out).toStartWith(
          `${lost.intentId}  purchase ${lost.purchaseId}  paid 499 EUR at Stripe, unknown here: the purchase is`,
        )
        const json = await run(world, [...period, '--json'])
        expect(json.code).toBe(1)
        expect(JSON.parse(json.out)).toMatchObject({
          gateway: 'stripe',
          payments: 2,
          here: 1,
          found: 1,
          differences: [{ kind: 'payment_unknown_here', reference: lost.intentId }],
        })
        expect(
          stripe.asked.every(({ method, path }) => method === 'GET' || path === '/v1/payment_intents'),
        ).toBe(true)
      })

      test('says why it cannot compare, and never the key', async () => {
        const off = await run(world, [], { PAYMENT_GATEWAY: 'off' })
        expect([off.code, off.err]).toEqual([
          1,
          'PAYMENT_GATEWAY is off: only Stripe has a list of payments to compare with.\n',
        ])
        expect((await run(world, ['--since', 'yesterday'])).code).toBe(2)
        stripe.outage = errorReply(401, 'invalid_request_error', null, `Invalid API Key: ${SECRET_KEY}`)
        const refused = await run(world, [])
        expect(refused.code).toBe(1)
        expect(refused.out + refused.err).not.toContain(SECRET_KEY)
        expect(refused.err).toContain('payment gateway')
      })
    },
    { env: stripe.env },
  )
}
