import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { PURCHASE_KINDS } from '../../../src/operate/admin/refunds/refund-purchase.ts'
import { completePurchase } from '../../../src/play/packs/pay.ts'
import { listRefundsDue } from '../../../src/play/packs/purchases.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import {
  addPack,
  balanceOf,
  buyWithMoney,
  complete,
  EUROS,
  entriesOf,
  expectStatus,
  FREE,
  HOLD,
  patientFan,
  purchaseRows,
  receipt,
  refusal,
  remaining,
  start,
} from './packs-world.ts'
import { refundPack } from './refund-pack.ts'

onEachEngine('PUT /api/packs/purchase with money', world => {
  const onSale = (supply: number | null = 5) => addPack(world, { price: EUROS, supply })
  const refundsDue = (purchaseId: string) =>
    world.logged.filter(line => line.includes('refund due') && line.includes(purchaseId))

  test('a paid receipt completes, and no points are booked', async () => {
    const fan = await patientFan(world)
    const packId = await onSale()
    const { body: started } = await start(fan, packId)
    const reference = await receipt(fan, started.id)
    const { status, body } = await complete(fan, started.id, reference)
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'completed', price: EUROS, userPack: { state: 'sealed' } })
    expect(await entriesOf(fan, 'pack_purchase')).toEqual([])
    expect(await remaining(world, packId)).toBe(4)
    expect(await purchaseRows(world, packId)).toMatchObject([{ paymentReference: reference }])
  })

  test('a repeat returns the same, with the same receipt, another one or none', async () => {
    const fan = await patientFan(world)
    const packId = await onSale()
    const bought = await buyWithMoney(fan, packId)
    const [{ paymentReference = null } = {}] = await purchaseRows(world, packId)
    const references = [paymentReference ?? '', await receipt(fan, bought.id), 'nonsense', undefined]
    for (const reference of references) {
      const again = await complete(fan, bought.id, reference)
      expect([again.status, again.body]).toEqual([200, bought])
    }
    expect(await purchaseRows(world, packId)).toMatchObject([{ paymentReference }])
    expect(await remaining(world, packId)).toBe(4)
  })

  for (const kind of ['unpaid', 'partial', 'wrong_currency', 'foreign', 'forged']) {
    test(`a receipt that is ${kind}: 402 payment_not_confirmed, still pending, and payable`, async () => {
      const fan = await patientFan(world)
      const packId = await onSale()
      const { body: started } = await start(fan, packId)
      const answer = await complete(fan, started.id, await receipt(fan, started.id, kind))
      expect(refusal(answer)).toEqual([402, 'payment_not_confirmed'])
      expect(await purchaseRows(world, packId)).toMatchObject([
        { status: 'pending', paymentReference: null, completedAt: null },
      ])
      expect(await remaining(world, packId)).toBe(4)
      const paid = await complete(fan, started.id, await receipt(fan, started.id))
      expect(paid.body.status).toBe('completed')
    })
  }

  test.each<[string, string, (fan: Fan, purchaseId: string) => Promise<string | undefined>]>([
    [
      'is missing',
      'A price in money needs `paymentReference`, or cash that is held for it.',
      async () => undefined,
    ],
    [
      'is invented',
      'The sandbox has no payment of this reference for this purchase.',
      async () => 'invented',
    ],
    ['is not made yet', 'The payment is not made yet.', (fan, id) => receipt(fan, id, 'unpaid')],
    [
      'is partial',
      'The payment does not match the price in amount and currency.',
      (fan, id) => receipt(fan, id, 'partial'),
    ],
    [
      'paid another purchase of the fan',
      'The payment was used for another purchase.',
      async fan => {
        const { id } = expectStatus(201, await start(fan, await onSale()))
        const reference = await receipt(fan, id)
        expectStatus(200, await complete(fan, id, reference))
        return reference
      },
    ],
    [
      'paid a purchase of another fan',
      'The sandbox has no payment of this reference for this purchase.',
      async () => {
        const other = await patientFan(world)
        const { id } = expectStatus(201, await start(other, await onSale()))
        const reference = await receipt(other, id)
        expectStatus(200, await complete(other, id, reference))
        return reference
      },
    ],
  ])('a payment that %s is refused with the detail %j', async (_, detail, pay) => {
    const fan = await patientFan(world)
    const { id } = expectStatus(201, await start(fan, await onSale()))
    const answer = await complete(fan, id, await pay(fan, id))
    expect([...refusal(answer), answer.body.detail]).toEqual([402, 'payment_not_confirmed', detail])
  })

  test('a missing reference, one of another gateway and a truncated one are 402 payment_not_confirmed', async () => {
    const fan = await patientFan(world)
    const { body: started } = await start(fan, await onSale())
    const reference = await receipt(fan, started.id)
    for (const given of [undefined, 'paid', '.', reference.slice(0, -1), `x${reference}`]) {
      expect(refusal(await complete(fan, started.id, given))).toEqual([402, 'payment_not_confirmed'])
    }
  })

  test('the receipt of a first purchase does not pay a second: 402 payment_not_confirmed', async () => {
    const fan = await patientFan(world)
    const packId = await onSale()
    const [first, second] = [(await start(fan, packId)).body, (await start(fan, packId)).body]
    const reference = await receipt(fan, first.id)
    expect((await complete(fan, first.id, reference)).status).toBe(200)
    expect(refusal(await complete(fan, second.id, reference))).toEqual([402, 'payment_not_confirmed'])
  })

  test('points cannot pay a price in money, and a receipt cannot pay a price in points', async () => {
    const rich = await patientFan(world, 10_000)
    const { body: inMoney } = await start(rich, await onSale())
    expect(refusal(await complete(rich, inMoney.id))).toEqual([402, 'payment_not_confirmed'])

    const { body: inPoints } = await start(rich, await addPack(world))
    const reference = await receipt(rich, inPoints.id)
    await world.grant(rich, -10_000)
    const answer = await complete(rich, inPoints.id, reference)
    expect(refusal(answer)).toEqual([409, 'insufficient_points'])
  })

  describe('POST /api/packs/purchase/payment', () => {
    const prepare = (fan: Fan, purchaseId: string) => fan.post('/api/packs/purchase/payment', { purchaseId })

    test.each([
      ['points', { amount: 100, currency: 'POINTS' }],
      ['nothing, in points', FREE],
      ['nothing, in money', { ...EUROS, amount: 0 }],
    ])('is 409 no_payment_needed for a price of %s, which completes without one', async (_, price) => {
      const fan = await patientFan(world, price.amount)
      const packId = await addPack(world, { price })
      const { body: started } = await start(fan, packId)
      expect(refusal(await prepare(fan, started.id))).toEqual([409, 'no_payment_needed'])
      const done = await complete(fan, started.id)
      expect([done.status, done.body.status, done.body.userPack.state]).toEqual([200, 'completed', 'sealed'])
      expect(refusal(await prepare(fan, started.id))).toEqual([409, 'no_payment_needed'])
      expect((await balanceOf(fan)).balance).toBe(0)
    })

    test('is 409 no_payment_needed for a purchase that is paid', async () => {
      const fan = await patientFan(world)
      const { id } = await buyWithMoney(fan, await onSale())
      expect(refusal(await prepare(fan, id))).toEqual([409, 'no_payment_needed'])
    })

    test('is 409 purchase_expired for a purchase that was paid too late, purchase_not_pending for a refunded one', async () => {
      const [late, quick] = [await patientFan(world), await patientFan(world)]
      const packId = await onSale(1)
      const { body: started } = await start(late, packId)
      const reference = await receipt(late, started.id)
      world.clock.advance(HOLD)
      const bought = await buyWithMoney(quick, packId)
      await complete(late, started.id, reference)
      const due = await prepare(late, started.id)
      expect([...refusal(due), due.body.detail]).toEqual([
        409,
        'purchase_expired',
        'The payment came too late; it will be refunded.',
      ])
      await world.db.write(tx => refundPack(tx, bought.id))
      const refunded = await prepare(quick, bought.id)
      expect([...refusal(refunded), refunded.body.detail]).toEqual([
        409,
        'purchase_not_pending',
        'The purchase is refunded; start another.',
      ])
    })
  })

  test('a reference is not stored where no payment is needed, so it can still pay another purchase', async () => {
    const fan = await patientFan(world)
    const freeId = await addPack(world, { price: { ...EUROS, amount: 0 } })
    const [{ body: free }, { body: paid }] = [await start(fan, freeId), await start(fan, await onSale())]
    const reference = await receipt(fan, paid.id)
    expect((await complete(fan, free.id, reference)).body.status).toBe('completed')
    expect(await purchaseRows(world, freeId)).toMatchObject([{ paymentReference: null }])
    expect((await complete(fan, paid.id, reference)).body.status).toBe('completed')
    expect(await world.db.write(tx => refundPack(tx, free.id))).toMatchObject({ supplyReturned: true })
  })

  test('another fan can neither pay nor get a receipt: 404 purchase_not_found', async () => {
    const [fan, other] = [await patientFan(world), await patientFan(world)]
    const { body: started } = await start(fan, await onSale())
    const reference = await receipt(fan, started.id)
    const answers = [
      await complete(other, started.id, reference),
      await other.post('/api/sandbox/receipts', { purchaseId: started.id }),
    ]
    expect(answers.map(refusal)).toEqual(Array(2).fill([404, 'purchase_not_found']))
  })

  test('unpaid and expired: 409 purchase_expired, whatever the receipt', async () => {
    const fan = await patientFan(world)
    const packId = await onSale()
    const { body: started } = await start(fan, packId)
    const references = [undefined, 'nonsense']
    for (const kind of ['unpaid', 'partial', 'forged']) references.push(await receipt(fan, started.id, kind))
    world.clock.advance(HOLD)
    for (const reference of references) {
      expect(refusal(await complete(fan, started.id, reference))).toEqual([409, 'purchase_expired'])
    }
    expect(await purchaseRows(world, packId)).toMatchObject([{ status: 'pending', paymentReference: null }])
    expect(await remaining(world, packId)).toBe(5)
  })

  test('paid late with supply left: completed', async () => {
    const fan = await patientFan(world)
    const packId = await onSale(1)
    const { body: started } = await start(fan, packId)
    const reference = await receipt(fan, started.id)
    world.clock.advance(HOLD)
    const { status, body } = await complete(fan, started.id, reference)
    expect([status, body.status, body.userPack.state]).toEqual([200, 'completed', 'sealed'])
    expect(await remaining(world, packId)).toBe(0)
  })

  test('paid late and sold out: 409 purchase_expired, stored as refund_due, and logged', async () => {
    const [late, quick] = [await patientFan(world), await patientFan(world)]
    const packId = await onSale(1)
    const { body: started } = await start(late, packId)
    const reference = await receipt(late, started.id)
    world.clock.advance(HOLD)
    await buyWithMoney(quick, packId)

    expect(refusal(await complete(late, started.id, reference))).toEqual([409, 'purchase_expired'])
    const due = (await purchaseRows(world, packId)).find(({ id }) => id === started.id)
    expect(due).toMatchObject({ status: 'refund_due', paymentReference: reference, completedAt: null })
    expect((await listRefundsDue(world.db.read)).map(({ id }) => id)).toContain(started.id)
    expect(refundsDue(started.id).map(line => JSON.parse(line))).toMatchObject([
      { level: 50, purchaseId: started.id },
    ])
    expect(await remaining(world, packId)).toBe(0)
  })

  test('a hold of another fan counts against a late payment', async () => {
    const [late, holder] = [await patientFan(world), await patientFan(world)]
    const packId = await onSale(1)
    const { body: started } = await start(late, packId)
    const reference = await receipt(late, started.id)
    world.clock.advance(HOLD)
    const { body: held } = await start(holder, packId)
    expect(refusal(await complete(late, started.id, reference))).toEqual([409, 'purchase_expired'])
    expect((await complete(holder, held.id, await receipt(holder, held.id))).status).toBe(200)
  })

  test('refund_due stays refund_due when it is completed again, also with new supply', async () => {
    const [late, quick] = [await patientFan(world), await patientFan(world)]
    const packId = await onSale(1)
    const { body: started } = await start(late, packId)
    const reference = await receipt(late, started.id)
    world.clock.advance(HOLD)
    await start(quick, packId)
    await complete(late, started.id, reference)
    world.clock.advance(HOLD)
    expect(await remaining(world, packId)).toBe(1)
    expect(refusal(await complete(late, started.id, reference))).toEqual([409, 'purchase_expired'])
    expect(await remaining(world, packId)).toBe(1)
  })

  test('a payment for a hold beyond a reduced supply is refund_due', async () => {
    const fan = await patientFan(world)
    const packId = await onSale(2)
    await buyWithMoney(fan, packId)
    const { body: held } = await start(fan, packId)
    await world.db.write(tx => {
      const { packs } = tx.tables
      return tx.update(packs).set({ supplyTotal: 1 }).where(eq(packs.id, packId))
    })
    const answer = await complete(fan, held.id, await receipt(fan, held.id))
    expect(refusal(answer)).toEqual([409, 'sold_out'])
    expect(answer.body.detail).toContain('The payment will be refunded.')
    expect(refundsDue(held.id)).toHaveLength(1)
  })

  test('of two purchases that use one reference at the same time, one is paid and the other is 402 payment_not_confirmed', async () => {
    const fan = await patientFan(world)
    const packIds = [await onSale(), await onSale()]
    const started = await Promise.all(packIds.map(packId => start(fan, packId)))
    const payment = { kind: 'money' as const, reference: `shared-${packIds[0]}` }
    // The sandbox binds a receipt to its purchase; the verb must hold for a gateway that does not.
    const outcomes = await Promise.allSettled(
      started.map(({ body }) => world.db.write(tx => completePurchase(tx, PURCHASE_KINDS, body.id, payment))),
    )
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const lost = outcomes.find(outcome => outcome.status === 'rejected')
    expect(lost?.reason.code).toBe('payment_not_confirmed')
    const rows = [...(await purchaseRows(world, packIds[0])), ...(await purchaseRows(world, packIds[1]))]
    expect(rows.map(({ status }) => status).toSorted()).toEqual(['completed', 'pending'])
  })

  test('20 concurrent paid completions all return the same pack', async () => {
    const fan = await patientFan(world)
    const packId = await onSale()
    const { body: started } = await start(fan, packId)
    const reference = await receipt(fan, started.id)
    const answers = await Promise.all(Array.from({ length: 20 }, () => complete(fan, started.id, reference)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.userPack.id)).size).toBe(1)
    expect(await remaining(world, packId)).toBe(4)
  })
})
