/** The number of statements of a purchase with cash: each is a round trip on PostgreSQL. */
import { expect, test } from 'bun:test'
import { countQueries, countStatements } from '../../support/queries.ts'
import { onEachEngine } from '../../support/world.ts'
import { expectStatus, patientFan } from '../packs/packs-world.ts'
import { cashOf, topUp } from '../top-ups/cash-world.ts'
import { ADDRESS, addStock } from './orders-world.ts'

const PRICE = 100

onEachEngine('The statements of a purchase with cash', world => {
  test.each([
    // Fan, variant, product, pending orders; order, event, line.
    { stock: null, title: 'without a limit', checkout: 7, hold: 8, complete: 15 },
    // Checkout and completion each have three more: the held units, the lock of the stock, and the held units again.
    { stock: 1_000, title: 'with a limit', checkout: 10, hold: 8, complete: 18 },
  ])('$title', async ({ stock, title: _, ...expected }) => {
    const fan = await patientFan(world)
    await topUp(fan, 10 * PRICE)
    const productId = await addStock(world, stock, { price: { amount: PRICE, currency: 'EUR' } })
    const lines = [{ productId, variantId: 'one', quantity: 1 }]
    let orderId = ''
    const steps = {
      checkout: async () => {
        orderId = expectStatus(201, await fan.post('/api/checkout', { lines, address: ADDRESS })).id
      },
      hold: async () =>
        expectStatus(200, await fan.post('/api/checkout/payment', { orderId, method: 'cash' })),
      complete: async () => expectStatus(200, await fan.put('/api/checkout', { orderId })),
    }
    // Statements that are built count twice.
    for (const step of Object.values(steps)) await step()
    // Of the token; SQLite has it in memory.
    const validity = world.db.engine === 'sqlite' ? 0 : 1
    const counted: Record<string, number> = {}
    for (const [name, step] of Object.entries(steps)) {
      const before = await countQueries(world.db, async () => {
        counted[name] = await countStatements(world.db, step)
      })
      expect({ name, before }).toEqual({ name, before: validity })
    }
    expect(counted).toEqual(expected)
    expect(await cashOf(world, fan)).toEqual([8 * PRICE, 0])
  })
})
