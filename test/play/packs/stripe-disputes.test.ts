/** Disputes that Stripe reports: an open one is told to the operator, and a lost one takes back what was not used. */
import { expect, test } from 'bun:test'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { addRule } from '../../economy/rules/rules-world.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { addStock, checkout, completeOrder, freeStock, orderOf } from '../shop/orders-world.ts'
import { cashEnv, cashOf, completeTopUp, holdForPack, startTopUp } from '../top-ups/cash-world.ts'
import { addPack, balanceOf, complete, EUROS, expectStatus, open, patientFan, start } from './packs-world.ts'
import { signEvent, useStripe } from './stripe-server.ts'
import { type Checkout, checkOut, complaints, deliverBody } from './stripe-world.ts'

const stripe = useStripe()

type Status = 'needs_response' | 'under_review' | 'won' | 'lost' | 'warning_closed'

function dispute(world: World, intent: string | null, status: Status, amount = EUROS.amount) {
  const isOver = status === 'won' || status === 'lost' || status === 'warning_closed'
  const object = {
    ...{ id: 'dp_1Fake', object: 'dispute', amount, currency: 'eur', charge: 'ch_1Fake', metadata: {} },
    ...{ payment_intent: intent, reason: 'fraudulent', status, evidence_details: { due_by: 1_788_000_000 } },
  }
  const type = isOver ? 'charge.dispute.closed' : 'charge.dispute.created'
  const body = JSON.stringify({ id: 'evt_1Fake', object: 'event', type, data: { object } })
  return deliverBody(world, body, signEvent(body, world.clock.ms))
}

onEachEngine(
  'A dispute of Stripe',
  world => {
    async function paid(): Promise<Checkout & { userPackId: string }> {
      const checkout = await checkOut(world)
      stripe.pay(checkout.intentId)
      const { userPack } = expectStatus(
        200,
        await complete(checkout.fan, checkout.purchaseId, checkout.intentId),
      )
      complaints(world)
      return { ...checkout, userPackId: userPack.id }
    }
    const purchaseOf = async ({ fan, purchaseId }: Checkout) =>
      expectStatus(200, await fan.get(`/api/packs/purchases/${purchaseId}`))
    const told = () => complaints(world).map(({ msg }) => msg)
    const eventsOf = async (id: string) => {
      const rows = await world.db.read.select().from(world.db.tables.events)
      return rows.filter(({ data }) => data?.includes(id)).flatMap(({ type }) => type ?? [])
    }

    test('that is open changes nothing, and is reported with the deadline for the response', async () => {
      const checkout = await paid()
      expect((await dispute(world, checkout.intentId, 'needs_response')).status).toBe(204)
      expect(complaints(world)).toMatchObject([
        {
          msg: 'a payment needs an operator: it is disputed',
          purchaseId: checkout.purchaseId,
          answerBy: new Date(1_788_000_000_000).toISOString(),
        },
      ])
      expect((await purchaseOf(checkout)).status).toBe('completed')
    })

    test.each(['won', 'warning_closed'] as const)('that is %s changes nothing', async status => {
      const checkout = await paid()
      expect((await dispute(world, checkout.intentId, status)).status).toBe(204)
      expect(told()).toEqual([])
      expect((await purchaseOf(checkout)).status).toBe('completed')
    })

    test('that is lost takes back a sealed pack, once, and records the refund', async () => {
      const checkout = await paid()
      for (let n = 0; n < 2; n++) expect((await dispute(world, checkout.intentId, 'lost')).status).toBe(204)
      expect((await purchaseOf(checkout)).status).toBe('refunded')
      expect((await open(checkout.fan, checkout.userPackId)).status).toBe(404)
      expect((await eventsOf(checkout.purchaseId)).filter(type => type === 'purchase.refunded')).toHaveLength(
        1,
      )
      expect(told()).toEqual([])
      expect((await verifyLedger(world.db)).findings).toBe(0)
    })

    test('that is lost leaves an opened pack with the fan, takes back the points of the opening, and is reported to the operator', async () => {
      await addRule(world, { eventType: 'pack.opened', points: { fixed: 40 } })
      const checkout = await paid()
      const { balance } = await balanceOf(checkout.fan)
      expectStatus(200, await open(checkout.fan, checkout.userPackId))
      expect((await balanceOf(checkout.fan)).balance).toBe(balance + 40)
      await dispute(world, checkout.intentId, 'lost')
      expect((await purchaseOf(checkout)).status).toBe('refunded')
      expect(told()).toEqual([
        'a payment needs an operator: it is lost by a dispute, and what it paid stays with the fan',
      ])
      expect((await balanceOf(checkout.fan)).balance).toBe(balance)
    })

    test('that is lost about a part, of an unknown payment, or of none, refunds nothing', async () => {
      const checkout = await paid()
      await dispute(world, checkout.intentId, 'lost', EUROS.amount - 1)
      expect(told()).toEqual(['a payment needs an operator: a part of it is lost by a dispute'])
      for (const intent of ['pi_unknown', null])
        expect((await dispute(world, intent, 'lost')).status).toBe(204)
      expect(told()).toEqual([])
      expect((await purchaseOf(checkout)).status).toBe('completed')
    })

    test('that is lost returns the unsent lines of an order to the stock', async () => {
      const fan = await patientFan(world)
      const productId = await addStock(world, 1)
      const { id, total } = expectStatus(201, await checkout(fan, productId))
      const prepared = await fan.post('/api/checkout/payment', { orderId: id, method: 'gateway' })
      const { paymentReference } = expectStatus(200, prepared).payment
      stripe.pay(paymentReference)
      expectStatus(200, await completeOrder(fan, id, paymentReference))
      await dispute(world, paymentReference, 'lost', total.amount)
      expect((await orderOf(fan, id)).status).toBe('refunded')
      expect(await freeStock(world, productId)).toBe(1)
      expect(told()).toEqual([])
    })

    test('that is lost takes a top-up back while it is not spent, and tells the operator otherwise', async () => {
      const toppedUp = async () => {
        const fan = await patientFan(world)
        const { id } = expectStatus(201, await startTopUp(fan, EUROS.amount))
        const prepared = expectStatus(200, await fan.post('/api/cash/top-ups/payment', { topUpId: id }))
        stripe.pay(prepared.paymentReference)
        expectStatus(200, await completeTopUp(fan, id, prepared.paymentReference))
        return { fan, intentId: prepared.paymentReference as string }
      }
      const kept = await toppedUp()
      await dispute(world, kept.intentId, 'lost')
      expect(await cashOf(world, kept.fan)).toEqual([0, 0])
      expect(told()).toEqual([])

      const spent = await toppedUp()
      const { id } = expectStatus(201, await start(spent.fan, await addPack(world, { price: EUROS })))
      expectStatus(200, await holdForPack(spent.fan, id))
      expectStatus(200, await complete(spent.fan, id))
      expect((await dispute(world, spent.intentId, 'lost')).status).toBe(204)
      expect(told()).toEqual([
        'a payment needs an operator: it is lost by a dispute, and what it paid is spent',
      ])
      expect((await verifyLedger(world.db)).findings).toBe(0)
    })
  },
  { env: { ...stripe.env, ...cashEnv } },
)
