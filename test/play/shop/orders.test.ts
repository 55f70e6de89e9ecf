/** Orders: from the cart to the payment, with every refusal on the way. */
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { ProductEntry } from '../../../src/play/shop/entry-schema.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import {
  balanceOf,
  entriesOf,
  expectStatus,
  MINUTE,
  patientFan,
  refusal,
  userIdOf,
} from '../packs/packs-world.ts'
import {
  ADDRESS,
  addStock,
  buyWithMoney,
  cancelOrder,
  checkout,
  completeOrder,
  freeStock,
  HOLD,
  orderOf,
  POINTS,
  pay,
  WAIT,
} from './orders-world.ts'
import { addProduct, entryOf } from './products-world.ts'

/** The types of the events of an order, in their order. */
async function eventsOf({ db }: World, orderId: string): Promise<string[]> {
  const { events } = db.tables
  const rows = await db.read.select().from(events).orderBy(events.sequence)
  return rows.filter(({ data }) => data?.includes(orderId)).flatMap(({ type }) => type ?? [])
}

onEachEngine('Orders', world => {
  test('a checkout holds the stock and freezes the prices', async () => {
    const fan = await patientFan(world)
    const entry = entryOf()
    await addProduct(world, entry)
    const answer = await checkout(
      fan,
      { productId: entry.id, variantId: 'short', quantity: 2 },
      { productId: entry.id, variantId: 'long' },
    )
    const order = expectStatus(201, answer)
    expect(order).toMatchObject({
      status: 'pending',
      total: { amount: 3 * 1900, currency: 'EUR' },
      address: { ...ADDRESS, line2: null, region: null, phone: null },
      expiresAt: new Date(world.clock.ms + HOLD).toISOString(),
      paidAt: null,
    })
    expect(order.lines).toMatchObject([
      { number: 1, variantId: 'short', quantity: 2, price: { amount: 1900, currency: 'EUR' }, state: 'none' },
      { number: 2, variantId: 'long', quantity: 1 },
    ])
    expect(await freeStock(world, entry.id)).toBe(1)
    await addProduct(world, { ...entry, price: { amount: 1, currency: 'EUR' } })
    expect(await orderOf(fan, order.id)).toEqual(order)
  })

  test('money that the gateway confirms completes an order once', async () => {
    const fan = await patientFan(world)
    const productId = await addStock(world, 3)
    const { id } = expectStatus(201, await checkout(fan, { productId, quantity: 2 }))
    const prepared = await fan.post('/api/checkout/payment', { orderId: id, method: 'gateway' })
    expect(expectStatus(200, prepared)).toMatchObject({ method: 'gateway', payment: { gateway: 'sandbox' } })
    expect(refusal(await completeOrder(fan, id))).toEqual([402, 'payment_not_confirmed'])
    const reference = await pay(fan, id)
    const paid = expectStatus(200, await completeOrder(fan, id, reference))
    expect(paid).toMatchObject({ status: 'paid', paidAt: new Date(world.clock.ms).toISOString() })
    expect(expectStatus(200, await completeOrder(fan, id, reference))).toEqual(paid)
    expect(await freeStock(world, productId)).toBe(1)
    world.clock.advance(2 * HOLD)
    expect(await freeStock(world, productId)).toBe(1)
    expect(await eventsOf(world, id)).toEqual(['order.created', 'order.paid'])
  })

  test.each(['unpaid', 'partial', 'wrong_currency', 'foreign', 'forged'])(
    'a payment that is %s does not complete an order',
    async kind => {
      const fan = await patientFan(world)
      const { id } = expectStatus(201, await checkout(fan, await addStock(world, 1)))
      const answer = await completeOrder(fan, id, await pay(fan, id, kind))
      expect(refusal(answer)).toEqual([402, 'payment_not_confirmed'])
      expect((await orderOf(fan, id)).status).toBe('pending')
    },
  )

  test('points pay an order from the ledger', async () => {
    const fan = await patientFan(world, 250)
    const productId = await addStock(world, 5, { price: POINTS })
    const { id } = expectStatus(201, await checkout(fan, { productId, quantity: 2 }))
    const prepared = await fan.post('/api/checkout/payment', { orderId: id, method: 'points' })
    expect(expectStatus(200, prepared)).toEqual({ method: 'points', payment: null })
    expect(expectStatus(200, await completeOrder(fan, id)).status).toBe('paid')
    expectStatus(200, await completeOrder(fan, id))
    expect(await balanceOf(fan)).toEqual({ balance: 50, lifetime: 250 })
    expect(await entriesOf(fan, 'order_payment')).toMatchObject([{ delta: -200, ref: id }])
    const answer = await checkout(fan, productId)
    expect(refusal(answer)).toEqual([409, 'insufficient_points'])
    expect(answer.body).toMatchObject({ pointsRequired: 100, points: 50, missingPoints: 50 })
  })

  test('points that were taken back meanwhile leave the order pending', async () => {
    const fan = await patientFan(world, 200)
    const productId = await addStock(world, 5, { price: POINTS })
    const [one, other] = [
      expectStatus(201, await checkout(fan, productId)),
      expectStatus(201, await checkout(fan, productId)),
    ]
    await world.grant(fan, -1)
    expectStatus(200, await completeOrder(fan, one.id))
    expect(refusal(await completeOrder(fan, other.id))).toEqual([409, 'insufficient_points'])
    expect((await orderOf(fan, other.id)).status).toBe('pending')
  })

  test('a free order needs no payment', async () => {
    const fan = await patientFan(world)
    const productId = await addStock(world, 1, { price: { amount: 0, currency: 'EUR' } })
    const { id } = expectStatus(201, await checkout(fan, productId))
    expect(expectStatus(200, await completeOrder(fan, id)).status).toBe('paid')
  })

  test('an order in points is not paid with money, and the other way round', async () => {
    const fan = await patientFan(world, 100)
    const prepare = async (productId: string, method: string) => {
      const { id } = expectStatus(201, await checkout(fan, productId))
      return refusal(await fan.post('/api/checkout/payment', { orderId: id, method }))
    }
    const refused = [409, 'payment_method_not_accepted']
    expect(await prepare(await addStock(world, 1, { price: POINTS }), 'gateway')).toEqual(refused)
    expect(await prepare(await addStock(world, 1), 'points')).toEqual(refused)
  })

  test('an expired order frees its stock without anyone calling', async () => {
    const [fan, other] = [await patientFan(world), await patientFan(world)]
    const productId = await addStock(world, 1)
    const { id } = expectStatus(201, await checkout(fan, productId))
    const refused = await checkout(other, productId)
    expect(refusal(refused)).toEqual([409, 'out_of_stock'])
    expect(refused.body).toMatchObject({ productId, variantId: 'one', available: 0 })
    world.clock.advance(HOLD - 1)
    expect(await freeStock(world, productId)).toBe(0)
    world.clock.advance(1)
    expect(await freeStock(world, productId)).toBe(1)
    expect((await orderOf(fan, id)).status).toBe('expired')
    expect(refusal(await completeOrder(fan, id))).toEqual([409, 'order_expired'])
    expect(refusal(await cancelOrder(fan, id))).toEqual([409, 'order_not_pending'])
    expectStatus(201, await checkout(other, productId))
  })

  test('a cancelled order frees its stock at once, and a repeat changes nothing', async () => {
    const fan = await patientFan(world)
    const productId = await addStock(world, 1)
    const { id } = expectStatus(201, await checkout(fan, productId))
    const cancelled = expectStatus(200, await cancelOrder(fan, id))
    expect(cancelled.status).toBe('cancelled')
    expect(await freeStock(world, productId)).toBe(1)
    expect(expectStatus(200, await cancelOrder(fan, id))).toEqual(cancelled)
    expect(refusal(await completeOrder(fan, id))).toEqual([409, 'order_not_pending'])
    expect(await eventsOf(world, id)).toEqual(['order.created', 'order.cancelled'])
    const paid = await buyWithMoney(fan, productId)
    const refused = await cancelOrder(fan, paid.id)
    expect([...refusal(refused), refused.body.detail]).toEqual([
      409,
      'order_not_pending',
      'The order is paid.',
    ])
  })

  describe('a payment that comes too late', () => {
    test('completes the order while there is stock', async () => {
      const fan = await patientFan(world)
      const productId = await addStock(world, 1)
      const { id } = expectStatus(201, await checkout(fan, productId))
      world.clock.advance(HOLD)
      expect(expectStatus(200, await completeOrder(fan, id, await pay(fan, id))).status).toBe('paid')
      expect(await freeStock(world, productId)).toBe(0)
    })

    test('is to be refunded when the stock is sold, and is not lost', async () => {
      const [fan, other] = [await patientFan(world), await patientFan(world)]
      const productId = await addStock(world, 1)
      const { id } = expectStatus(201, await checkout(fan, productId))
      world.clock.advance(HOLD)
      await buyWithMoney(other, productId)
      const reference = await pay(fan, id)
      expect(refusal(await completeOrder(fan, id, reference))).toEqual([409, 'order_expired'])
      expect((await orderOf(fan, id)).status).toBe('refund_due')
      expect(refusal(await completeOrder(fan, id, reference))).toEqual([409, 'order_expired'])
      expect(await eventsOf(world, id)).toEqual(['order.created', 'order.refund_due'])
    })

    test('is to be refunded when another order holds the stock', async () => {
      const [fan, other] = [await patientFan(world), await patientFan(world)]
      const productId = await addStock(world, 1)
      const { id } = expectStatus(201, await checkout(fan, productId))
      world.clock.advance(HOLD)
      expectStatus(201, await checkout(other, productId))
      expect(refusal(await completeOrder(fan, id, await pay(fan, id)))).toEqual([409, 'order_expired'])
      expect((await orderOf(fan, id)).status).toBe('refund_due')
    })

    test('is to be refunded when the order was cancelled', async () => {
      const fan = await patientFan(world)
      const { id } = expectStatus(201, await checkout(fan, await addStock(world, 1)))
      expectStatus(200, await cancelOrder(fan, id))
      expect(refusal(await completeOrder(fan, id, await pay(fan, id)))).toEqual([409, 'order_not_pending'])
      expect((await orderOf(fan, id)).status).toBe('refund_due')
    })

    test('is to be refunded when the fan has reached the limit since', async () => {
      const fan = await patientFan(world)
      const productId = await addStock(world, 5, { maxPerFan: 1 })
      const { id } = expectStatus(201, await checkout(fan, productId))
      world.clock.advance(HOLD + WAIT)
      await buyWithMoney(fan, productId)
      expect(refusal(await completeOrder(fan, id, await pay(fan, id)))).toEqual([409, 'order_expired'])
      expect((await orderOf(fan, id)).status).toBe('refund_due')
    })
  })

  test('one payment cannot pay two orders', async () => {
    const fan = await patientFan(world)
    const productId = await addStock(world, 2)
    const [one, other] = [
      expectStatus(201, await checkout(fan, productId)),
      expectStatus(201, await checkout(fan, productId)),
    ]
    const reference = await pay(fan, one.id)
    expectStatus(200, await completeOrder(fan, one.id, reference))
    expect(refusal(await completeOrder(fan, other.id, reference))).toEqual([402, 'payment_not_confirmed'])
    const { payments } = world.db.tables
    const rows = await world.db.read.select().from(payments).where(eq(payments.reference, reference))
    expect(rows).toMatchObject([{ kind: 'order', purchaseId: one.id, amount: 1900, currency: 'EUR' }])
  })

  describe('a checkout is refused', () => {
    const refusals: [string, number, string, (world: World) => Promise<Partial<ProductEntry>[]>][] = [
      ['for a product that is not on sale', 409, 'product_inactive', async () => [{ active: false }]],
      [
        'for a product whose sale has not begun',
        409,
        'product_inactive',
        async ({ clock }) => [{ startsAt: new Date(clock.ms + MINUTE).toISOString() }],
      ],
      [
        'for two currencies',
        409,
        'mixed_currencies',
        async () => [{}, { price: { amount: 1, currency: 'USD' } }],
      ],
      [
        'below the points that it requires',
        409,
        'insufficient_points',
        async () => [{ requires: { points: 1 } }],
      ],
      ['above the limit per fan', 409, 'limit_reached', async () => [{ maxPerFan: 1 }]],
      [
        'for a country to which it is not shipped',
        409,
        'not_shipped_there',
        async () => [{ shipsTo: ['GB'] }],
      ],
    ]
    test.each(refusals)('%s', async (_, status, code, entries) => {
      const fan = await patientFan(world)
      const ids: string[] = []
      for (const members of await entries(world)) ids.push(await addStock(world, 5, members))
      const answer = await checkout(fan, ...ids.map(productId => ({ productId, quantity: 2 })))
      expect(refusal(answer)).toEqual([status, code])
      const { orders } = world.db.tables
      const userId = await userIdOf(world, fan)
      expect(
        await world.db.read
          .select()
          .from(orders)
          .where(eq(orders.userId, userId ?? '')),
      ).toEqual([])
    })

    test('for a product that does not exist', async () => {
      const fan = await patientFan(world)
      expect(refusal(await checkout(fan, 'nothing'))).toEqual([404, 'product_not_found'])
    })

    test('for a variant that does not exist', async () => {
      const fan = await patientFan(world)
      const productId = await addStock(world, 1)
      expect(refusal(await checkout(fan, { productId, variantId: 'two' }))).toEqual([
        404,
        'product_not_found',
      ])
    })

    test('without an address for what is shipped', async () => {
      const fan = await patientFan(world)
      const lines = [{ productId: await addStock(world, 1), quantity: 1 }]
      expect(refusal(await fan.post('/api/checkout', { lines }))).toEqual([409, 'address_required'])
    })

    test('when a fan has many orders that are not paid', async () => {
      const fan = await patientFan(world)
      const productId = await addStock(world, null)
      for (let n = 0; n < 10; n++) expectStatus(201, await checkout(fan, productId))
      expect(refusal(await checkout(fan, productId))).toEqual([409, 'too_many_open_orders'])
    })

    test('for a collectible that the fan does not own', async () => {
      const fan = await patientFan(world)
      const collectibleId = `requires-${world.clock.newId()}`
      const at = { createdAt: world.db.read.now(), updatedAt: world.db.read.now() }
      await world.db.write(tx =>
        tx.insert(tx.tables.collectibles).values({
          ...{ id: collectibleId, name: 'Cup', description: '', rarity: 'epic', minted: 0, ...at },
        }),
      )
      const productId = await addStock(world, 1, { requires: { collectibleId } })
      const answer = await checkout(fan, productId)
      expect(refusal(answer)).toEqual([409, 'collectible_required'])
      expect(answer.body).toMatchObject({ productId, collectibleId })
    })

    test.each([
      ['a line twice', (id: string) => [{ productId: id }, { productId: id, variantId: 'one' }], '/lines/1'],
      ['no variant of several', (id: string) => [{ productId: `${id}-sizes` }], '/lines/0/variantId'],
    ])('for %s', async (_, linesOf, pointer) => {
      const fan = await patientFan(world)
      const id = await addStock(world, 5)
      await addProduct(world, entryOf({ id: `${id}-sizes` }))
      const answer = await checkout(fan, ...linesOf(id))
      expect(refusal(answer)).toEqual([422, 'validation_failed'])
      expect(answer.body.errors).toMatchObject([{ pointer }])
    })

    test('for a total that no integer holds exactly', async () => {
      const fan = await patientFan(world)
      const price = { amount: Number.MAX_SAFE_INTEGER, currency: 'EUR' }
      const answer = await checkout(fan, { productId: await addStock(world, 5, { price }), quantity: 2 })
      expect(refusal(answer)).toEqual([422, 'validation_failed'])
    })
  })

  test('the limit per fan counts all variants and all orders that are not cancelled or expired', async () => {
    const fan = await patientFan(world)
    const entry = entryOf({ maxPerFan: 3 })
    await addProduct(world, entry)
    const [short, long] = ['short', 'long'].map(variantId => ({ productId: entry.id, variantId }))
    await buyWithMoney(fan, { ...short, productId: entry.id })
    const { id } = expectStatus(201, await checkout(fan, { ...long, productId: entry.id }))
    const answer = await checkout(fan, { ...long, productId: entry.id, quantity: 2 })
    expect(refusal(answer)).toEqual([409, 'limit_reached'])
    expect(answer.body).toMatchObject({ productId: entry.id, maxPerFan: 3, available: 1 })
    expectStatus(200, await cancelOrder(fan, id))
    expectStatus(201, await checkout(fan, { ...long, productId: entry.id, quantity: 2 }))
    world.clock.advance(HOLD + WAIT)
    expectStatus(201, await checkout(fan, { ...short, productId: entry.id, quantity: 2 }))
  })

  test.each([
    ['PT', '4050-12', 'must be a postal code of PT'],
    ['GB', 'ABC', 'must be a postal code of GB'],
    ['US', undefined, 'is required in US'],
    ['US', ' ', 'is required in US'],
  ])('an address in %s with the postal code %p is refused', async (country, postalCode, message) => {
    const fan = await patientFan(world)
    const lines = [{ productId: await addStock(world, 1), quantity: 1 }]
    const { postalCode: _, ...address } = ADDRESS
    const answer = await fan.post('/api/checkout', {
      lines,
      address: { ...address, country, ...(postalCode ? { postalCode } : {}) },
    })
    expect(refusal(answer)).toEqual([422, 'validation_failed'])
    expect(answer.body.errors).toEqual([{ pointer: '/address/postalCode', message }])
  })

  test.each([
    ['PT', ' PT 4050 123', '4050-123'],
    ['IE', 'd02af30', 'D02 AF30'],
    ['XK', null, null],
    ['HK', 'n/a', 'N/A'],
    ['HK', ' ', null],
    ['IE', '', null],
  ])('an address in %s with the postal code %p is shipped to as %p', async (country, postalCode, written) => {
    const fan = await patientFan(world)
    const lines = [{ productId: await addStock(world, 1), quantity: 1 }]
    const address = { ...ADDRESS, country, postalCode, city: ' Porto ', region: 'Norte ', phone: '' }
    const order = expectStatus(201, await fan.post('/api/checkout', { lines, address }))
    const normal = { line2: null, city: 'Porto', region: 'Norte', phone: null }
    const shipped = { ...address, ...normal, postalCode: written }
    expect((await orderOf(fan, order.id)).address).toEqual(shipped)
  })

  test.each(['\u2800', 'Rua\u0334\u0335\u0336 12', 'Rua 12\nPorto', 'x'.repeat(101)])(
    'the line %j of an address is refused',
    async line1 => {
      const fan = await patientFan(world)
      const lines = [{ productId: await addStock(world, 1), quantity: 1 }]
      const answer = await fan.post('/api/checkout', { lines, address: { ...ADDRESS, line1 } })
      expect(refusal(answer)).toEqual([422, 'validation_failed'])
      expect(answer.body.errors).toMatchObject([{ pointer: '/address/line1' }])
    },
  )

  test('an address is encrypted in the database, also in the response that is stored for a repeat', async () => {
    const fan = await patientFan(world)
    const productId = await addStock(world, 5)
    const address = { ...ADDRESS, name: 'Zacarias Quaresma', line1: 'Travessa Secreta 7' }
    const body = { lines: [{ productId, quantity: 1 }], address }
    const key = { 'idempotency-key': world.clock.newId() }
    const order = expectStatus(201, await fan.post('/api/checkout', body, key))
    expect(order.address).toMatchObject(address)
    const repeat = await fan.post('/api/checkout', body, key)
    expect([expectStatus(201, repeat), repeat.headers.get('idempotent-replayed')]).toEqual([order, 'true'])
    const { orders, idempotencyKeys } = world.db.tables
    const stored = [
      ...(await world.db.read.select().from(orders).where(eq(orders.id, order.id))),
      ...(await world.db.read
        .select()
        .from(idempotencyKeys)
        .where(eq(idempotencyKeys.key, key['idempotency-key']))),
    ]
    expect(stored).toHaveLength(2)
    expect(JSON.stringify(stored)).not.toMatch(/Zacarias|Secreta|4050/)
  })

  test('an order is found only by its own fan', async () => {
    const [fan, other] = [await patientFan(world), await patientFan(world)]
    await other.post('/api/user/profile', { displayName: 'Other' })
    const { id } = expectStatus(201, await checkout(fan, await addStock(world, 1)))
    for (const answer of [
      await other.get(`/api/user/orders/${id}`),
      await completeOrder(other, id),
      await cancelOrder(other, id),
      await other.post('/api/checkout/payment', { orderId: id, method: 'gateway' }),
      await other.post('/api/sandbox/receipts', { purchaseId: id }),
    ])
      expect(answer.status).toBe(404)
    expect(expectStatus(200, await other.get('/api/user/orders')).orders).toEqual([])
  })

  test('orders are listed page by page, newest first', async () => {
    const fan = await patientFan(world)
    const productId = await addStock(world, null)
    const ids: string[] = []
    for (let n = 0; n < 3; n++) {
      ids.unshift(expectStatus(201, await checkout(fan, productId)).id)
      world.clock.advance(1)
    }
    const first = expectStatus(200, await fan.get('/api/user/orders?limit=2'))
    const second = expectStatus(200, await fan.get(`/api/user/orders?limit=2&cursor=${first.nextCursor}`))
    const listed = [...first.orders, ...second.orders].map(({ id }: { id: string }) => id)
    expect([listed, second.nextCursor]).toEqual([ids, null])
  })
})
