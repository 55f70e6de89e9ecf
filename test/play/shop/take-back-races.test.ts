/** The refund of a voucher and the undo of its use, in two processes at the same time. */
import { describe, expect, test } from 'bun:test'
import { eq, inArray } from 'drizzle-orm'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { realSources } from '../../../src/core/sources.ts'
import { writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { voucherCodes } from '../../../src/play/shop/vouchers.ts'
import { engines } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { useTwoProcesses } from '../../support/two-processes.ts'
import { ADDRESS } from './orders-world.ts'
import { entryOf, record } from './products-world.ts'

const VOUCHERS = 8
const EUROS = { amount: 500, currency: 'EUR' }

interface Bought {
  order: string
  code: string
  /** The order that used it, or null if a desk did. */
  use: string | null
}

for (const engine of engines) {
  describe(`Vouchers whose purchase and use are taken back at once (${engine.name})`, () => {
    const settings = { PAYMENT_GATEWAY: 'sandbox', OPEN_ORDERS_PER_FAN: '1000' }
    const processes = useTwoProcesses(engine, settings, realSources)
    let fans = 0

    async function newProduct(members: object) {
      const entry = entryOf({ variants: [{ id: 'one', name: 'One size', stock: null }], ...members })
      await processes.db.write(tx => writeRecord(tx, record(entry)))
      return entry.id
    }

    async function buy(token: string, productId: string, more: object = {}) {
      const call = (method: string, path: string, body?: object) =>
        processes.call(0, token, method, path, body)
      const lines = [{ productId, quantity: 1 }]
      const { body } = await call('POST', '/api/checkout', { lines, address: ADDRESS, ...more })
      const orderId = String(body.id)
      const receipt = await call('POST', '/api/sandbox/receipts', { purchaseId: orderId })
      const { paymentReference } = receipt.body
      const paid = await call('PUT', '/api/checkout', { orderId, paymentReference })
      expect(paid.status).toBe(200)
      return { orderId, lines: paid.body.lines }
    }

    /** Of a new fan; used by another one, or at a desk. */
    async function buyAndUse(used: 'by an order' | 'at a desk') {
      const voucherId = await newProduct({ kind: 'voucher', delivers: { credit: 500 }, price: EUROS })
      const scarfId = await newProduct({})
      const owner = await processes.fan(++fans)
      const user = await processes.fan(++fans)
      const bought: Bought[] = []
      for (let n = 0; n < VOUCHERS; n++) {
        const { orderId, lines } = await buy(owner.token, voucherId)
        // Guarantee of the cast: a paid line of vouchers.
        const [{ vouchers }] = lines as unknown as [{ vouchers: [{ code: string }] }]
        const { code } = vouchers[0]
        let use: string | null = null
        if (used === 'by an order') use = (await buy(user.token, scarfId, { voucher: code })).orderId
        else await processes.db.write(tx => voucherCodes.use(tx, code, { usedAt: tx.now(), usedBy: 'desk' }))
        bought.push({ order: orderId, code, use })
      }
      return { owner, bought }
    }

    async function run(change: string, ids: string[]): Promise<string[]> {
      const command = commandOf('test/play/shop/take-back-process.ts')
      const child = Bun.spawn([...command, processes.url, change, ...ids], {
        stdout: 'pipe',
        stderr: 'inherit',
      })
      const out = await new Response(child.stdout).text()
      expect(await child.exited).toBe(0)
      return JSON.parse(out)
    }

    async function statesOf(codes: string[]) {
      const { orderUnits: units } = processes.db.tables
      const rows = await processes.db.read.select().from(units).where(inArray(units.code, codes))
      return rows.map(({ usedAt, voidedAt }) => (voidedAt ? 'void' : usedAt ? 'used' : 'valid'))
    }

    async function subjectOf(userId: string) {
      const { users } = processes.db.tables
      const [user] = await processes.db.read.select().from(users).where(eq(users.id, userId))
      return `${user?.provider}/${user?.subject}`
    }

    const PURCHASE = ['refund', 'dispute', 'erase'] as const
    const USE = [
      ['refund', 'by an order'],
      ['dispute', 'by an order'],
      ['undo', 'at a desk'],
    ] as const
    const pairs = PURCHASE.flatMap(purchase => USE.map(([use, used]) => [purchase, use, used] as const))

    test.each(pairs)('by %s of the purchase and %s of the use %s', async (purchase, useBack, used) => {
      const { owner, bought } = await buyAndUse(used)
      const codes = bought.map(({ code }) => code)
      const purchases = purchase === 'erase' ? [await subjectOf(owner.id)] : bought.map(({ order }) => order)
      const uses = bought.map(({ use, code }) => use ?? `${owner.id}/${code}`)
      const [first, second] = await Promise.all([run(purchase, purchases), run(useBack, uses)])
      expect(first.every(outcome => outcome === 'done')).toBe(true)
      const states = await statesOf(codes)
      // A desk that comes second finds a voucher that is worthless, whose use stays.
      const expected = second.map(outcome => (outcome === 'done' ? 'void' : 'used'))
      expect(states.toSorted()).toEqual(expected.toSorted())
      if (used === 'by an order') expect(states).toEqual(Array(VOUCHERS).fill('void'))
      expect((await verifyLedger(processes.db)).findings).toBe(0)
    })
  })
}
