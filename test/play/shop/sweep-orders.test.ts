/** Background tasks of orders: events of expiry, deletion of addresses, and re-encryption after a rotation of the key. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { sweepAddresses } from '../../../src/operate/admin/sweep-addresses.ts'
import { createAddressEncryption } from '../../../src/play/shop/addresses.ts'
import { exportOrders } from '../../../src/play/shop/personal-data.ts'
import { noteExpiredOrders, reencryptAddresses } from '../../../src/play/shop/sweep-orders.ts'
import { type Fan, onEachEngine, type World } from '../../support/world.ts'
import { DAY, expectStatus, patientFan, userIdOf } from '../packs/packs-world.ts'
import { addStock, buyWithMoney, checkout, completeOrder, HOLD, orderOf, pay } from './orders-world.ts'

async function rowOf({ db }: World, id: string) {
  const [row] = await db.read.select().from(db.tables.orders).where(eq(db.tables.orders.id, id))
  return row
}

async function eventsOf({ db }: World, orderId: string): Promise<string[]> {
  const { events } = db.tables
  const rows = await db.read.select().from(events).orderBy(events.sequence)
  return rows.filter(({ data }) => data?.includes(orderId)).flatMap(({ type }) => type ?? [])
}

const erase = (world: World, { subject }: Fan) =>
  world.db.write(tx => eraseUser(tx, { provider: world.config.identity.name, subject }))

onEachEngine(
  'Orders in the background',
  world => {
    test('an order that expires has an event, once, and a late payment still pays it', async () => {
      const fan = await patientFan(world)
      const { id } = expectStatus(201, await checkout(fan, await addStock(world, 1)))
      expect(await noteExpiredOrders(world.db)).toBe(0)
      world.clock.advance(HOLD)
      expect(await noteExpiredOrders(world.db)).toBe(1)
      expect(await noteExpiredOrders(world.db)).toBe(0)
      expectStatus(200, await completeOrder(fan, id, await pay(fan, id)))
      expect(await eventsOf(world, id)).toEqual(['order.created', 'order.expired', 'order.paid'])
    })

    test('the address of an order that was never paid is deleted after 30 days, and no other', async () => {
      const fan = await patientFan(world)
      const productId = await addStock(world, null)
      const unpaid = expectStatus(201, await checkout(fan, productId))
      const paid = await buyWithMoney(fan, productId)
      world.clock.advance(30 * DAY + HOLD)
      expect(await sweepAddresses(world.db)).toBe(1)
      expect((await rowOf(world, unpaid.id))?.address).toBeNull()
      expect((await rowOf(world, paid.id))?.address).toBeString()
    })

    test('an erasure cancels what is not paid, and keeps the address of a paid order as long as configured', async () => {
      const fan = await patientFan(world)
      const productId = await addStock(world, 3)
      const [paid, pending] = [
        await buyWithMoney(fan, productId),
        expectStatus(201, await checkout(fan, productId)),
      ]
      await erase(world, fan)
      expect(await rowOf(world, pending.id)).toMatchObject({ status: 'cancelled', address: null })
      expect((await rowOf(world, paid.id))?.address).toBeString()
      world.clock.advance(10 * DAY - 1)
      expect(await sweepAddresses(world.db)).toBe(0)
      world.clock.advance(1)
      expect(await sweepAddresses(world.db)).toBe(1)
      expect((await rowOf(world, paid.id))?.address).toBeNull()
    })

    test('an export has the orders with their addresses', async () => {
      const fan = await patientFan(world)
      const { id } = await buyWithMoney(fan, await addStock(world, 3))
      const userId = (await userIdOf(world, fan)) ?? ''
      const orders = await Array.fromAsync(exportOrders(world.db.read, userId, world.deps.addressEncryption))
      expect(orders).toMatchObject([{ id, status: 'paid', address: { name: 'Ana Ruiz' } }])
    })

    test('after a rotation of the key addresses are read, and encrypted with the new one', async () => {
      const fan = await patientFan(world)
      const { id } = await buyWithMoney(fan, await addStock(world, 3))
      const { key } = world.config.nativeTokens
      const newKey = { d: 'another secret of 32 bytes and more' }
      const rotated = createAddressEncryption({ key: newKey, previousKeys: [key] })
      const before = await rowOf(world, id)
      expect(await reencryptAddresses(world.db, rotated)).toBeGreaterThan(0)
      expect(await reencryptAddresses(world.db, rotated)).toBe(0)
      const after = await rowOf(world, id)
      expect(after?.address).not.toBe(before?.address ?? '')
      const later = createAddressEncryption({ key: newKey, previousKeys: [] })
      const read = later.decrypt(after?.address ?? '', id)
      expect(JSON.parse(read ?? '{}')).toMatchObject({ name: 'Ana Ruiz' })
      expect(later.decrypt(before?.address ?? '', id)).toBeNull()
      // As before, for the other tests of this world.
      await reencryptAddresses(world.db, createAddressEncryption({ key, previousKeys: [newKey] }))
      expect((await orderOf(fan, id)).address.name).toBe('Ana Ruiz')
    })
  },
  { env: { ORDER_ADDRESS_RETENTION_DAYS: '10' }, worldPer: 'test' },
)
