/** `verify-ledger` finds each way in which the orders of the shop could contradict themselves. */
import { expect, test } from 'bun:test'
import { eq, isNotNull } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import type { Finding } from '../../../src/core/finding.ts'
import { PURCHASE_KINDS } from '../../../src/operate/admin/refunds/refund-purchase.ts'
import { complete } from '../../../src/play/purchases/complete.ts'
import { refund } from '../../../src/play/purchases/refund.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import { expectStatus, patientFan } from '../../play/packs/packs-world.ts'
import {
  ADDRESS,
  addStock,
  buyWithMoney,
  cancelOrder,
  checkout,
  completeOrder,
  orderOf,
  POINTS,
  pay,
} from '../../play/shop/orders-world.ts'
import { onEachEngine, type World } from '../../support/world.ts'

async function findingsOf({ db }: World) {
  const findings: Finding[] = []
  await verifyLedger(db, { onFinding: finding => void findings.push(finding) })
  return findings.map(({ what, expected, actual }) => ({ what: what.split(' of ')[0], expected, actual }))
}

onEachEngine(
  'Orders of every status',
  world => {
    /** A paid, a pending, a refunded, and one in points; a voucher that was used. */
    async function seed() {
      const fan = await patientFan(world, 500)
      const productId = await addStock(world, 9)
      const paid = await buyWithMoney(fan, { productId, quantity: 2 })
      const held = expectStatus(201, await checkout(fan, productId))
      const refunded = await buyWithMoney(fan, productId)
      await world.db.write(tx => refund(tx, orderKind, refunded.id))
      const points = await addStock(world, null, { price: POINTS })
      const inPoints = expectStatus(201, await checkout(fan, points))
      expectStatus(200, await completeOrder(fan, inPoints.id))
      const price = { amount: 10, currency: 'EUR' }
      const voucher = await addStock(world, 3, { kind: 'voucher', delivers: { credit: 5000 }, price })
      const [{ code }] = (await buyWithMoney(fan, voucher)).lines[0].vouchers
      const lines = [{ productId, quantity: 1 }]
      const answer = await fan.post('/api/checkout', { lines, address: ADDRESS, voucher: code })
      const { id } = expectStatus(201, answer)
      expectStatus(200, await completeOrder(fan, id))
      return { productId, paid: paid.id, held: held.id, inPoints: inPoints.id, code }
    }
    type Seeded = Awaited<ReturnType<typeof seed>>

    test('give no findings', async () => {
      await seed()
      expect(await findingsOf(world)).toEqual([])
    })

    test('give no findings if an event has an earlier time than the previous event, as after a wait for a lock', async () => {
      const fan = await patientFan(world)
      const { id } = expectStatus(201, await checkout(fan, await addStock(world, 1)))
      const reference = await pay(fan, id)
      expectStatus(200, await cancelOrder(fan, id))
      world.clock.set(-20)
      await world.db.write(tx => complete(tx, PURCHASE_KINDS, orderKind, id, { kind: 'money', reference }))
      world.clock.set(20)
      expect((await orderOf(fan, id)).status).toBe('refund_due')
      expect(await findingsOf(world)).toEqual([])
    })

    const damages: [string, (tx: Transaction, seeded: Seeded) => PromiseLike<unknown>, object[]][] = [
      [
        'a number of sold units that is not that of the lines',
        (tx, { productId }) => {
          const { productVariants: table } = tx.tables
          return tx.update(table).set({ stockSold: 0 }).where(eq(table.productId, productId))
        },
        [{ what: 'product_variants.stock_sold', expected: 3, actual: 0 }],
      ],
      [
        'a stock below what is sold and held',
        (tx, { productId }) => {
          const { productVariants: table } = tx.tables
          return tx.update(table).set({ stockTotal: 3 }).where(eq(table.productId, productId))
        },
        [{ what: 'product_variants.stock_total', expected: 4, actual: 3 }],
      ],
      [
        'a total that is not that of the lines',
        (tx, { held }) => {
          const { orders } = tx.tables
          return tx.update(orders).set({ priceAmount: 1 }).where(eq(orders.id, held))
        },
        [{ what: 'orders.price_amount', expected: 1900, actual: 1 }],
      ],
      [
        'a paid order without its payment',
        (tx, { paid }) => {
          const { payments } = tx.tables
          return tx.delete(payments).where(eq(payments.purchaseId, paid))
        },
        [{ what: 'payments.amount', expected: 3800, actual: null }],
      ],
      [
        'a payment of an order that is not paid',
        (tx, { held }) =>
          tx.insert(tx.tables.payments).values({
            ...{ reference: 'lost', kind: 'order', purchaseId: held, amount: 1900, currency: 'EUR' },
            createdAt: tx.now(),
          }),
        [
          { what: 'payments.amount', expected: null, actual: 1900 },
          { what: 'payments.reference', expected: null, actual: 'lost' },
        ],
      ],
      [
        'a refunded payment whose order is not refunded',
        (tx, { paid }) => {
          const { payments } = tx.tables
          return tx.update(payments).set({ refundedAt: tx.now() }).where(eq(payments.purchaseId, paid))
        },
        [{ what: 'payments.refunded_at', expected: null, actual: expect.any(String) }],
      ],
      [
        'a line that is held for an order that has ended',
        async (tx, { held }) => {
          const { orders } = tx.tables
          await tx.update(orders).set({ status: 'cancelled' }).where(eq(orders.id, held))
        },
        [{ what: 'order_lines.hold_until', expected: null, actual: expect.any(String) }],
      ],
      [
        'a paid order whose units are not sold',
        (tx, { inPoints }) => {
          const { orderLines } = tx.tables
          return tx.update(orderLines).set({ isSold: false }).where(eq(orderLines.orderId, inPoints))
        },
        [
          { what: 'product_variants.stock_sold', expected: 0, actual: 1 },
          { what: 'order_lines.is_sold', expected: 'true', actual: 'false' },
        ],
      ],
      [
        'an order in points that the ledger did not pay',
        (tx, { inPoints }) => {
          const { orders } = tx.tables
          return tx.update(orders).set({ priceAmount: 0, discountAmount: 100 }).where(eq(orders.id, inPoints))
        },
        [{ what: 'orders.status and price_amount', expected: -100, actual: 0 }],
      ],
      [
        'a voucher that was used and can be used again',
        tx => {
          const { orderUnits } = tx.tables
          return tx.update(orderUnits).set({ usedAt: null, usedBy: null }).where(isNotNull(orderUnits.usedAt))
        },
        [{ what: 'order_units.used_by for', expected: 'set', actual: null }],
      ],
    ]
    test.each(damages)('give a finding for %s', async (_, damage, expected) => {
      const seeded = await seed()
      await world.db.write(async tx => void (await damage(tx, seeded)))
      const found = (await findingsOf(world)).map(finding =>
        finding.what?.startsWith('order_units') ? { ...finding, what: 'order_units.used_by for' } : finding,
      )
      expect(found).toEqual(expect.arrayContaining(expected))
    })
  },
  { worldPer: 'test' },
)
