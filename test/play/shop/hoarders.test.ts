/** A drop in which every tenth fan holds all that they can, and pays for nothing. */
import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { realSources } from '../../../src/core/sources.ts'
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import type { ProductEntry } from '../../../src/play/shop/entry-schema.ts'
import { engines } from '../../support/engines.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'
import { findingsOf } from '../top-ups/cash-world.ts'
import { ADDRESS, HOLD } from './orders-world.ts'
import { entryOf, record } from './products-world.ts'

const FANS = 40
const STOCK = 24
/** The waits of hoarders are then longer than any test runs. */
const ROUNDS = 4

for (const engine of engines) {
  describe(`A drop with hoarders, of two processes on one database (${engine.name})`, () => {
    const processes = useTwoProcesses(engine, { PAYMENT_GATEWAY: 'sandbox' }, realSources)

    /** As if the time had passed for what is not paid: the processes have the time of the system. */
    async function pass(ms: number) {
      const { orders, orderLines } = processes.db.tables
      await processes.db.write(async tx => {
        for (const { id, createdAt, expiresAt } of await tx
          .select()
          .from(orders)
          .where(eq(orders.status, 'pending'))) {
          const before = (at: Date) => new Date(at.getTime() - ms)
          const times = { createdAt: before(createdAt), expiresAt: before(expiresAt) }
          await tx.update(orders).set(times).where(eq(orders.id, id))
          await tx.update(orderLines).set({ holdUntil: times.expiresAt }).where(eq(orderLines.orderId, id))
        }
      })
    }

    /** A product with one variant; answers its id. */
    async function sell(members: Partial<ProductEntry>, stock: number | null): Promise<string> {
      const entry = entryOf({ ...members, variants: [{ id: 'one', name: 'One size', stock }] })
      await processes.db.write(tx => writeRecord(tx, record(entry)))
      return entry.id
    }

    test.each([
      ['', false],
      [' who pay for stickers meanwhile, and withdraw from them', true],
    ])('sells the stock to the others, not to hoarders%s', async (_, paysForStickers) => {
      const productId = await sell({}, STOCK)
      const stickerId = await sell({ price: { amount: 1, currency: 'EUR' } }, null)
      const tokens = await Promise.all(Array.from({ length: FANS }, (_, n) => processes.tokenOf(n + 1)))
      const call = (fan: number, method: string, path: string, body: unknown) =>
        processes.call(fan, tokens[fan] ?? '', method, path, body)
      const hold = (fan: number, quantity: number, id = productId) =>
        call(fan, 'POST', '/api/checkout', { lines: [{ productId: id, quantity }], address: ADDRESS })
      const isHoarder = (fan: number) => fan % 10 === 0

      /** Largest carts first, as often as they are accepted. */
      async function hoard(fan: number) {
        for (const quantity of [50, 10, 5, 1]) while ((await hold(fan, quantity)).status === 201);
      }
      /** Answers the id of the order; null if it was refused. */
      async function buyOne(fan: number, id = productId): Promise<unknown> {
        const { status, body } = await hold(fan, 1, id)
        if (status !== 201) return null
        const receipt = await call(fan, 'POST', '/api/sandbox/receipts', { purchaseId: body.id })
        const { paymentReference } = receipt.body
        const paid = await call(fan, 'PUT', '/api/checkout', { orderId: body.id, paymentReference })
        return paid.status === 200 ? body.id : null
      }
      const stickers = new Map<number, unknown>()
      /** One at a time is paid and not returned. */
      async function buySticker(fan: number): Promise<void> {
        const before = stickers.get(fan)
        const id = await buyOne(fan, stickerId)
        if (id) stickers.set(fan, id)
        if (id && before) await call(fan, 'POST', `/api/user/orders/${before}/withdrawal`, {})
      }

      const all = Array.from({ length: FANS }, (_, fan) => fan)
      const [hoarders, honest] = [all.filter(isHoarder), all.filter(fan => !isHoarder(fan))]
      const served = new Set<number>()
      let heldAtFirst = 0
      for (let round = 0; round < ROUNDS; round++) {
        // They are the fastest: nobody else is there before them.
        await Promise.all(hoarders.map(hoard))
        if (paysForStickers) await Promise.all(hoarders.map(buySticker))
        if (round === 0) heldAtFirst = await unitsOf(productId)
        const asking = honest.filter(fan => !served.has(fan))
        const bought = await Promise.all(
          asking.map(async fan => ({ fan, isServed: (await buyOne(fan)) !== null })),
        )
        for (const { fan, isServed } of bought) if (isServed) served.add(fan)
        await pass(HOLD + 1_000)
      }
      expect(heldAtFirst).toBe(STOCK)
      expect(served.size).toBeGreaterThanOrEqual(Math.ceil(STOCK * 0.95))
      // Their rows have another time than their events, since it has passed only for the rows.
      const wrong = (await findingsOf(processes)).filter(({ what }) => !/orders.created_at/.test(what))
      expect(wrong).toEqual([])
    })

    /** Units in all lines of a product. */
    async function unitsOf(productId: string): Promise<number> {
      const { orderLines } = processes.db.tables
      const lines = await processes.db.read
        .select()
        .from(orderLines)
        .where(eq(orderLines.productId, productId))
      return lines.reduce((sum, { quantity }) => sum + quantity, 0)
    }
  })
}
