/**
 * Orders for long: every order of what can happen to one, and two processes that are killed under load. `ORDER_KILLS` sets how often.
 */
import { afterEach, describe, expect, test } from 'bun:test'
import { verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import { PURCHASE_KINDS } from '../../src/operate/admin/refunds/refund-purchase.ts'
import { writeRecord } from '../../src/play/catalogue-file/kinds.ts'
import { complete } from '../../src/play/purchases/complete.ts'
import { refund } from '../../src/play/purchases/refund.ts'
import { orderKind } from '../../src/play/shop/order-kind.ts'
import { expectSound, permutationsOf, playSteps, STEPS } from '../play/shop/order-model.ts'
import { ADDRESS } from '../play/shop/orders-world.ts'
import { entryOf, record } from '../play/shop/products-world.ts'
import { createClock } from '../support/clock.ts'
import { engines } from '../support/engines.ts'
import { startApi, startProvider } from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEachEngine } from '../support/world.ts'

const KILLS = Number(process.env.ORDER_KILLS ?? 10)
const FANS = 6
const tidy: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of tidy.splice(0).toReversed()) await end()
})

const ORDERS = permutationsOf(STEPS)

onEachEngine(
  'Every sequence of changes of an order',
  world => {
    test('ends in an allowed state', async () => {
      for (const [index, steps] of ORDERS.entries()) {
        await playSteps(world, steps)
        if (index % 500 === 0) await expectSound(world)
      }
      await expectSound(world)
    }, 3_600_000)
  },
  // A buyer and a rival of each.
  { fans: 2 * ORDERS.length },
)

describe.each(engines)('Two processes ($name)', engine => {
  test(`that are killed ${KILLS} times under load lose no money and sell no unit twice`, async () => {
    const temporary = await engine.open(createClock())
    tidy.push(() => temporary.remove())
    const { db } = temporary
    const provider = await startProvider({ fans: FANS + 1 })
    tidy.push(() => provider.stop())
    const env = { DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer, PAYMENT_GATEWAY: 'sandbox' }
    const apis = [await startApi(env), await startApi(env)]
    tidy.push(() => Promise.all(apis.map(api => api.stop())))
    const tokens: string[] = []
    for (let n = 1; n <= FANS; n++)
      tokens.push(await provider.idp.issueToken(`fan-${String(n).padStart(4, '0')}`))
    const entry = entryOf({ variants: [{ id: 'one', name: 'One size', stock: 30 * KILLS }] })
    await db.write(tx => writeRecord(tx, record(entry)))

    /** Null if the process was killed meanwhile. */
    async function call(n: number, fan: number, method: string, path: string, body: object) {
      const response = await fetch(`${apis[n % 2]?.origin}${path}`, {
        method,
        headers: { authorization: `Bearer ${tokens[fan]}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).catch(() => null)
      // Guarantee of the cast: the members that are read are those of orders and receipts.
      const answer = (await response?.json().catch(() => null)) as {
        id?: string
        paymentReference?: string
      } | null
      return response && answer ? { ...answer, status: response.status } : null
    }

    /** By order. */
    const receipts = new Map<string, string>()
    let stopped = false
    let turn = 0
    async function shop(fan: number): Promise<void> {
      while (!stopped) {
        const n = ++turn
        const lines = [{ productId: entry.id, quantity: 1 }]
        const order = await call(n, fan, 'POST', '/api/checkout', { lines, address: ADDRESS })
        if (order?.status !== 201 || order.id === undefined) continue
        const { id } = order
        if (n % 5 === 0) await call(n + 1, fan, 'POST', '/api/checkout/cancel', { orderId: id })
        const receipt = await call(n, fan, 'POST', '/api/sandbox/receipts', { purchaseId: id })
        if (receipt?.paymentReference === undefined) continue
        receipts.set(id, receipt.paymentReference)
        const body = { orderId: id, paymentReference: receipt.paymentReference }
        await Promise.all([0, 1].map(m => call(m, fan, 'PUT', '/api/checkout', body)))
        if (n % 7 === 0) await db.write(tx => refund(tx, orderKind, id)).catch(() => {})
      }
    }
    const shoppers = tokens.map((_, fan) => shop(fan))
    let seen = 0
    for (let kill = 0; kill < KILLS; kill++) {
      // In the middle of work: some orders were paid since the last time.
      const due = seen + 10
      await waitUntil('more orders are paid', () => receipts.size >= due)
      seen = receipts.size
      await apis[kill % 2]?.stop('SIGKILL')
      apis[kill % 2] = await startApi(env)
    }
    stopped = true
    await Promise.all(shoppers)
    // The gateway delivers what the processes may have lost.
    for (const [id, reference] of receipts)
      await db.write(tx => complete(tx, PURCHASE_KINDS, orderKind, id, { kind: 'money', reference }))
    for (const row of await db.read.select().from(db.tables.orders))
      if (receipts.has(row.id)) expect(['completed', 'refund_due', 'refunded']).toContain(row.status)
    expect((await verifyLedger(db)).findings).toBe(0)
  }, 1_200_000)
})
