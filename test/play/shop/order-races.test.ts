/** Races of orders between processes: two instances of the API on one database, and the webhook of a gateway. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { eq, inArray } from 'drizzle-orm'
import { realSources } from '../../../src/core/sources.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { PURCHASE_KINDS } from '../../../src/operate/admin/refunds/refund-purchase.ts'

import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { complete } from '../../../src/play/purchases/complete.ts'
import { refund } from '../../../src/play/purchases/refund.ts'
import type { ProductEntry } from '../../../src/play/shop/entry-schema.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import { engines } from '../../support/engines.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'
import { findingsOf } from '../top-ups/cash-world.ts'
import { ADDRESS } from './orders-world.ts'
import { entryOf, record } from './products-world.ts'

const FANS = 6

for (const engine of engines) {
  describe(`Orders of two processes on one database (${engine.name})`, () => {
    // The tests leave orders that are pending. Holds are judged at the time of the processes.
    const settings = { PAYMENT_GATEWAY: 'sandbox', OPEN_ORDERS_PER_FAN: '1000' }
    const processes = useTwoProcesses(engine, settings, realSources)
    let tokens: string[]

    beforeAll(async () => {
      tokens = await Promise.all(Array.from({ length: FANS }, (_, n) => processes.tokenOf(n + 1)))
    })

    const call = (n: number, fan: number, method: string, path: string, body?: unknown) =>
      processes.call(n, tokens[fan] ?? '', method, path, body)

    const importProduct = (entry: ProductEntry) => processes.db.write(tx => writeRecord(tx, record(entry)))

    async function newProduct(stock: number | null, members: Partial<ProductEntry> = {}) {
      const entry = entryOf({ variants: [{ id: 'one', name: 'One size', stock }], ...members })
      await importProduct(entry)
      return entry
    }

    const checkout = (n: number, fan: number, productIds: string[], more: object = {}) => {
      const lines = productIds.map(productId => ({ productId, quantity: 1 }))
      return call(n, fan, 'POST', '/api/checkout', { lines, address: ADDRESS, ...more })
    }
    const receiptOf = async (fan: number, purchaseId: string) => {
      const { status, body } = await call(fan, fan, 'POST', '/api/sandbox/receipts', { purchaseId })
      expect(status).toBe(201)
      return String(body.paymentReference)
    }
    const complete_ = (n: number, fan: number, orderId: string, paymentReference?: string) =>
      call(n, fan, 'PUT', '/api/checkout', { orderId, paymentReference })
    /** As the webhook of a gateway, which has verified the payment. */
    const deliver = (orderId: string, reference: string) =>
      processes.db.write(tx => complete(tx, PURCHASE_KINDS, orderKind, orderId, { kind: 'money', reference }))

    async function paidOrder(fan: number, productIds: string[]) {
      const order = await checkout(fan, fan, productIds)
      expect(order.status).toBe(201)
      const id = String(order.body.id)
      const { status } = await complete_(fan, fan, id, await receiptOf(fan, id))
      expect(status).toBe(200)
      return id
    }

    async function rowsOf(productId: string) {
      const { orders, orderLines } = processes.db.tables
      const ofProduct = processes.db.read
        .select({ id: orderLines.orderId })
        .from(orderLines)
        .where(eq(orderLines.productId, productId))
      return processes.db.read.select().from(orders).where(inArray(orders.id, ofProduct))
    }

    const isSound = async () => expect(await findingsOf(processes)).toEqual([])
    const statusesOf = (answers: { status: number }[]) => answers.map(({ status }) => status).toSorted()

    test('of many checkouts for the last unit one gets it, and the others leave no order', async () => {
      const { id } = await newProduct(1)
      const answers = await Promise.all([0, 1, 2, 3, 4, 5].map(n => checkout(n, n, [id])))
      expect(statusesOf(answers)).toEqual([201, 409, 409, 409, 409, 409])
      expect(await rowsOf(id)).toHaveLength(1)
      await isSound()
    })

    test('carts with the same products in any order do not deadlock', async () => {
      const ids = [(await newProduct(100)).id, (await newProduct(100)).id, (await newProduct(null)).id]
      const carts = [0, 1, 2, 3, 4, 5].map(n => (n % 2 === 0 ? ids : ids.toReversed()))
      for (let round = 0; round < 3; round++) {
        const orders = await Promise.all(carts.map((cart, n) => checkout(n, n, cart)))
        expect(statusesOf(orders)).toEqual(Array(6).fill(201))
        const receipts = await Promise.all(orders.map(({ body }, n) => receiptOf(n, String(body.id))))
        const paid = await Promise.all(
          orders.map(({ body }, n) => complete_(n, n, String(body.id), receipts[n])),
        )
        expect(statusesOf(paid)).toEqual(Array(6).fill(200))
      }
      await isSound()
    })

    test('the limit per fan holds for carts that one fan sends at once', async () => {
      const { id } = await newProduct(100, { maxPerFan: 2 })
      const answers = await Promise.all([0, 1, 2, 3, 4].map(n => checkout(n, 0, [id])))
      expect(statusesOf(answers)).toEqual([201, 201, 409, 409, 409])
      await isSound()
    })

    test('the limit of unpaid units holds for carts that one fan sends at once', async () => {
      const { id } = await newProduct(100)
      const cart = { lines: [{ productId: id, quantity: 4 }], address: ADDRESS }
      const answers = await Promise.all([0, 1, 2, 3, 4].map(n => call(n, 0, 'POST', '/api/checkout', cart)))
      expect(statusesOf(answers)).toEqual([201, 201, 409, 409, 409])
      await isSound()
    })

    test('points are held once for orders that one fan starts at once, and are never overspent', async () => {
      const price = { amount: 40, currency: 'POINTS' }
      const { id } = await newProduct(100, { price })
      const { body } = await call(0, 3, 'POST', '/api/user/profile', { bio: 'Has points.' })
      const change = { userId: String(body.id), delta: 100, reason: 'activity', ref: 'held' } as const
      await processes.db.write(tx => appendEntry(tx, change))
      const orders = await Promise.all([0, 1, 2, 3, 4].map(n => checkout(n, 3, [id])))
      expect(statusesOf(orders)).toEqual([201, 201, 409, 409, 409])
      const held = orders.flatMap(({ status, body }) => (status === 201 ? [String(body.id)] : []))
      // Paying ends a hold while another order wants the same points.
      const [first, second, ...more] = await Promise.all([
        ...held.map((orderId, n) => complete_(n, 3, orderId)),
        ...[0, 1, 2].map(n => checkout(n, 3, [id])),
      ])
      expect([first?.status, second?.status]).toEqual([200, 200])
      expect(statusesOf(more)).toEqual([409, 409, 409])
      const { balance, held: left } = (await call(0, 3, 'GET', '/api/user/points')).body
      expect([balance, left]).toEqual([20, 0] as never)
      await isSound()
    })

    test('the client and the webhook complete an order at once, and it is paid once', async () => {
      const { id: productId } = await newProduct(5)
      for (let round = 0; round < 4; round++) {
        const id = String((await checkout(round, 1, [productId])).body.id)
        const reference = await receiptOf(1, id)
        const [client, again, webhook] = await Promise.all([
          complete_(0, 1, id, reference),
          complete_(1, 1, id, reference),
          deliver(id, reference),
        ])
        expect([client.status, again.status, webhook.outcome]).toEqual([200, 200, 'completed'])
      }
      const { payments } = processes.db.tables
      const rows = await rowsOf(productId)
      const taken = await processes.db.read
        .select()
        .from(payments)
        .where(
          inArray(
            payments.purchaseId,
            rows.map(({ id }) => id),
          ),
        )
      expect(taken).toHaveLength(4)
      await isSound()
    })

    test('two payments of one order pay it once', async () => {
      const { id: productId } = await newProduct(5)
      const id = String((await checkout(0, 1, [productId])).body.id)
      const references = [await receiptOf(1, id), await receiptOf(1, id)]
      const answers = await Promise.all(references.map((reference, n) => complete_(n, 1, id, reference)))
      // The other payment is of a paid order: an operator gives it back.
      expect(statusesOf(answers)).toEqual([200, 200])
      const { payments } = processes.db.tables
      const taken = await processes.db.read.select().from(payments).where(eq(payments.purchaseId, id))
      expect(taken).toHaveLength(1)
      await isSound()
    })

    test('an order that is paid and cancelled at once has one end, and its money is not lost', async () => {
      const { id: productId } = await newProduct(20)
      for (let round = 0; round < 6; round++) {
        const id = String((await checkout(round, 2, [productId])).body.id)
        const reference = await receiptOf(2, id)
        await Promise.all([
          complete_(round, 2, id, reference),
          call(round + 1, 2, 'POST', '/api/checkout/cancel', { orderId: id }),
        ])
        const { status } = (await call(0, 2, 'GET', `/api/user/orders/${id}`)).body
        // A cancelled order whose payment was refused is found by the webhook.
        if (String(status) === 'cancelled') await deliver(id, reference)
        const after = (await call(0, 2, 'GET', `/api/user/orders/${id}`)).body
        expect(['paid', 'refund_due']).toContain(String(after.status))
      }
      await isSound()
    })

    test('a late payment and another fan race for the last unit, and the money is delivered or due', async () => {
      for (let round = 0; round < 4; round++) {
        const { id: productId } = await newProduct(1)
        const id = String((await checkout(0, 3, [productId])).body.id)
        const reference = await receiptOf(3, id)
        await expire(id)
        const [late, other] = await Promise.all([deliver(id, reference), checkout(round, 4, [productId])])
        const isDelivered = late.outcome === 'completed'
        expect([late.outcome, other.status]).toEqual(isDelivered ? ['completed', 409] : ['refund_due', 201])
      }
      await isSound()
    })

    test('an import that lowers the stock races with checkouts, and never ends below what is held', async () => {
      for (let round = 0; round < 4; round++) {
        const entry = await newProduct(4)
        const lowered = { ...entry, variants: [{ id: 'one', name: 'One size', stock: 2 }] }
        const [imported, ...answers] = await Promise.all([
          importProduct(lowered).then(
            () => 'lowered',
            () => 'refused',
          ),
          ...[0, 1, 2, 3].map(n => checkout(n, n, [entry.id])),
        ])
        const held = answers.filter(({ status }) => status === 201).length
        expect(imported === 'lowered' ? held <= 2 : held > 2).toBe(true)
      }
      await isSound()
    })

    test('a limit that an import sets races with checkouts of a product without one', async () => {
      for (let round = 0; round < 4; round++) {
        const entry = await newProduct(null)
        const limited = { ...entry, variants: [{ id: 'one', name: 'One size', stock: 1 }] }
        const [imported, ...answers] = await Promise.all([
          importProduct(limited).then(
            () => 'limited',
            () => 'refused',
          ),
          ...[0, 1, 2].map(n => checkout(n, n, [entry.id])),
        ])
        const held = answers.filter(({ status }) => status === 201).length
        expect(imported === 'limited' ? held <= 1 : held > 1).toBe(true)
      }
      await isSound()
    })

    test('the credit of a voucher is spent once by two browsers', async () => {
      const price = { amount: 500, currency: 'EUR' }
      const voucher = await newProduct(9, { kind: 'voucher', delivers: { credit: 500 }, price })
      const { id: productId } = await newProduct(null)
      for (let round = 0; round < 3; round++) {
        const bought = await paidOrder(5, [voucher.id])
        const { lines } = (await call(0, 5, 'GET', `/api/user/orders/${bought}`)).body
        // Guarantee of the cast: a paid line of vouchers.
        const [{ vouchers }] = lines as unknown as [{ vouchers: { code: string }[] }]
        const code = vouchers[0]?.code
        const answers = await Promise.all([0, 1].map(n => checkout(n, n, [productId], { voucher: code })))
        expect(statusesOf(answers)).toEqual([201, 409])
      }
      await isSound()
    })

    test('an order is refunded once, by what was paid', async () => {
      const id = await paidOrder(5, [(await newProduct(5)).id])
      const ends = await Promise.allSettled(
        [0, 1, 2].map(() => processes.db.write(tx => refund(tx, orderKind, id))),
      )
      const given = ends.flatMap(end => (end.status === 'fulfilled' ? end.value.price.amount : []))
      expect(given).toEqual([1900])
      await isSound()
    })

    test('a fan who abandons a payment starts another order, and the stock comes back', async () => {
      const { id: productId } = await newProduct(1)
      const id = String((await checkout(0, 0, [productId])).body.id)
      const prepare = () => call(1, 0, 'POST', '/api/checkout/payment', { orderId: id, method: 'gateway' })
      // Prepared twice: the same payment, not another charge.
      expect((await prepare()).body).toEqual((await prepare()).body)
      await expire(id)
      expect((await prepare()).body.code).toBe('order_expired' as never)
      expect((await checkout(1, 0, [productId])).status).toBe(201)
    })

    async function expire(id: string) {
      const { orders, orderLines } = processes.db.tables
      const past = new Date(Date.now() - 1)
      await processes.db.write(async tx => {
        await tx.update(orders).set({ expiresAt: past }).where(eq(orders.id, id))
        await tx.update(orderLines).set({ holdUntil: past }).where(eq(orderLines.orderId, id))
      })
    }
  })
}
