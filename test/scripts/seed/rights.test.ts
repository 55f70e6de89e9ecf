/** What seeded fans have done with their rights: written once, as the server reads it, and sound. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq, isNotNull } from 'drizzle-orm'
import { seedDatabase } from '../../../scripts/seed/seed.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { createExportLinks } from '../../../src/fan/account/export-links.ts'
import { createExportEncryption, openExport, readExport } from '../../../src/fan/account/exports.ts'
import { PURCHASE_KINDS } from '../../../src/operate/admin/refunds/refund-purchase.ts'
import { readLimits } from '../../../src/play/purchases/own-limits.ts'
import { readReceipts } from '../../../src/play/purchases/receipts.ts'
import { createClock } from '../../support/clock.ts'
import { dump } from '../../support/dump.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { options as sixtyFans } from './sixty-fans.ts'

const options = { ...sixtyFans, cashCurrencies: ['EUR'] }

describe.each(engines)('The rights of seeded fans ($name)', engine => {
  let one: TemporaryDatabase
  beforeAll(async () => {
    one = await engine.open(createClock())
    await seedDatabase(one.db, options)
  })
  afterAll(() => one.remove())

  test('are the same in another database, and a second run writes nothing', async () => {
    const two = await engine.open(createClock())
    await seedDatabase(two.db, options)
    const rows = await dump(one.db)
    expect(await dump(two.db)).toEqual(rows)
    await seedDatabase(one.db, options)
    expect(await dump(one.db)).toEqual(rows)
    await two.remove()
  })

  test('have an order that its fan has withdrawn, with a receipt and a credit note', async () => {
    const { read, tables } = one.db
    const lines = await read.select().from(tables.orderLines).where(isNotNull(tables.orderLines.withdrawnAt))
    const [refunded, ...others] = lines.filter(({ state }) => state !== 'shipped')
    expect([refunded, others]).toMatchObject([{ quantity: 1, refundedUnits: 1, isSold: false }, []])
    const orderId = refunded?.orderId ?? ''
    const orders = await read.select().from(tables.orders).where(eq(tables.orders.id, orderId))
    expect(orders).toMatchObject([{ status: 'refunded' }])
    const [receipt, note, ...more] = await readReceipts(read, orderId)
    expect(more).toEqual([])
    expect([receipt?.kind, note?.kind, note?.gross]).toEqual(['receipt', 'credit_note', receipt?.gross ?? 0])
    const told = await read.select().from(tables.events).where(eq(tables.events.type, 'order.withdrawn'))
    expect(told).toHaveLength(2)
  })

  test('have a withdrawal of a shipped order, which waits for its return', async () => {
    const { read, tables } = one.db
    const { orderLines: lines } = tables
    const shipped = await read.select().from(lines).where(isNotNull(lines.withdrawnAt))
    const [waiting, ...others] = shipped.filter(({ state }) => state === 'shipped')
    expect([waiting, others]).toMatchObject([{ quantity: 1, refundedUnits: 0 }, []])
    const [order] = await read
      .select()
      .from(tables.orders)
      .where(eq(tables.orders.id, waiting?.orderId ?? ''))
    expect(order?.status).toBe('completed')
    expect((await readReceipts(read, waiting?.orderId ?? '')).map(({ kind }) => kind)).toEqual(['receipt'])
  })

  test('have a limit and a pause of their own', async () => {
    const { read, tables } = one.db
    const fans = await read.select().from(tables.users).where(isNotNull(tables.users.ownLimits))
    const limits = await Promise.all(
      fans.map(({ id: userId }) => readLimits(read, PURCHASE_KINDS, { userId })),
    )
    expect(limits.flatMap(({ spending }) => spending ?? [])).toEqual([
      { amount: 5_000, currency: 'EUR', per: 'month' },
    ])
    const pauses = limits.flatMap(({ pauseUntil }) => (pauseUntil === null ? [] : Date.parse(pauseUntil)))
    expect(pauses.map(until => until > read.now().getTime())).toEqual([true])
  })

  test('have a file with the data of a fan that the server can send', async () => {
    const { read, tables } = one.db
    const [row, ...others] = await read.select().from(tables.dataExports)
    expect(others).toEqual([])
    const links = createExportLinks(options.nativeTokens.key.d)
    const { state, url } = await readExport(read, { userId: row?.userId ?? '' }, links)
    expect(state).toBe('ready')
    const encryption = createExportEncryption(options.nativeTokens)
    const file = await openExport(one.db, encryption, links, url?.slice('/exports/'.length) ?? '')
    const written = JSON.parse(Buffer.concat(await Array.fromAsync(file.content)).toString())
    expect(written.subject).toEqual({ provider: 'mock-idp', subject: 'fan-0020' })
    expect(written.orders.some(({ address }: { address: object | null }) => address !== null)).toBe(true)
  })

  test('follow all rules', async () => {
    expect((await verifyLedger(one.db)).findings).toBe(0)
  })
})
