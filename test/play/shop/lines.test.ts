/** The lines of paid orders, as the club's systems change them. */
import { expect, test } from 'bun:test'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import type { Client } from '../../support/client.ts'
import { onEachEngine, type World } from '../../support/world.ts'
import { expectStatus, patientFan, refusal } from '../packs/packs-world.ts'
import { addStock, buyWithMoney, checkout, freeStock, orderOf } from './orders-world.ts'

const warehouseOf = async (world: World) => world.withToken(await world.serverKey(['orders:write']))

const change = (warehouse: Client, orderId: string, state: string, more: object = {}, line = 1) =>
  warehouse.put(`/api/orders/${orderId}/lines/${line}`, { state, ...more })

const SHIPPED = { carrier: 'CTT', tracking: 'RR123456785PT' }

onEachEngine('The lines of an order', world => {
  test('go from none to delivered, and the order is then fulfilled', async () => {
    const [fan, warehouse] = [await patientFan(world), await warehouseOf(world)]
    const { id } = await buyWithMoney(fan, await addStock(world, 3))
    expect(expectStatus(200, await change(warehouse, id, 'ready')).lines[0].state).toBe('ready')
    const shipped = expectStatus(200, await change(warehouse, id, 'shipped', SHIPPED))
    expect(shipped).toMatchObject({ status: 'paid', lines: [{ state: 'shipped', ...SHIPPED }] })
    expect(expectStatus(200, await change(warehouse, id, 'delivered')).status).toBe('fulfilled')
    expect(await orderOf(fan, id)).toMatchObject({
      status: 'fulfilled',
      lines: [{ state: 'delivered', ...SHIPPED }],
    })
    const { events } = world.db.tables
    const rows = (await world.db.read.select().from(events).orderBy(events.sequence)).filter(({ data }) =>
      data?.includes(id),
    )
    const changed = rows.filter(({ type }) => type === 'order.line_changed')
    expect(changed.map(({ data }) => JSON.parse(data ?? '').state)).toEqual(['ready', 'shipped', 'delivered'])
  })

  test('are read with the address that they are shipped to', async () => {
    const [fan, warehouse] = [await patientFan(world), await warehouseOf(world)]
    const { id } = await buyWithMoney(fan, await addStock(world, 3))
    const order = expectStatus(200, await warehouse.get(`/api/orders/${id}`))
    expect(order).toMatchObject({ id, address: { name: 'Ana Ruiz', country: 'PT' } })
    expect(order.fan.id).toBe((await fan.post('/api/user/profile', {})).body.id)
  })

  test('stay as they are when a state is reported again; a carrier can be corrected', async () => {
    const [fan, warehouse] = [await patientFan(world), await warehouseOf(world)]
    const { id } = await buyWithMoney(fan, await addStock(world, 3))
    await change(warehouse, id, 'ready')
    expectStatus(200, await change(warehouse, id, 'ready'))
    await change(warehouse, id, 'shipped', SHIPPED)
    expectStatus(200, await change(warehouse, id, 'shipped', SHIPPED))
    const corrected = expectStatus(200, await change(warehouse, id, 'shipped', { carrier: 'DHL' }))
    expect(corrected.lines[0]).toMatchObject({ state: 'shipped', carrier: 'DHL', tracking: null })
    const { events } = world.db.tables
    const rows = (await world.db.read.select().from(events)).filter(({ data }) => data?.includes(id))
    expect(rows.filter(({ type }) => type === 'order.line_changed')).toHaveLength(3)
  })

  test('that are returned put their units back into stock, once', async () => {
    const [fan, warehouse] = [await patientFan(world), await warehouseOf(world)]
    const productId = await addStock(world, 3)
    const { id } = await buyWithMoney(fan, { productId, quantity: 2 })
    expect(await freeStock(world, productId)).toBe(1)
    await change(warehouse, id, 'ready')
    await change(warehouse, id, 'shipped', SHIPPED)
    expect(expectStatus(200, await change(warehouse, id, 'returned')).status).toBe('fulfilled')
    expectStatus(200, await change(warehouse, id, 'returned'))
    expect(await freeStock(world, productId)).toBe(3)
  })

  test('of an erased fan have no tracking number, whether it was entered before or after the erasure', async () => {
    const [fan, warehouse] = [await patientFan(world), await warehouseOf(world)]
    const [sent, waiting] = [await addStock(world, 3), await addStock(world, 3)]
    const { id } = await buyWithMoney(fan, sent, waiting)
    await change(warehouse, id, 'ready')
    await change(warehouse, id, 'ready', {}, 2)
    await change(warehouse, id, 'shipped', SHIPPED)
    const provider = world.config.identity.name
    await world.db.write(tx => eraseUser(tx, { provider, subject: fan.subject }))
    for (let n = 0; n < 2; n++) expectStatus(200, await change(warehouse, id, 'shipped', SHIPPED, 2))
    const { lines } = expectStatus(200, await warehouse.get(`/api/orders/${id}`))
    expect(lines).toMatchObject([1, 2].map(() => ({ state: 'shipped', carrier: 'CTT', tracking: null })))
    expectStatus(200, await change(warehouse, id, 'delivered'))
  })

  test.each([
    ['none', [], ['shipped', 'delivered', 'returned']],
    ['ready', ['ready'], ['delivered', 'returned']],
    ['shipped', ['ready', 'shipped'], ['ready']],
    ['delivered', ['ready', 'shipped', 'delivered'], ['ready', 'shipped', 'returned']],
    ['returned', ['ready', 'shipped', 'returned'], ['ready', 'shipped', 'delivered']],
  ])('in the state %s refuse every other move', async (_, before, refused) => {
    const [fan, warehouse] = [await patientFan(world), await warehouseOf(world)]
    const { id } = await buyWithMoney(fan, await addStock(world, 3))
    const moreOf = (state: string) => (state === 'shipped' ? SHIPPED : {})
    for (const state of before) expectStatus(200, await change(warehouse, id, state, moreOf(state)))
    for (const state of refused)
      expect(refusal(await change(warehouse, id, state, moreOf(state)))).toEqual([
        409,
        'line_state_not_allowed',
      ])
  })

  test('of an order that is not paid do not move', async () => {
    const [fan, warehouse] = [await patientFan(world), await warehouseOf(world)]
    const { id } = expectStatus(201, await checkout(fan, await addStock(world, 3)))
    expect(refusal(await change(warehouse, id, 'ready'))).toEqual([409, 'line_state_not_allowed'])
  })

  test('and orders that do not exist are not found', async () => {
    const [fan, warehouse] = [await patientFan(world), await warehouseOf(world)]
    const { id } = await buyWithMoney(fan, await addStock(world, 3))
    const missing = '01981e2c-7c1f-7000-8000-0000000000ff'
    for (const answer of [
      await warehouse.get(`/api/orders/${missing}`),
      await change(warehouse, missing, 'ready'),
      await change(warehouse, id, 'ready', {}, 2),
    ])
      expect(refusal(answer)).toEqual([404, 'order_not_found'])
  })

  test.each([
    ['shipped without a carrier', 'shipped', {}, '/carrier'],
    ['ready with a carrier', 'ready', SHIPPED, '/carrier'],
  ])('refuse %s', async (_, state, more, pointer) => {
    const [fan, warehouse] = [await patientFan(world), await warehouseOf(world)]
    const { id } = await buyWithMoney(fan, await addStock(world, 3))
    const answer = await change(warehouse, id, state, more)
    expect(refusal(answer)).toEqual([422, 'validation_failed'])
    expect(answer.body.errors[0]).toMatchObject({ pointer })
  })

  test('can be changed only with a server key that has the scope', async () => {
    const fan = await patientFan(world)
    const { id } = await buyWithMoney(fan, await addStock(world, 3))
    expect(refusal(await change(fan, id, 'ready'))).toEqual([401, 'invalid_server_key'])
    const other = world.withToken(await world.serverKey(['events:write']))
    expect(refusal(await change(other, id, 'ready'))).toEqual([403, 'insufficient_scope'])
  })
})
