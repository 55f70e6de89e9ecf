/** Orders of several products, variants and kinds: what is counted over the lines, and what each line keeps to itself. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { refund } from '../../../src/play/purchases/refund.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import { readUnits } from '../../../src/play/shop/order-rows.ts'
import { noteExpiry } from '../../../src/play/shop/sweep-orders.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { addPack, DAY, expectStatus, open, patientFan, refusal } from '../packs/packs-world.ts'
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
} from './orders-world.ts'
import { addProduct, entryOf } from './products-world.ts'
import { expectSound } from './withdrawals-world.ts'

const EUROS = (amount: number) => ({ amount, currency: 'EUR' })
const SHIPPED = { carrier: 'CTT', tracking: 'RR123456785PT' }

const refundOrder = ({ db }: World, id: string) => db.write(tx => refund(tx, orderKind, id))
const warehouseOf = async (world: World) => world.withToken(await world.serverKey(['orders:write']))
const change = (warehouse: Client, orderId: string, line: number, state: string, more: object = {}) =>
  warehouse.put(`/api/orders/${orderId}/lines/${line}`, { state, ...more })

async function sendLine(warehouse: Client, orderId: string, line: number) {
  expectStatus(200, await change(warehouse, orderId, line, 'ready'))
  expectStatus(200, await change(warehouse, orderId, line, 'shipped', SHIPPED))
}

/** A scarf with two variants of 3 each, a shirt of 3, and sealed packs: what a fan puts into one cart. */
async function products(world: World, scarf: Parameters<typeof entryOf>[0] = {}) {
  const variants = [
    { id: 'short', name: '140 cm', stock: 3 },
    { id: 'long', name: '170 cm', stock: 3 },
  ]
  const entry = entryOf({ variants, ...scarf })
  await addProduct(world, entry)
  const packId = await addPack(world)
  return {
    scarf: entry.id,
    shirt: await addStock(world, 3, { price: EUROS(7900) }),
    pack: await addStock(world, 5, { kind: 'pack', delivers: { packId }, price: EUROS(300) }),
    packId,
  }
}

const wholeCart = ({ scarf, shirt, pack }: Awaited<ReturnType<typeof products>>) => [
  { productId: scarf, variantId: 'short', quantity: 2 },
  { productId: scarf, variantId: 'long' },
  { productId: shirt },
  { productId: pack, quantity: 2 },
]

const statesOf = (order: { lines: { state: string }[] }) => order.lines.map(({ state }) => state)

onEachEngine('A cart of several lines', world => {
  const freeOf = async (productId: string) => {
    const { variants } = expectStatus(200, await world.anonymous.get(`/api/products/${productId}`))
    return variants.map(({ stockRemaining }: { stockRemaining: number }) => stockRemaining)
  }
  const eventsOf = async (orderId: string) => {
    const { events } = world.db.tables
    const rows = await world.db.read.select().from(events).orderBy(events.sequence)
    return rows.filter(({ data }) => data?.includes(orderId)).map(({ type }) => type)
  }

  test('holds, sums and delivers each line', async () => {
    const [fan, goods] = [await patientFan(world), await products(world)]
    const order = expectStatus(201, await checkout(fan, ...wholeCart(goods)))
    expect(order.total).toEqual(EUROS(3 * 1900 + 7900 + 2 * 300))
    expect([await freeOf(goods.scarf), await freeOf(goods.shirt), await freeOf(goods.pack)]).toEqual([
      [1, 2],
      [2],
      [3],
    ])
    const paid = expectStatus(200, await completeOrder(fan, order.id, await pay(fan, order.id)))
    expect(statesOf(paid)).toEqual(['none', 'none', 'none', 'delivered'])
    expect(paid.lines[3].packPurchaseIds).toHaveLength(2)
  })

  test('is fulfilled when the last line has arrived, and not before', async () => {
    const [fan, warehouse] = [await patientFan(world), await warehouseOf(world)]
    const order = await buyWithMoney(fan, ...wholeCart(await products(world)))
    expect(order.status).toBe('paid')
    for (const line of [1, 2, 3]) {
      expect((await orderOf(fan, order.id)).status).toBe('paid')
      await sendLine(warehouse, order.id, line)
      expectStatus(200, await change(warehouse, order.id, line, line === 2 ? 'returned' : 'delivered'))
    }
    expect((await orderOf(fan, order.id)).status).toBe('fulfilled')
  })

  test('counts the limit per fan over all lines of a product', async () => {
    const [fan, { scarf, shirt }] = [await patientFan(world), await products(world, { maxPerFan: 3 })]
    const [short, long] = ['short', 'long'].map(variantId => ({ productId: scarf, variantId, quantity: 2 }))
    const answer = await checkout(fan, { ...short, productId: scarf }, { ...long, productId: scarf }, shirt)
    expect(refusal(answer)).toEqual([409, 'limit_reached'])
    expect(answer.body).toMatchObject({ productId: scarf, maxPerFan: 3, available: 3 })
    const one = { productId: scarf, variantId: 'long', quantity: 1 }
    expectStatus(201, await checkout(fan, { ...short, productId: scarf }, one, shirt))
  })

  test('is shipped only where each of its products is', async () => {
    const fan = await patientFan(world)
    const [anywhere, british] = [
      await addStock(world, 3),
      await addStock(world, 3, { shipsTo: ['GB', 'IE'] }),
    ]
    const answer = await checkout(fan, anywhere, british)
    expect(refusal(answer)).toEqual([409, 'not_shipped_there'])
    expect(answer.body).toMatchObject({ productId: british, shipsTo: ['GB', 'IE'] })
    expect(await freeStock(world, anywhere)).toBe(3)
    const address = { ...ADDRESS, country: 'IE', postalCode: 'D02 AF30' }
    const lines = [anywhere, british].map(productId => ({ productId, quantity: 1 }))
    expectStatus(201, await fan.post('/api/checkout', { lines, address }))
  })

  test('is refused when its lines together want more packs than are left', async () => {
    const fan = await patientFan(world)
    const packId = await addPack(world)
    const [one, other] = [
      await addStock(world, null, { kind: 'pack', delivers: { packId }, price: EUROS(300) }),
      await addStock(world, null, { kind: 'pack', delivers: { packId }, price: EUROS(250) }),
    ]
    // As if the pack had been limited since: the import refuses a product of a pack with a limit.
    const { packs } = world.db.tables
    await world.db.write(tx => tx.update(packs).set({ supplyTotal: 3 }).where(eq(packs.id, packId)))
    const wanted = (quantity: number) => [
      { productId: one, quantity: 2 },
      { productId: other, quantity },
    ]
    expect(refusal(await checkout(fan, ...wanted(2)))).toEqual([409, 'product_inactive'])
    const order = await buyWithMoney(fan, ...wanted(1))
    const given = order.lines.flatMap(({ packPurchaseIds }: { packPurchaseIds: string[] }) => packPurchaseIds)
    expect(given).toHaveLength(3)
  })

  test('compares the balance with what is left to pay after a voucher', async () => {
    const fan = await patientFan(world, 100)
    const price = { amount: 10, currency: 'POINTS' }
    const vouchers = await addStock(world, 5, { kind: 'voucher', delivers: { credit: 50 }, price })
    const started = expectStatus(201, await checkout(fan, vouchers))
    const [{ code: voucher }] = expectStatus(200, await completeOrder(fan, started.id)).lines[0].vouchers
    const [cheap, expensive] = [
      await addStock(world, 5, { price: { amount: 40, currency: 'POINTS' } }),
      await addStock(world, 5, { price: POINTS }),
    ]
    const lines = [cheap, expensive].map(productId => ({ productId, quantity: 1 }))
    // 140 points less 50, of a balance of 90.
    const order = expectStatus(201, await fan.post('/api/checkout', { lines, address: ADDRESS, voucher }))
    expect(order.total).toEqual({ amount: 90, currency: 'POINTS' })
    expect(expectStatus(200, await completeOrder(fan, order.id)).status).toBe('paid')
  })

  test('that is refunded before it is sent gives every line back', async () => {
    const [fan, warehouse, goods] = [await patientFan(world), await warehouseOf(world), await products(world)]
    const { id } = await buyWithMoney(fan, ...wholeCart(goods))
    expectStatus(200, await change(warehouse, id, 1, 'ready'))
    expect(await refundOrder(world, id)).toMatchObject({ supplyReturned: true })
    // As the events of the lines told it.
    expect(statesOf(await orderOf(fan, id))).toEqual(['ready', 'none', 'none', 'returned'])
    await expectSound(world)
    expect([await freeOf(goods.scarf), await freeOf(goods.shirt), await freeOf(goods.pack)]).toEqual([
      [3, 3],
      [3],
      [5],
    ])
  })

  test('that is refunded returns unused units of each line to the stock', async () => {
    const [fan, warehouse, goods] = [await patientFan(world), await warehouseOf(world), await products(world)]
    const { id, lines } = await buyWithMoney(fan, ...wholeCart(goods))
    await sendLine(warehouse, id, 3)
    const { packs } = expectStatus(200, await fan.get('/api/user/packs'))
    const first = packs.find(
      ({ purchaseId }: { purchaseId: string }) => purchaseId === lines[3].packPurchaseIds[0],
    )
    expectStatus(200, await open(fan, first.id))
    expect(await refundOrder(world, id)).toMatchObject({ supplyReturned: false })
    expect(statesOf(await orderOf(fan, id))).toEqual(['none', 'none', 'shipped', 'delivered'])
    const left = expectStatus(200, await fan.get('/api/user/packs')).packs
    expect(left.map(({ state }: { state: string }) => state).toSorted()).toEqual(['opened', 'revoked'])
    expect([await freeOf(goods.scarf), await freeOf(goods.shirt)]).toEqual([[3, 3], [2]])
    // The parcel is still on its way, and comes back.
    expectStatus(200, await change(warehouse, id, 3, 'returned'))
    expect(await freeOf(goods.shirt)).toEqual([3])
    expect(refusal(await change(warehouse, id, 1, 'ready'))).toEqual([409, 'line_state_not_allowed'])
  })

  test('has a tracking number that can be corrected alone, line by line', async () => {
    const [fan, warehouse] = [await patientFan(world), await warehouseOf(world)]
    const { id } = await buyWithMoney(fan, ...wholeCart(await products(world)))
    for (const line of [1, 2]) await sendLine(warehouse, id, line)
    const corrected = { ...SHIPPED, tracking: 'RR987654321PT' }
    const { lines } = expectStatus(200, await change(warehouse, id, 2, 'shipped', corrected))
    expect(lines.slice(0, 2)).toMatchObject([SHIPPED, corrected])
  })

  test('whose fan is erased is still sent, and no event names the fan', async () => {
    const [fan, warehouse] = [await patientFan(world), await warehouseOf(world)]
    const { id } = await buyWithMoney(fan, ...wholeCart(await products(world)))
    const provider = world.config.identity.name
    await world.db.write(tx => eraseUser(tx, { provider, subject: fan.subject }))
    const before = await eventsOf(id)
    await sendLine(warehouse, id, 1)
    expect((await warehouse.get(`/api/orders/${id}`)).body.lines[0]).toMatchObject({ state: 'shipped' })
    expect(await eventsOf(id)).toEqual(before)
    // Only vouchers become void.
    expect((await readUnits(world.db.read, id)).filter(({ voidedAt }) => voidedAt !== null)).toEqual([])
    await expectSound(world)
  })

  test.each([
    ['paid', buyWithMoney],
    [
      'cancelled',
      async (fan: Client, ...wanted: Parameters<typeof checkout>[1][]) => {
        const order = expectStatus(201, await checkout(fan, ...wanted))
        return expectStatus(200, await cancelOrder(fan, order.id))
      },
    ],
  ] as const)('that was %s meanwhile has no event of its expiry', async (_, end) => {
    const fan = await patientFan(world)
    const { id } = await end(fan, ...wholeCart(await products(world)))
    world.clock.advance(HOLD)
    expect(await world.db.write(tx => noteExpiry(tx, id))).toBe(false)
    expect(await eventsOf(id)).not.toContain('order.expired')
    const { orders } = world.db.tables
    expect(await world.db.read.select().from(orders).where(eq(orders.id, id))).toMatchObject([
      { expiryNotedAt: null },
    ])
  })

  test('can be paid when the clock goes back to before another hold had ended', async () => {
    const [late, quick] = [await patientFan(world), await patientFan(world)]
    const productId = await addStock(world, 1)
    const first = expectStatus(201, await checkout(late, productId))
    world.clock.advance(HOLD)
    const second = expectStatus(201, await checkout(quick, productId))
    world.clock.set(-2 * 60_000)
    const refused = await completeOrder(late, first.id, await pay(late, first.id))
    expect(refusal(refused)).toEqual([409, 'out_of_stock'])
    expect((await orderOf(late, first.id)).status).toBe('refund_due')
    const paid = await completeOrder(quick, second.id, await pay(quick, second.id))
    expect(expectStatus(200, paid).status).toBe('paid')
    world.clock.set(2 * 60_000)
  })

  test('is the one that is paid when the clock goes back to before the hold of an older one had ended', async () => {
    const [late, quick] = [await patientFan(world), await patientFan(world)]
    const productId = await addStock(world, 1)
    expectStatus(201, await checkout(late, productId))
    world.clock.advance(HOLD)
    const { id } = expectStatus(201, await checkout(quick, productId))
    world.clock.set(-60_000)
    expect(expectStatus(200, await completeOrder(quick, id, await pay(quick, id))).status).toBe('paid')
    world.clock.set(60_000)
  })

  test('may be started again when ten others have expired or were cancelled', async () => {
    const fan = await patientFan(world)
    const productId = await addStock(world, null)
    const carts: { id: string }[] = []
    for (let n = 0; n < 10; n++) carts.push(expectStatus(201, await checkout(fan, productId)))
    expect(refusal(await checkout(fan, productId))).toEqual([409, 'too_many_open_orders'])
    expectStatus(200, await cancelOrder(fan, carts[0]?.id ?? ''))
    expectStatus(201, await checkout(fan, productId))
    expect(refusal(await checkout(fan, productId))).toEqual([409, 'too_many_open_orders'])
    world.clock.advance(HOLD + DAY)
    expectStatus(201, await checkout(fan, productId))
  })
})
