/** Numbers of receipts while several processes pay, refund and roll back: none is lost, and none is given twice. */
import { describe, expect, test } from 'bun:test'
import type { Deferred } from '../../../db/index.ts'
import { preparedLast } from '../../../db/prepared.ts'
import { realSources } from '../../../src/core/sources.ts'
import { PURCHASE_KINDS } from '../../../src/operate/admin/refunds/refund-purchase.ts'
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { complete } from '../../../src/play/purchases/complete.ts'
import { refund } from '../../../src/play/purchases/refund.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import { engines } from '../../support/engines.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'
import { findingsOf } from '../top-ups/cash-world.ts'
import { ADDRESS } from './orders-world.ts'
import { entryOf, record } from './products-world.ts'
import { numbersOf, receiptsOf } from './receipts-world.ts'

const FANS = 6
const ORDERS = 8

/** After the numbers were taken. */
const failsAtLast: Deferred<null> = {
  order: 8,
  start: () => null,
  write: async tx => [insertNeither(tx, tx.now())],
}
const insertNeither = preparedLast((tx, startedAt: Date) =>
  tx.insert(tx.tables.receiptSeries).values({ id: 'neither', last: 1, startedAt }),
)

for (const engine of engines)
  describe(`Receipts of several processes on one database (${engine.name})`, () => {
    const settings = { PAYMENT_GATEWAY: 'sandbox', OPEN_ORDERS_PER_FAN: '1000' }
    const processes = useTwoProcesses(engine, settings, realSources)

    test('of payments and refunds at once, with rollbacks, have the numbers 1 to n', async () => {
      const entry = entryOf({
        variants: [{ id: 'one', name: 'One size', stock: null }],
        price: { amount: 1_230, currency: 'EUR' },
        taxRate: 0.23,
      })
      await processes.db.write(tx => writeRecord(tx, record(entry)))
      const ids = (
        await Promise.all(
          Array.from({ length: FANS }, async (_, n) => {
            const { token } = await processes.fan(n + 1)
            const call = (path: string, body: object) => processes.call(n, token, 'POST', path, body)
            const own: { id: string; pay: () => Promise<{ status: number }> }[] = []
            for (let at = 0; at < ORDERS; at++) {
              const lines = [{ productId: entry.id, quantity: 1 }]
              const { status, body } = await call('/api/checkout', { lines, address: ADDRESS })
              expect(status).toBe(201)
              const orderId = String(body.id)
              const receipt = await call('/api/sandbox/receipts', { purchaseId: orderId })
              const { paymentReference } = receipt.body
              const pay = () =>
                processes.call(n, token, 'PUT', '/api/checkout', { orderId, paymentReference })
              own.push({ id: orderId, pay })
            }
            return own
          }),
        )
      ).flat()
      // A unit of work of this process, which is undone after it has written everything.
      const undone = ids.map(({ id }, n) =>
        processes.db
          .write(async tx => {
            await complete(tx, PURCHASE_KINDS, orderKind, id, { kind: 'money', reference: `undone-${n}` })
            if (n % 2 === 0) throw new Error('undone')
            tx.deferred(failsAtLast)
          })
          .then(
            () => expect().fail('it was committed'),
            error => expect(String(error)).toContain(n % 2 === 0 ? 'undone' : 'receipt_series_id'),
          ),
      )
      const paid = ids.map(async ({ id, pay }, n) => {
        expect((await pay()).status).toBe(200)
        if (n % 3 > 0) return
        await processes.db.write(tx => refund(tx, orderKind, id))
      })
      await Promise.all([...undone, ...paid])
      const notes = Math.ceil(ids.length / 3)
      const numbers = await numbersOf(processes, 'money')
      expect(numbers).toEqual(Array.from({ length: ids.length + notes }, (_, n) => n + 1))
      for (const [n, { id }] of ids.entries())
        expect((await receiptsOf(processes, id)).map(({ kind, gross }) => [kind, gross])).toEqual(
          n % 3 > 0
            ? [['receipt', 1_230]]
            : [
                ['receipt', 1_230],
                ['credit_note', 1_230],
              ],
        )
      expect(await findingsOf(processes)).toEqual([])
    })
  })
