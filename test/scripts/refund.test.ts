/** `bun run refund` as a command. */
import { expect, test } from 'bun:test'
import { findUser } from '../../src/identity/users/users.ts'
import { PURCHASE_KINDS } from '../../src/operate/admin/refunds/refund-purchase.ts'
import { completePurchase } from '../../src/play/packs/pay.ts'
import {
  addPack,
  balanceOf,
  buy,
  complete,
  EUROS,
  entriesOf,
  expectStatus,
  HOLD,
  open,
  patientFan,
  refusal,
  start,
} from '../play/packs/packs-world.ts'
import { errorReply, useStripe } from '../play/packs/stripe-server.ts'
import { checkOut, deliver, impatientGateway, requestsFor, traces } from '../play/packs/stripe-world.ts'
import { engines } from '../support/engines.ts'
import { onEngine, type World } from '../support/world.ts'
import { runScriptOn } from './run-script.ts'

const stripe = useStripe()

const run = (world: World, parameters: string[], extra: Record<string, string> = {}) =>
  runScriptOn(world, 'refund', parameters, { ...stripe.env, ...extra })

async function userIdOf({ db, config }: World, { subject }: { subject: string }) {
  return (await findUser(db.read, { provider: config.identity.name, subject }))?.id
}

async function runJson(world: World, parameters: string[]) {
  const { code, out } = await run(world, [...parameters, '--json'])
  return { code, json: JSON.parse(out) }
}

/** A completed purchase, paid through Stripe. */
async function paidWithMoney(world: World) {
  const checkout = await checkOut(world)
  stripe.pay(checkout.intentId)
  const { userPack } = expectStatus(200, await complete(checkout.fan, checkout.purchaseId, checkout.intentId))
  return { ...checkout, userPackId: userPack.id }
}

/** A payment that arrived after the last pack was sold. */
async function owed(world: World) {
  const checkout = await checkOut(world, { supply: 1 })
  const intent = stripe.pay(checkout.intentId)
  world.clock.advance(HOLD)
  expectStatus(201, await start(await patientFan(world), checkout.packId))
  expectStatus(204, await deliver(world, intent))
  return checkout
}

const usageSuite = (world: World) => {
  test('--help shows examples', async () => {
    const { code, out } = await run(world, ['--help'])
    expect(code).toBe(0)
    expect(out).toContain('bun run refund ID --yes')
  })

  test.each([
    [['--yes']],
    [['--force']],
    [['one', 'two']],
    [['one', '--yes=no']],
    [['one', '--yes', '--dry-run']],
  ])('exits with 2 and its usage when it is called with %j', async parameters => {
    const { code, out, err } = await run(world, parameters)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain('bun run refund ID --yes')
  })

  test('exits with 1 and lists the problems of an invalid configuration', async () => {
    const { code, err } = await run(world, [], { STRIPE_SECRET_KEY: 'nonsense' })
    expect(code).toBe(1)
    expect(err).toContain('STRIPE_SECRET_KEY must be')
    expect(err).not.toContain('nonsense')
  })
}

for (const engine of engines) {
  // In a separate world, since the list has all purchases.
  onEngine(
    engine,
    'bun run refund without a purchase',
    world => {
      test('lists due refunds, oldest first', async () => {
        expect(await run(world, [])).toEqual({ code: 0, out: 'No refunds are due.\n', err: '' })
        const [first, second] = [await owed(world), await owed(world)]
        const { code, out } = await run(world, [])
        expect(code).toBe(0)
        expect(out.trim().split('\n')).toEqual(
          await Promise.all(
            [first, second].map(
              async ({ purchaseId, intentId, fan }) =>
                `${purchaseId}  499 EUR (minor units)  fan ${await userIdOf(world, fan)}  ${intentId}`,
            ),
          ),
        )
        expect((await runJson(world, [])).json).toMatchObject({
          refundDue: [
            { purchaseId: first.purchaseId, price: { amount: 499, currency: 'EUR' }, status: 'refund_due' },
            { purchaseId: second.purchaseId, paymentReference: second.intentId, status: 'refund_due' },
          ],
        })

        expect((await run(world, [first.purchaseId, '--yes'])).code).toBe(0)
        expect(stripe.refunds.get(first.intentId)).toMatchObject({ amount: 499, currency: 'eur' })
        expect(await traces(world, first)).toMatchObject({ status: 'refunded', sold: 0, handedOver: 0 })
        expect((await runJson(world, [])).json.refundDue).toHaveLength(1)
      })
    },
    { env: stripe.env },
  )

  onEngine(
    engine,
    'bun run refund',
    world => {
      if (engine === engines[0]) usageSuite(world)

      test('shows the refund of points, and performs it once with --yes', async () => {
        const fan = await patientFan(world, 100)
        const packId = await addPack(world, { supply: 1 })
        const { id } = await buy(fan, packId)
        const fanId = await userIdOf(world, fan)

        const dry = await run(world, [id])
        expect(dry.code).toBe(0)
        for (const part of [
          '100 POINTS',
          fanId ?? '?',
          packId,
          'returned to the supply',
          'Nothing was changed',
          '--yes',
        ]) {
          expect(dry.out).toContain(part)
        }
        expect(await runJson(world, [id])).toEqual({
          code: 0,
          json: {
            purchaseId: id,
            packId,
            userId: fanId,
            price: { amount: 100, currency: 'POINTS' },
            paymentReference: null,
            kind: 'pack',
            opened: false,
            status: 'completed',
            supplyReturned: true,
            done: false,
          },
        })
        expect((await runJson(world, [id, '--dry-run'])).json).toMatchObject({
          dryRun: true,
          changed: 1,
          done: false,
        })
        expect(await balanceOf(fan)).toMatchObject({ balance: 0 })
        expect(await traces(world, { packId, purchaseId: id })).toMatchObject({
          status: 'completed',
          sold: 1,
        })

        expect(await run(world, [id, '--yes'])).toMatchObject({
          code: 0,
          out: 'Refunded 100 POINTS; the pack was returned to the supply.\n',
        })
        const again = await run(world, [id, '--yes'])
        expect(again.code).toBe(0)
        expect(again.out).toContain('Already refunded')
        expect(await balanceOf(fan)).toMatchObject({ balance: 100 })
        expect(await entriesOf(fan, 'pack_refund')).toMatchObject([{ delta: 100, ref: id }])
        expect(await traces(world, { packId, purchaseId: id })).toMatchObject({ status: 'refunded', sold: 0 })
      })

      test('leaves an opened pack with the fan, and its supply sold', async () => {
        const checkout = await paidWithMoney(world)
        expectStatus(200, await open(checkout.fan, checkout.userPackId))
        const dry = await runJson(world, [checkout.purchaseId])
        expect(dry.json).toMatchObject({ opened: true, supplyReturned: false, done: false })
        const { json } = await runJson(world, [checkout.purchaseId, '--yes'])
        expect(json).toMatchObject({ status: 'refunded', supplyReturned: false, done: true, changed: 1 })
        expect(await traces(world, checkout)).toMatchObject({ status: 'refunded', sold: 1 })
      })

      test('refunds money through Stripe with its own idempotency key, and revokes the sealed pack', async () => {
        const checkout = await paidWithMoney(world)
        await run(world, [checkout.purchaseId])
        expect(stripe.refunds.has(checkout.intentId)).toBe(false)

        stripe.asked.length = 0
        expect((await run(world, [checkout.purchaseId, '--yes'])).code).toBe(0)
        expect(requestsFor(stripe, '/v1/refunds')).toMatchObject([
          { form: { payment_intent: checkout.intentId }, idempotencyKey: `refund-${checkout.purchaseId}` },
        ])
        expect(refusal(await open(checkout.fan, checkout.userPackId))).toEqual([404, 'user_pack_not_found'])
        expect(await traces(world, checkout)).toMatchObject({ status: 'refunded', sold: 0 })
      })

      test('continues after a crash between the payment and the record, on the same day or much later', async () => {
        for (const later of [false, true]) {
          const { purchaseId, packId, intentId } = await paidWithMoney(world)
          const charge = { purchaseId, ...EUROS, expiresAt: new Date(world.clock.ms) }
          await impatientGateway(world).refund(charge, intentId)
          if (later) stripe.deleteKeysOf()
          const paidBack = stripe.refunds.get(intentId)

          expect((await run(world, [purchaseId, '--yes'])).code).toBe(0)
          expect(stripe.refunds.get(intentId)).toBe(paidBack)
          expect(await traces(world, { packId, purchaseId })).toMatchObject({ status: 'refunded', sold: 0 })
        }
      })

      test('two concurrent runs refund once', async () => {
        const fan = await patientFan(world, 100)
        const { id } = await buy(fan, await addPack(world))
        const runs = await Promise.all([run(world, [id, '--yes']), run(world, [id, '--yes'])])
        expect(runs.filter(({ out }) => out.startsWith('Refunded'))).toHaveLength(1)
        expect(runs.map(({ code }) => code)).toEqual([0, 0])
        expect(await balanceOf(fan)).toMatchObject({ balance: 100 })
      })

      test('keeps the refund due when Stripe rejects it, is unavailable, or its refund failed', async () => {
        const checkout = await paidWithMoney(world)
        const failed = {
          id: 're_1',
          object: 'refund',
          status: 'failed',
          failure_reason: 'expired_or_canceled_card',
        }
        const noRetry = { 'stripe-should-retry': 'false' }
        const refusals = [
          [
            errorReply(400, 'invalid_request_error', 'balance_insufficient', 'Insufficient funds.'),
            'balance_insufficient',
          ],
          [errorReply(500, 'api_error', null, 'Something went wrong.'), 'payment_gateway_unavailable'],
          [{ status: 200, body: failed, headers: noRetry }, 'failed'],
        ] as const
        for (const [outage, word] of refusals) {
          stripe.outage = outage
          const { code, err } = await run(world, [checkout.purchaseId, '--yes'])
          expect(code).toBe(1)
          expect(err).toContain(word)
        }
        // The sealed pack was taken back first, so that it cannot be opened during the refund.
        expect(await traces(world, checkout)).toMatchObject({ status: 'refund_due', sold: 0 })
        expect((await run(world, [])).out).toContain(checkout.purchaseId)
      })

      test('does not refund a Stripe payment through another gateway', async () => {
        const checkout = await paidWithMoney(world)
        for (const PAYMENT_GATEWAY of ['sandbox', 'off']) {
          expect((await run(world, [checkout.purchaseId, '--yes'], { PAYMENT_GATEWAY })).code).toBe(1)
        }
        expect(await traces(world, checkout)).toMatchObject({ status: 'completed', sold: 1 })
      })

      test('refunds the rest of a partly refunded payment, never more than was paid', async () => {
        const checkout = await paidWithMoney(world)
        stripe.refundInDashboard(checkout.intentId, 200)
        for (const _ of ['first', 'again'])
          expect((await run(world, [checkout.purchaseId, '--yes'])).code).toBe(0)
        const refunds = [...stripe.refunds.values()].filter(
          ({ payment_intent: of }) => of === checkout.intentId,
        )
        expect(refunds.map(({ amount }) => amount)).toEqual([200, 299])
        expect(await traces(world, checkout)).toMatchObject({ status: 'refunded', sold: 0 })
      })

      test('refuses a payment of the App Store, which only Apple can refund, and takes nothing back', async () => {
        const checkout = await checkOut(world)
        const payment = { kind: 'money' as const, reference: 'apple:2000000000000001' }
        await world.db.write(tx => completePurchase(tx, PURCHASE_KINDS, checkout.purchaseId, payment))
        const store = { APPLE_BUNDLE_ID: 'com.club.fans', APPLE_PRODUCTS: 'com.club.fans.pack=499 EUR' }
        const { code, err } = await run(world, [checkout.purchaseId, '--yes'], store)
        expect([code, err]).toEqual([
          1,
          'not_refundable: Only apple refunds this payment, when the customer asks there; its notification records it.\n',
        ])
        expect(await traces(world, checkout)).toMatchObject({ status: 'completed', sold: 1 })
      })

      test('exits with 1 for an unknown or unpaid purchase', async () => {
        const unknown = await run(world, ['01981e2c-7c1f-7000-8000-000000000003', '--yes'])
        expect(unknown).toMatchObject({ code: 1, out: '' })
        expect(unknown.err).toContain('There is no purchase')
        const checkout = await checkOut(world)
        const { code, err } = await run(world, [checkout.purchaseId, '--yes'])
        expect(code).toBe(1)
        expect(err).toMatch(/is (pending|expired): nothing was paid/)
        expect(await traces(world, checkout)).toMatchObject({ status: 'pending' })
      })
    },
    { env: stripe.env },
  )
}
