/** The reconciliation with Stripe: every difference by name, both ways, and nothing where there is none. */
import { afterEach, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { type Difference, reconcile } from '../../../src/play/purchases/reconcile.ts'
import { payOutOrder } from '../../../src/play/shop/pay-out.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { complete, DAY, EUROS, expectStatus, HOLD, MINUTE, patientFan } from '../packs/packs-world.ts'
import { refundPack } from '../packs/refund-pack.ts'
import { errorReply, useStripe } from '../packs/stripe-server.ts'
import { checkOut, deliver, impatientGateway } from '../packs/stripe-world.ts'
import { addStock, checkout, completeOrder } from '../shop/orders-world.ts'
import { withdraw } from '../shop/withdrawals-world.ts'

const stripe = useStripe()
afterEach(() => {
  stripe.intents.clear()
  stripe.refunds.clear()
})

/** A purchase that is prepared, by the clock of the world. */
function prepared(world: World) {
  stripe.now = () => world.clock.ms
  return checkOut(world)
}

async function paid(world: World) {
  const checkout = await prepared(world)
  stripe.pay(checkout.intentId)
  expectStatus(200, await complete(checkout.fan, checkout.purchaseId, checkout.intentId))
  return checkout
}

/** As `bun run refund` does. */
async function refunded(world: World) {
  const checkout = await paid(world)
  const charge = { purchaseId: checkout.purchaseId, ...EUROS, expiresAt: new Date(world.clock.ms) }
  await world.deps.payments.stripe?.refund(charge, checkout.intentId)
  await world.db.write(tx => refundPack(tx, checkout.purchaseId))
  return checkout
}

const euros = (amount: number) => ({ amount, currency: 'EUR' })

const unmade = (): never => {
  throw new Error('Stripe was not asked for a refund')
}

/** An order of 300 and 700 cents, of which Stripe has refunded the first line. */
async function withdrawnInPart(world: World) {
  const fan = await patientFan(world)
  const products = [
    await addStock(world, null, { price: euros(300) }),
    await addStock(world, null, { price: euros(700) }),
  ]
  const { id: orderId } = expectStatus(201, await checkout(fan, ...products))
  const prepared = await fan.post('/api/checkout/payment', { orderId, method: 'gateway' })
  const { paymentReference: reference } = expectStatus(200, prepared).payment
  stripe.pay(reference)
  expectStatus(200, await completeOrder(fan, orderId, reference))
  expectStatus(200, await withdraw(fan, orderId, [1]))
  await payOutOrder(world.deps, orderId)
  return { fan, orderId, reference }
}

/** Later than everything so far, unless told otherwise. */
async function compare(world: World, { since = world.clock.ms - DAY, later = 11 * MINUTE } = {}) {
  const gateway = world.deps.payments.stripe
  if (!gateway) throw new Error('the world is not of Stripe')
  const { records, recognizes } = gateway
  const source = { reader: world.db.read, kinds: world.deps.purchaseKinds, records, recognizes }
  const differences: Difference[] = []
  const progress: number[] = []
  const report = await reconcile(source, {
    since: new Date(since),
    now: new Date(world.clock.ms + later),
    onDifference: difference => void differences.push(difference),
    onProgress: done => void progress.push(done),
  })
  expect(progress).toEqual(progress.toSorted((a, b) => a - b))
  return { report, differences }
}

const paymentRow = ({ db }: World, reference: string) => eq(db.tables.payments.reference, reference)

onEachEngine(
  'The reconciliation with Stripe',
  world => {
    test('finds nothing where both sides agree, over many pages', async () => {
      await paid(world)
      await refunded(world)
      await prepared(world)
      const failed = await prepared(world)
      stripe.pay(failed.intentId, { status: 'requires_payment_method', amount_received: 0 })
      for (let n = 0; n < 230; n++) {
        const other = stripe.makeIntent({ amount: 499, amount_received: 499, status: 'succeeded' })
        if (n % 2 === 0) stripe.pay(other.id)
        if (n % 4 === 0) stripe.refundInDashboard(other.id, 499)
      }
      const { report, differences } = await compare(world)
      expect(differences).toEqual([])
      expect(report).toEqual({ payments: 4, refunds: 1, here: 2, recent: 0 })
      expect(stripe.asked.filter(({ path }) => path === '/v1/payment_intents').length).toBeGreaterThan(2)
    })

    test.each([
      ['pending', 0],
      ['expired', HOLD],
    ])('names a payment whose event was lost while the purchase is %s', async (purchaseStatus, later) => {
      const { intentId: reference, purchaseId } = await prepared(world)
      stripe.pay(reference)
      const gateway = EUROS
      const { differences } = await compare(world, { later: Math.max(later, 11 * MINUTE) })
      expect(differences).toEqual([
        { kind: 'payment_unknown_here', reference, purchaseId, gateway, purchaseStatus },
      ])
    })

    test('leaves out payments that may be in progress, and counts them', async () => {
      const { intentId } = await prepared(world)
      stripe.pay(intentId)
      const refunding = await paid(world)
      stripe.refundInDashboard(refunding.intentId, 499)
      const { report, differences } = await compare(world, { later: 9 * MINUTE })
      expect(differences).toEqual([])
      expect(report).toMatchObject({ recent: 2 })
    })

    test('reports a payment without a purchase, and a second payment of a purchase until it is refunded', async () => {
      const first = await paid(world)
      const { purchaseId } = first
      const second = stripe.pay(stripe.makeIntent({ amount: 499, metadata: { purchaseId } }).id)
      const unknown = { purchaseId: '01981e2c-7c1f-7000-8000-000000000003' }
      const stray = stripe.pay(stripe.makeIntent({ amount: 499, metadata: unknown }).id)
      expect((await compare(world)).differences).toEqual([
        {
          kind: 'payment_unknown_here',
          reference: stray.id,
          ...unknown,
          gateway: EUROS,
          purchaseStatus: null,
        },
        {
          kind: 'payment_unknown_here',
          reference: second.id,
          purchaseId,
          gateway: EUROS,
          purchaseStatus: 'completed',
        },
      ])
      stripe.refundInDashboard(stray.id, 499)
      stripe.refundInDashboard(second.id, 400)
      expect((await compare(world)).differences).toEqual([
        {
          kind: 'payment_unknown_here',
          reference: second.id,
          purchaseId,
          gateway: { amount: 99, currency: 'EUR' },
          purchaseStatus: 'completed',
        },
      ])
    })

    test('names a payment here that Stripe does not know, or that was not paid', async () => {
      const [gone, unpaid] = [await paid(world), await paid(world)]
      stripe.intents.delete(gone.intentId)
      stripe.pay(unpaid.intentId, { status: 'processing', amount_received: 0 })
      const missing = [gone, unpaid].map(({ intentId: reference, purchaseId }) => {
        return { kind: 'payment_missing_there', reference, purchaseId, here: EUROS } as const
      })
      expect((await compare(world)).differences).toEqual(missing)
    })

    test('requests a payment that was created before the period by its id, and reports no difference', async () => {
      const checkout = await prepared(world)
      world.clock.advance(10 * MINUTE)
      const since = world.clock.ms
      stripe.pay(checkout.intentId)
      expect((await deliver(world, stripe.pay(checkout.intentId))).status).toBe(204)
      const { report, differences } = await compare(world, { since })
      expect(differences).toEqual([])
      expect(report).toMatchObject({ payments: 0, here: 1 })
    })

    test.each([
      ['amount', { amount: 498 }],
      ['currency', { currency: 'USD' }],
    ])('names a payment of another %s', async (_, changes) => {
      const { intentId: reference, purchaseId } = await paid(world)
      await world.db.write(tx =>
        tx.update(tx.tables.payments).set(changes).where(paymentRow(world, reference)),
      )
      const here = { ...EUROS, ...changes, purchaseId }
      expect((await compare(world)).differences).toEqual([
        { kind: 'payment_differs', reference, purchaseId, here, gateway: EUROS },
      ])
    })

    test('names a refund of the dashboard, whole or in part', async () => {
      const [whole, part] = [await paid(world), await paid(world)]
      stripe.refundInDashboard(whole.intentId, 499)
      stripe.refundInDashboard(part.intentId, 100)
      stripe.refundInDashboard(part.intentId, 50)
      const about = { kind: 'refund_unknown_here', here: EUROS } as const
      const { differences } = await compare(world)
      expect(differences.toSorted((a, b) => a.reference.localeCompare(b.reference))).toEqual(
        [
          { ...about, reference: whole.intentId, purchaseId: whole.purchaseId, gateway: EUROS },
          {
            ...about,
            reference: part.intentId,
            purchaseId: part.purchaseId,
            gateway: { amount: 150, currency: 'EUR' },
          },
        ].toSorted((a, b) => a.reference.localeCompare(b.reference)),
      )
    })

    test.each(['failed', 'canceled'])(
      'names a refund here that is %s there, or of another amount',
      async status => {
        const [failed, part] = [await refunded(world), await refunded(world)]
        const [first, second] = [failed, part].map(({ intentId }) => stripe.refunds.get(intentId))
        Object.assign(first ?? {}, { status })
        Object.assign(second ?? {}, { amount: 400 })
        expect((await compare(world)).differences).toEqual([
          {
            kind: 'refund_missing_there',
            reference: failed.intentId,
            purchaseId: failed.purchaseId,
            here: EUROS,
          },
          {
            kind: 'refund_differs',
            reference: part.intentId,
            purchaseId: part.purchaseId,
            here: EUROS,
            gateway: { amount: 400, currency: 'EUR' },
          },
        ])
      },
    )

    test('agrees on parts that were refunded after a withdrawal, and names those that differ', async () => {
      stripe.now = () => world.clock.ms
      const { fan, orderId, reference } = await withdrawnInPart(world)
      expect((await compare(world)).differences).toEqual([])
      const facts = { reference, purchaseId: orderId, here: euros(300) }
      const [made] = [...stripe.refunds.values()]
      Object.assign(made ?? {}, { amount: 200 })
      expect((await compare(world)).differences).toEqual([
        { kind: 'refund_differs', ...facts, gateway: euros(200) },
      ])
      stripe.refunds.clear()
      expect((await compare(world)).differences).toEqual([{ kind: 'refund_missing_there', ...facts }])
      // The rest: now the order is refunded as a whole.
      stripe.refunds.set(reference, { ...(made ?? unmade()), amount: 300 })
      expectStatus(200, await withdraw(fan, orderId))
      await payOutOrder(world.deps, orderId)
      expect((await compare(world)).differences).toEqual([])
    })

    test('knows purchases that were paid before payments had rows of their own', async () => {
      const [kept, repaid] = [await paid(world), await refunded(world)]
      await world.db.write(tx => tx.delete(tx.tables.payments))
      expect((await compare(world)).differences).toEqual([])
      stripe.refundInDashboard(kept.intentId, 499)
      expect((await compare(world)).differences).toMatchObject([
        { kind: 'refund_unknown_here', reference: kept.intentId },
      ])
      expect(repaid.purchaseId).not.toBe(kept.purchaseId)
    })

    test.each([
      ['hang' as const],
      [errorReply(500, 'api_error', null, 'Something went wrong.')],
      [{ status: 502, body: '<html>Bad gateway</html>' }],
      [errorReply(403, 'invalid_request_error', null, 'The key lacks a permission.')],
    ])('fails when Stripe does not answer with a list: %j', async outage => {
      await paid(world)
      stripe.outage = outage
      const { records, recognizes } = impatientGateway(world, { deadlineMs: 100 })
      const source = { reader: world.db.read, kinds: world.deps.purchaseKinds, records, recognizes }
      const times = { since: new Date(0), now: new Date(world.clock.ms) }
      await expect(reconcile(source, { ...times, onDifference: () => {} })).rejects.toThrow(
        'payment_gateway_unavailable',
      )
    })
  },
  { env: stripe.env, worldPer: 'test' },
)
