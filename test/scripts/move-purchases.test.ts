/**
 * `bun run move` of what the law asks to keep: receipts, credit notes, withdrawals, limits, files with data, statements of reasons. All is
 * made by the application, and used by another one on the moved database.
 */
import { describe, expect, test } from 'bun:test'
import { documentKind } from '../../src/club/documents/document-kind.ts'
import { eraseUser } from '../../src/fan/account/erase-user.ts'
import { recordDecision } from '../../src/identity/sanctions/decisions.ts'
import { mergeFans } from '../../src/operate/admin/merge/merge-fans.ts'
import { writeRecord } from '../../src/play/catalogue-file/kinds.ts'
import { receiptsCsv } from '../../src/play/receipts/export-receipts.ts'
import { withdrawOrder } from '../../src/play/shop/withdraw.ts'
import { writeFiles } from '../fan/account/exports-world.ts'
import { startSecondInstance } from '../identity/users/second-instance.ts'
import {
  addPack,
  buyWithMoney as buyPack,
  DAY,
  expectStatus,
  patientFan,
  refusal,
  userIdOf,
} from '../play/packs/packs-world.ts'
import { refundPack } from '../play/packs/refund-pack.ts'
import { addStock, buyWithMoney, checkout, completeOrder, POINTS, pay } from '../play/shop/orders-world.ts'
import { numbersOf, receiptsOf } from '../play/shop/receipts-world.ts'
import { changeLine, expectSound, payOut, withdraw } from '../play/shop/withdrawals-world.ts'
import { topUp } from '../play/top-ups/cash-world.ts'
import { dump } from '../support/dump.ts'
import { type Engine, noServer, postgresEngine, sqliteEngine } from '../support/engines.ts'
import { createFactories } from '../support/factories.ts'
import { createWorld, type Fan, type World } from '../support/world.ts'
import { runScript } from './run-script.ts'

const EUROS = (amount: number) => ({ amount, currency: 'EUR' })
const SELLER = { sellerName: 'Harbour & Sons', sellerAddress: 'Rua do Cais 1', sellerTaxId: 'PT501234567' }
const FACTS = 'Three messages on 3 May: <b>insults</b>.\nمرحبا'

const lasting = (rows: string[]) => rows.filter(row => !row.startsWith('["rateLimitWindows"'))

/** A fan with purchases of every means of payment, and what the law gives them. */
async function fill(world: World) {
  const { db } = world
  await db.write(tx => writeRecord(tx, { kind: 'settings', entry: { id: 'club', ...SELLER } }))
  world.clock.advance(1_000)
  const fan = await patientFan(world, 5_000)
  const warehouse = world.withToken(await world.serverKey(['orders:write']))
  const taxRate = { PT: 0.23, default: 0.05 }
  const scarf = await addStock(world, 90, { name: { en: 'Scarf', ar: 'وشاح' }, price: EUROS(999), taxRate })
  const book = await addStock(world, 90, { price: EUROS(1_501), taxRate: 0.06 })
  const forPoints = await addStock(world, 90, { price: POINTS })

  const { id: refunded } = await buyWithMoney(fan, { productId: scarf, quantity: 3 }, book)
  expectStatus(200, await withdraw(fan, refunded, [1]))
  expectStatus(200, await withdraw(fan, refunded))
  await payOut(world, refunded)
  const packId = await addPack(world, { price: EUROS(1_190), taxRate: JSON.stringify(taxRate) })
  const { id: pack } = await buyPack(fan, packId)
  await db.write(tx => refundPack(tx, pack))
  await topUp(fan, 9_000)
  const { id: byCash } = expectStatus(201, await checkout(fan, scarf, book))
  expectStatus(200, await fan.post('/api/checkout/payment', { orderId: byCash, method: 'cash' }))
  expectStatus(200, await completeOrder(fan, byCash))
  expectStatus(200, await withdraw(fan, byCash, [2]))
  const { id: byPoints } = expectStatus(201, await checkout(fan, { productId: forPoints, quantity: 2 }))
  expectStatus(200, await completeOrder(fan, byPoints))

  // Open at the time of the move: not paid, withdrawn but not back, and due by the gateway.
  const { id: unpaid } = expectStatus(201, await checkout(fan, scarf))
  const reference = await pay(fan, unpaid)
  const { id: shipped } = await buyWithMoney(fan, scarf, book)
  for (const state of ['ready', 'shipped']) expectStatus(200, await changeLine(warehouse, shipped, 1, state))
  expectStatus(200, await withdraw(fan, shipped, [1]))
  const { id: due } = await buyWithMoney(fan, scarf, book)
  const userId = (await userIdOf(world, fan)) ?? ''
  const later = { isStorePayment: () => false, payOut: () => {} }
  await db.write(tx => withdrawOrder(tx, { orderId: due, userId, numbers: [2] }, later))

  for (const amount of [20_000, 25_000])
    expectStatus(200, await fan.patch('/api/user/limits', { spending: { ...EUROS(amount), per: 'month' } }))
  await db.write(tx => {
    const sanction = { kind: 'hide', reason: 'harassment', decidedBy: 'Ana', facts: FACTS } as const
    return recordDecision(tx, { ...sanction, fanId: userId })
  })
  const system = world.withToken(await world.serverKey(['age:write']))
  const named = { provider: world.config.identity.name, subject: fan.subject }
  const assuredAt = world.clock.now().toISOString()
  const age = { fan: named, source: 'school', assuredAt, ageBand: '16_17', guardianConsent: true }
  expectStatus(200, await system.put('/api/age-bands', age))
  await db.write(tx => documentKind.upsert(tx, { id: 'terms', version: '1', purpose: 'terms', text: 'Yes.' }))
  expectStatus(200, await fan.put('/api/user/consents', { terms: { granted: true, version: '1' } }))
  expectStatus(202, await fan.post('/api/user/export'))
  await writeFiles(world)

  const paused = await patientFan(world)
  const pauseUntil = new Date(world.clock.ms + 30 * DAY).toISOString()
  expectStatus(200, await paused.patch('/api/user/limits', { pauseUntil }))
  expectStatus(202, await paused.post('/api/user/export'))
  await addGone(world, scarf)
  const orders = { refunded, byCash, byPoints, shipped, due, unpaid }
  return { fan, paused, scarf, book, forPoints, orders, reference }
}

/** Receipts of a merged fan and of an erased one. */
async function addGone(world: World, productId: string) {
  const [merged, into, erased] = [await patientFan(world), await patientFan(world), await patientFan(world)]
  for (const one of [merged, into, erased]) await buyWithMoney(one, productId)
  const [fromId, intoId] = [(await userIdOf(world, merged)) ?? '', (await userIdOf(world, into)) ?? '']
  await world.db.write(tx => mergeFans(tx, { from: fromId, into: intoId, mergedBy: 'Ana', reason: null }))
  await world.db.write(tx => eraseUser(tx, { provider: world.config.identity.name, subject: erased.subject }))
}

type Filled = Awaited<ReturnType<typeof fill>>

/** What the application answers to fans and to the club. */
async function answersOf(world: World, { fan, paused, orders }: Filled) {
  const client = world.withToken(fan.token)
  const { unpaid: _, ...paid } = orders
  const paths = [
    ...Object.values(orders).map(id => `/api/user/orders/${id}`),
    ...Object.values(paid).map(id => `/api/user/orders/${id}/receipt`),
    ...['/api/user/limits', '/api/user/sanctions', '/api/user/consents', '/api/cash/EUR/entries'],
  ]
  const answers: unknown[] = []
  for (const path of paths) answers.push(expectStatus(200, await client.get(path)))
  const { url, ...file } = expectStatus(200, await client.get('/api/user/export'))
  const pending = expectStatus(200, await world.withToken(paused.token).get('/api/user/export'))
  return { answers, file, content: await open(world, url), pending, csv: await csvOf(world.db) }
}

const open = async ({ app }: World, url: string): Promise<unknown> =>
  (await app.handle(new Request(`http://localhost${url}`))).json()

async function csvOf({ read }: World['db']): Promise<string> {
  let text = ''
  for await (const lines of receiptsCsv(read, read.now().toISOString().slice(0, 7))) text += lines
  return text
}

const lastOf = async (world: World, series: string) => (await numbersOf(world, series)).at(-1) ?? 0

/** What was open at the move is ended on the target, where numbers follow those of the source. */
async function goOn(
  target: World,
  { fan: { token }, paused, scarf, book, forPoints, orders, reference }: Filled,
) {
  const fan: Fan = { ...target.withToken(token), subject: '', token }
  const warehouse = target.withToken(await target.serverKey(['orders:write'], { source: 'warehouse' }))
  const [money, points] = [await lastOf(target, 'money'), await lastOf(target, 'points')]
  expectStatus(200, await completeOrder(fan, orders.unpaid, reference))
  expect(await receiptsOf(target, orders.unpaid)).toMatchObject([
    { number: money + 1, net: 812, tax: 187, gross: 999, seller: expect.stringContaining(SELLER.sellerName) },
  ])
  expectStatus(200, await changeLine(warehouse, orders.shipped, 1, 'returned'))
  expect((await receiptsOf(target, orders.shipped)).at(-1)).toMatchObject({
    kind: 'credit_note',
    number: money + 2,
    gross: 999,
  })
  expect(await payOut(target, orders.due)).toEqual(new Map([[`${orders.due}:1`, 1_501]]))
  for (const id of [orders.due, orders.byCash, orders.byPoints]) expectStatus(200, await withdraw(fan, id))
  for (const id of [orders.due, orders.shipped]) await payOut(target, id)
  const { id } = expectStatus(201, await checkout(fan, forPoints))
  expectStatus(200, await completeOrder(fan, id))
  expect(await receiptsOf(target, id)).toMatchObject([{ series: 'points', number: points + 2 }])
  for (const series of ['money', 'points']) {
    const numbers = await numbersOf(target, series)
    expect(numbers).toEqual(Array.from(numbers, (_, index) => index + 1))
  }
  await writeFiles(target)
  const other = target.withToken(paused.token)
  const { url } = expectStatus(200, await other.get('/api/user/export'))
  expect(await open(target, url)).toMatchObject({ subject: { subject: paused.subject } })
  expect(refusal(await other.post('/api/cash/top-ups', EUROS(1)))).toEqual([409, 'paused'])
  target.clock.advance(DAY)
  const limit = expectStatus(200, await fan.get('/api/user/limits'))
  expect(limit).toMatchObject({ spending: { amount: 25_000 }, next: null })
  const many = [scarf, book].map(productId => ({ productId, quantity: 9 }))
  expect(refusal(await checkout(fan, ...many))).toEqual([409, 'spending_limit_reached'])
  await expectSound(target)
}

/** Another application, on another database. */
async function serve(source: World, db: World['db']): Promise<World> {
  const { app, deps, withToken } = await startSecondInstance({ ...source, db })
  return { ...source, app, deps, withToken, db, ...createFactories(db, source.config) }
}

async function opened(from: Engine, to: Engine) {
  const source = await createWorld(from)
  const target = await to.open(source.clock)
  return {
    source,
    target,
    parameters: ['--from', source.databaseUrl ?? '', '--to', target.url ?? ''],
    async [Symbol.asyncDispose]() {
      await source.close()
      await target.remove()
    },
  }
}

const pairs = [
  { name: 'SQLite to PostgreSQL', from: sqliteEngine, to: postgresEngine },
  { name: 'PostgreSQL to SQLite', from: postgresEngine, to: sqliteEngine },
]

describe.skipIf(noServer !== '').each(pairs)(
  `A move of purchases from $name (PostgreSQL)${noServer}`,
  ({ from, to }) => {
    test.each([{ flags: [] }, { flags: ['--live'] }])(
      'with $flags tells fans the same, and continues what was open',
      async ({ flags }) => {
        await using world = await opened(from, to)
        const { source, target, parameters } = world
        const made = await fill(source)
        await expectSound(source)
        const before = await answersOf(source, made)
        expect(await runScript('move', [...parameters, ...flags])).toMatchObject({ code: 0 })
        expect(await dump(target.db)).toEqual(lasting(await dump(source.db)))
        const served = await serve(source, target.db)
        expect(await answersOf(served, made)).toEqual(before)
        await goOn(served, made)
      },
    )

    test('while fans pay and withdraw has every receipt, and no gap after the last one', async () => {
      await using world = await opened(from, to)
      const { source, target, parameters } = world
      const fan = await patientFan(source)
      const product = await addStock(source, null, { price: EUROS(1_230), taxRate: 0.23 })
      await buyWithMoney(fan, product)
      const moving = runScript('move', [...parameters, '--live'])
      const paid = await buyUntilRefused(fan, product)
      expect(await moving).toMatchObject({ code: 0 })
      const served = await serve(source, target.db)
      const before = await numbersOf(source, 'money')
      expect(await numbersOf(served, 'money')).toEqual(before)
      for (const id of paid) expect((await receiptsOf(served, id)).length).toBeGreaterThan(0)
      const { id } = await buyWithMoney({ ...fan, ...served.withToken(fan.token) }, product)
      expect(await receiptsOf(served, id)).toMatchObject([{ number: before.length + 1 }])
      expect(await numbersOf(served, 'money')).toEqual([...before, before.length + 1].map((_, n) => n + 1))
      await expectSound(served)
    })
  },
)

/** The ids of the orders whose payment was acknowledged. Without an end the database would grow as long as the move takes. */
async function buyUntilRefused(fan: Fan, productId: string): Promise<string[]> {
  const paid: string[] = []
  for (;;) {
    const limit = { spending: { ...EUROS(9_000_000 - paid.length), per: 'month' } }
    const started =
      paid.length < 100 ? await checkout(fan, productId) : await fan.patch('/api/user/limits', limit)
    if (started.status >= 500) return paid
    if (started.status !== 201) continue
    const { id } = started.body
    const { status, body } = await fan.post('/api/sandbox/receipts', { purchaseId: id })
    expect(status).toBe(201)
    const completed = await completeOrder(fan, id, body.paymentReference)
    if (completed.status >= 500) return paid
    paid.push(id)
    if (paid.length % 3 === 0 && (await withdraw(fan, id)).status >= 500) return paid
  }
}
