/** Payments of stores between processes: clients, notifications and refunds meet on two instances of the API. */
import { afterAll, describe, expect, test } from 'bun:test'
import { engines } from '../../support/engines.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'
import { createAppStore } from './app-store.ts'
import { startGooglePlay } from './google-play.ts'
import { addPack, EUROS, purchaseRows } from './packs-world.ts'

const FANS = 8
const store = await createAppStore()
const play = await startGooglePlay()
afterAll(() => play.stop())

for (const engine of engines) {
  describe(`Payments of stores on two processes (${engine.name})`, () => {
    const processes = useTwoProcesses(engine, { ...store.env, ...play.env })
    const { call, tokenOf } = processes
    const times = <T>(count: number, make: (n: number) => Promise<T>) =>
      Promise.all(Array.from({ length: count }, (_, n) => make(n)))

    /** One pending purchase of each fan. */
    async function begin(packId: string, first: number) {
      await addPack(processes, { id: packId, price: EUROS, supply: FANS })
      return times(FANS, async n => {
        const token = await tokenOf(first + n)
        const { status, body } = await call(n, token, 'POST', '/api/packs/purchase', { packId })
        expect(status).toBe(201)
        return { token, purchaseId: String(body.id) }
      })
    }

    const complete = (n: number, token: string, purchaseId: string, paymentReference: string) =>
      call(n, token, 'PUT', '/api/packs/purchase', { purchaseId, paymentReference })

    async function paymentsOf(purchases: { purchaseId: string }[]) {
      const { read, tables } = processes.db
      const ids = purchases.map(({ purchaseId }) => purchaseId)
      return (await read.select().from(tables.payments)).filter(row => ids.includes(row.purchaseId))
    }

    /** Each process gets both, of the client and of the store. */
    async function meet(make: (way: number) => Promise<{ status: number }>[]) {
      const answers = await Promise.all([0, 1].flatMap(make))
      for (const { status } of answers) expect([200, 204]).toContain(status)
    }

    test('client and notifications of the App Store complete each purchase once', async () => {
      const purchases = await begin('apple-pack', 1)
      await Promise.all(
        purchases.map(async ({ token, purchaseId }) => {
          const transaction = store.transaction(purchaseId)
          const signed = await store.sign(transaction)
          const notification = JSON.parse(await store.notification('ONE_TIME_CHARGE', transaction))
          await meet(n => [
            complete(n, token, purchaseId, signed),
            call(n, '', 'POST', '/api/webhooks/app-store', notification),
          ])
        }),
      )
      expect(await paymentsOf(purchases)).toHaveLength(FANS)
      const rows = await purchaseRows(processes, 'apple-pack')
      expect(rows.map(({ status }) => status)).toEqual(Array(FANS).fill('completed'))
    })

    test('a refund of the App Store wins over client and notifications in any order', async () => {
      const purchases = await begin('refunded-pack', 20)
      await Promise.all(
        purchases.map(async ({ token, purchaseId }) => {
          const transaction = store.transaction(purchaseId)
          const signed = await store.sign(transaction)
          const [paid, refunded] = await Promise.all([
            store.notification('ONE_TIME_CHARGE', transaction),
            store.notification('REFUND', transaction),
          ])
          await meet(n => [
            call(n, '', 'POST', '/api/webhooks/app-store', JSON.parse(refunded)),
            complete(n, token, purchaseId, signed),
            call(n, '', 'POST', '/api/webhooks/app-store', JSON.parse(paid)),
          ])
        }),
      )
      const rows = await purchaseRows(processes, 'refunded-pack')
      expect(rows.map(({ status }) => status)).toEqual(Array(FANS).fill('refunded'))
      const payments = await paymentsOf(purchases)
      expect(payments).toHaveLength(FANS)
      expect(payments.every(({ refundedAt }) => refundedAt !== null)).toBe(true)
    })

    test('one transaction pays one of many purchases', async () => {
      const purchases = await begin('shared-pack', 40)
      const { transactionId } = store.transaction(undefined)
      const answers = await Promise.all(
        purchases.map(async ({ token, purchaseId }, n) =>
          complete(n, token, purchaseId, await store.sign(store.transaction(purchaseId, { transactionId }))),
        ),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      const refused = answers.filter(({ body }) => body.code === 'payment_not_confirmed')
      expect(refused).toHaveLength(FANS - 1)
      expect(await paymentsOf(purchases)).toHaveLength(1)
    })

    test('client and notifications of Google Play complete each purchase once', async () => {
      const purchases = await begin('google-pack', 60)
      await Promise.all(
        purchases.map(async ({ token, purchaseId }) => {
          const purchaseToken = play.sell(purchaseId)
          const notice = { version: '1.0', notificationType: 1, purchaseToken, sku: 'pack' }
          const push = await play.push({ oneTimeProductNotification: notice })
          const google = push.authorization.replace('Bearer ', '')
          await meet(n => [
            complete(n, token, purchaseId, `google:${purchaseToken}`),
            call(n, google, 'POST', '/api/webhooks/google-play', JSON.parse(push.body)),
          ])
        }),
      )
      expect(await paymentsOf(purchases)).toHaveLength(FANS)
      const rows = await purchaseRows(processes, 'google-pack')
      expect(rows.map(({ status }) => status)).toEqual(Array(FANS).fill('completed'))
    })
  })
}
