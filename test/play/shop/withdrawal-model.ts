/** An order that is paid, packed, shipped, returned, used, withdrawn, disputed and refunded, in any order: no cent goes back twice. */
import { expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import { DomainError } from '../../../src/core/problems.ts'
import { refund, refundByStore } from '../../../src/play/purchases/refund.ts'
import { refundWithGateway } from '../../../src/play/purchases/refund-money.ts'
import { changeLine } from '../../../src/play/shop/change-line.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import { payOutOrder } from '../../../src/play/shop/pay-out.ts'
import { withdrawOrder } from '../../../src/play/shop/withdraw.ts'
import type { World } from '../../support/world.ts'
import { addPack, balanceOf, DAY, expectStatus, patientFan, userIdOf } from '../packs/packs-world.ts'
import { cashOf, promote, topUp } from '../top-ups/cash-world.ts'
import { addStock, checkout, completeOrder, orderOf, pay } from './orders-world.ts'
import { countingPayments } from './withdrawals-world.ts'

const STEPS = [
  'ship',
  'return',
  'use',
  'open',
  'withdraw',
  'withdraw one',
  'pay out',
  'refund',
  'dispute',
  'wait',
] as const
type Step = (typeof STEPS)[number]

/** The same numbers for the same seed. */
export function randomOf(seed: number) {
  let state = seed * 2_654_435_761
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

/** What the domain refuses is allowed; what fails otherwise is not. */
const tolerate = (work: Promise<unknown>) =>
  work.catch(error => {
    if (!(error instanceof DomainError)) throw error
  })

export async function playWithdrawals(world: World, seed: number): Promise<void> {
  const random = randomOf(seed)
  const means = (['gateway', 'points', 'cash'] as const)[random(3)] ?? 'gateway'
  const fan = await patientFan(world, 10_000)
  const userId = (await userIdOf(world, fan)) ?? ''
  const currency = means === 'points' ? 'POINTS' : 'EUR'
  const price = () => ({ amount: 1 + random(997), currency })
  const packId = await addPack(world)
  const taxRate = seed % 4 === 0 ? { PT: (seed % 30) / 100, default: 1 } : (seed % 23) / 100
  const cart = [
    { productId: await addStock(world, null, { price: price(), taxRate }), quantity: 1 + random(3) },
    { productId: await addStock(world, null, { price: price(), taxRate }), quantity: 1 },
    {
      productId: await addStock(world, null, { price: price(), taxRate, kind: 'voucher', delivers: {} }),
      quantity: 3,
    },
    {
      productId: await addStock(world, null, { price: price(), taxRate, kind: 'pack', delivers: { packId } }),
      quantity: 2,
    },
  ]
  if (means === 'cash') {
    await promote(world, userId, 1 + random(900))
    await topUp(fan, 9_000)
  }
  const readOwn = async () =>
    means === 'points' ? (await balanceOf(fan)).balance : (await cashOf(world, fan))[0]
  const before = await readOwn()
  const { id, total } = expectStatus(201, await checkout(fan, ...cart))
  if (means === 'cash')
    expectStatus(200, await fan.post('/api/checkout/payment', { orderId: id, method: 'cash' }))
  const reference = means === 'gateway' ? await pay(fan, id) : undefined
  const paid = expectStatus(200, await completeOrder(fan, id, reference))
  const { payments, refunds } = countingPayments(world)
  let disputed = 0
  const options = { isStorePayment: () => false, payOut: () => {} }
  const { db } = world
  const sumOfRefunds = () => [...refunds.values()].reduce((sum, amount) => sum + amount, 0)
  const desk = world.withToken(await world.serverKey(['redemptions:read', 'redemptions:write']))
  const take: Record<Step, () => Promise<unknown>> = {
    async ship() {
      const line = 1 + random(2)
      for (const state of ['ready', 'shipped', ...(random(2) ? ['delivered' as const] : [])] as const)
        await tolerate(
          db.write(tx =>
            changeLine(tx, id, line, { state, ...(state === 'shipped' ? { carrier: 'CTT' } : {}) }),
          ),
        )
    },
    return: () => tolerate(db.write(tx => changeLine(tx, id, 1 + random(2), { state: 'returned' }))),
    use: () => desk.post(`/api/redemptions/${paid.lines[2].vouchers[random(3)].code}/use`),
    async open() {
      const { packs } = expectStatus(200, await fan.get('/api/user/packs'))
      const pack = packs[random(2)]
      if (pack) await fan.post('/api/packs/open', { userPackId: pack.id })
    },
    withdraw: () => tolerate(db.write(tx => withdrawOrder(tx, { orderId: id, userId }, options))),
    'withdraw one': () =>
      tolerate(db.write(tx => withdrawOrder(tx, { orderId: id, userId, numbers: [1 + random(4)] }, options))),
    'pay out': () => tolerate(payOutOrder({ ...world.deps, payments }, id)),
    async refund() {
      // Rarely: it ends most of what can happen.
      if (random(4) > 0) return
      const order = await orderKind.find(db.read, id)
      if (order?.status === 'refunded') return
      if (!reference) return tolerate(db.write(tx => refund(tx, orderKind, id)))
      const source = { read: db.read, loadPayments: async () => payments }
      if (order)
        await tolerate(refundWithGateway({ ...source, write: work => db.write(work) }, orderKind, order))
    },
    async dispute() {
      if (!reference || random(4) > 0) return
      // The bank returns what the gateway has not refunded.
      const left = total.amount - sumOfRefunds()
      if (await db.write(tx => refundByStore(tx, orderKind, id, reference))) disputed = left
    },
    wait: async () => random(3) === 0 && world.clock.advance(5 * DAY),
  }
  const steps = Array.from({ length: 12 }, () => STEPS[random(STEPS.length)] ?? 'wait')
  for (const step of steps) await take[step]()
  await tolerate(payOutOrder({ ...world.deps, payments }, id))

  const told = await orderOf(fan, id)
  const back = means === 'gateway' ? sumOfRefunds() + disputed : (await readOwn()) - before + total.amount
  const label = { seed, means, steps }
  expect({ ...label, back: back <= total.amount }).toEqual({ ...label, back: true })
  expect({ ...label, back }).toEqual({ ...label, back: told.refunded.amount })
  const { orderRefunds } = db.tables
  const due = await db.read.select().from(orderRefunds).where(eq(orderRefunds.orderId, id))
  expect({ ...label, due: due.filter(({ state }) => state === 'due') }).toEqual({ ...label, due: [] })
}
