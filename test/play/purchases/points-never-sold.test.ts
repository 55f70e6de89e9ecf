/** The database refuses points for money, whatever writes them; refunds of prices in points pass. */
import { expect, test } from 'bun:test'
import { refund } from '../../../src/play/purchases/refund.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'
import {
  addPack,
  balanceOf,
  buy,
  buyWithMoney as buyPackWithMoney,
  entriesOf,
  expectStatus,
  patientFan,
  userIdOf,
} from '../packs/packs-world.ts'
import { refundPack } from '../packs/refund-pack.ts'
import { addStock, buyWithMoney, checkout, completeOrder, POINTS } from '../shop/orders-world.ts'
import { expectSound, withdraw } from '../shop/withdrawals-world.ts'

const EUROS = (amount: number) => ({ amount, currency: 'EUR' })
const REFUSED = 'points are not sold'

onEachEngine('Points', world => {
  /** Writes an entry past the application. Answers what the database says. */
  async function write(fan: Fan, reason: string, ref: string, delta = 5): Promise<string> {
    const { db } = world
    const entry = {
      id: db.read.newId(),
      userId: (await userIdOf(world, fan)) ?? '',
      seq: 1_000,
      delta,
      reason,
      ref,
    }
    const rest = { balanceAfter: 1_000, createdAt: db.read.now(), hash: 'h' }
    return db
      .write(async tx => {
        await tx.insert(tx.tables.pointsEntries).values({ ...entry, ...rest })
        throw new Error('written, and rolled back')
      })
      .catch((error: Error) => `${error.message} ${(error.cause as Error | undefined)?.message ?? ''}`)
  }

  test.each(['pack_purchase', 'order_payment', 'top_up', 'top_up_refund'])(
    'are taken by an entry with the reason %s, and never given',
    async reason => {
      const fan = await patientFan(world, 1)
      expect(await write(fan, reason, 'any')).toContain(REFUSED)
      expect(await write(fan, reason, 'any', -5)).toContain('written')
      expect(await write(fan, 'activity', 'any')).toContain('written')
    },
  )

  test('are not returned for a pack or an order, or a part of it, whose price is in money', async () => {
    const fan = await patientFan(world, 1)
    const pack = await buyPackWithMoney(fan, await addPack(world, { price: EUROS(400) }))
    const order = await buyWithMoney(fan, await addStock(world, null, { price: EUROS(300) }))
    for (const [reason, ref] of [
      ['pack_refund', pack.id],
      ['order_refund', order.id],
      ['order_refund', `${order.id}:1`],
    ])
      expect(await write(fan, reason ?? '', ref ?? '')).toContain(REFUSED)
    expect(await balanceOf(fan)).toMatchObject({ balance: 1 })
  })

  test('are returned for packs and orders that were paid in points, in parts and as a whole', async () => {
    const fan = await patientFan(world, 1_000)
    const pack = await buy(fan, await addPack(world))
    const [scarf, shirt] = [
      await addStock(world, null, { price: POINTS }),
      await addStock(world, null, { price: POINTS }),
    ]
    const { id } = expectStatus(201, await checkout(fan, scarf, { productId: shirt, quantity: 2 }))
    expectStatus(200, await completeOrder(fan, id))
    expect(await balanceOf(fan)).toMatchObject({ balance: 600 })
    await world.db.write(tx => refundPack(tx, pack.id))
    expectStatus(200, await withdraw(fan, id, [1]))
    await world.db.write(tx => refund(tx, orderKind, id))
    expect(await balanceOf(fan)).toEqual({ balance: 1_000, lifetime: 1_000 })
    expect(await entriesOf(fan, 'pack_refund')).toMatchObject([{ delta: 100, ref: pack.id }])
    const refunds = await entriesOf(fan, 'order_refund')
    expect(refunds.map(({ delta, ref }) => `${ref} ${delta}`).toSorted()).toEqual([
      `${id} 200`,
      `${id}:1 100`,
    ])
    await expectSound(world)
  })
})
