/** Packs, orders and top-ups of a fan with a limit, which are paid, cancelled, sent, withdrawn, returned, refunded and disputed in any order. */
import { expect } from 'bun:test'
import { findOfKinds } from '../../../src/play/purchases/kind.ts'
import { recordDispute } from '../../../src/play/purchases/record-dispute.ts'
import { refundWithGateway } from '../../../src/play/purchases/refund-money.ts'
import { changeLine } from '../../../src/play/shop/change-line.ts'
import { payOutOrder } from '../../../src/play/shop/pay-out.ts'
import type { World } from '../../support/world.ts'
import { addPack, cancel, complete, expectStatus, patientFan, receipt, start } from '../packs/packs-world.ts'
import { addStock, cancelOrder, checkout, completeOrder } from '../shop/orders-world.ts'
import { countingPayments, withdraw } from '../shop/withdrawals-world.ts'
import { completeTopUp, startTopUp } from '../top-ups/cash-world.ts'

const LIMIT = { amount: 3_000, currency: 'EUR', per: 'month' }
const PRICE = 300
const euros = { amount: PRICE, currency: 'EUR' }

type Line = 'here' | 'sent' | 'awaited' | 'back'

interface Started {
  id: string
  kind: 'pack' | 'order' | 'top-up'
  state: 'pending' | 'paid' | 'over'
  reference: string
  /** Each counts its price until it is back. */
  lines: Line[]
}

const countOf = ({ state, lines }: Started) =>
  state === 'over' ? 0 : lines.filter(line => line !== 'back').length * PRICE

/** Answers what was done. */
export async function playLimits(world: World, random: (below: number) => number): Promise<string[]> {
  const { db, log } = world.deps
  const fan = await patientFan(world)
  expectStatus(200, await fan.patch('/api/user/limits', { spending: LIMIT }))
  const packId = await addPack(world, { price: euros })
  const cart = [1, 2, 3].map(() => addStock(world, null, { price: euros }))
  const products = await Promise.all(cart)
  const { payments } = countingPayments(world)
  const gateway = payments.sandbox
  const kinds = world.deps.purchaseKinds
  const all: Started[] = []
  const sum = () => all.reduce((total, one) => total + countOf(one), 0)
  const pick = (wanted: (one: Started) => boolean) => {
    const found = all.filter(wanted)
    return found[random(found.length || 1)]
  }
  const isPaid = ({ state }: Started) => state === 'paid'
  const hasLine = (line: Line) => (one: Started) =>
    one.kind === 'order' && isPaid(one) && one.lines.includes(line)

  async function begin(): Promise<string> {
    const kind = (['pack', 'order', 'order', 'top-up'] as const)[random(4)] ?? 'pack'
    const answer =
      kind === 'pack'
        ? await start(fan, packId)
        : kind === 'order'
          ? await checkout(fan, ...products)
          : await startTopUp(fan, PRICE)
    const lines: Line[] = kind === 'order' ? ['here', 'here', 'here'] : ['here']
    const isTooMuch = sum() + lines.length * PRICE > LIMIT.amount
    expect([answer.status, answer.body.code]).toEqual(
      isTooMuch ? [409, 'spending_limit_reached'] : [201, undefined],
    )
    if (!isTooMuch) all.push({ id: answer.body.id, kind, state: 'pending', reference: '', lines })
    return isTooMuch ? 'refused' : `start ${kind}`
  }

  async function pay(one: Started): Promise<void> {
    one.reference = await receipt(fan, one.id)
    const completing = { pack: complete, order: completeOrder, 'top-up': completeTopUp }[one.kind]
    expectStatus(200, await completing(fan, one.id, one.reference))
    one.state = 'paid'
  }

  async function withdrawLines(one: Started): Promise<void> {
    const open = one.lines.flatMap((line, index) => (line === 'here' || line === 'sent' ? [index] : []))
    const chosen = open.filter((_, index) => index === 0 || random(2) === 0)
    expectStatus(
      200,
      await withdraw(
        fan,
        one.id,
        chosen.map(index => index + 1),
      ),
    )
    for (const index of chosen) one.lines[index] = one.lines[index] === 'here' ? 'back' : 'awaited'
    await payOutOrder({ db, log, payments }, one.id)
  }

  const change = (one: Started, index: number, state: 'ready' | 'shipped' | 'returned') =>
    db.write(tx =>
      changeLine(tx, one.id, index + 1, { state, ...(state === 'shipped' ? { carrier: 'CTT' } : {}) }),
    )

  async function refundWhole(one: Started): Promise<void> {
    const found = await findOfKinds(db.read, kinds, one.id)
    if (!found) throw new Error('a purchase vanished')
    const source = { read: db.read, loadPayments: async () => payments }
    await refundWithGateway({ ...source, write: work => db.write(work) }, found.kind, found.purchase)
    one.state = 'over'
  }

  async function dispute(one: Started): Promise<string> {
    const state = (['open', 'kept', 'lost'] as const)[random(3)] ?? 'open'
    // A part that is lost is for an operator to decide.
    const isPart = random(3) === 0
    const amount = countOf(one) - (isPart ? 1 : 0)
    const event = { reference: one.reference, amount, state, answerBy: null }
    await recordDispute({ db, log, kinds }, gateway, event)
    if (state === 'lost' && !isPart) one.state = 'over'
    return `${state}${isPart ? ' in part' : ''}`
  }

  async function take(step: number): Promise<string> {
    const pending = pick(({ state }) => state === 'pending')
    if (step === 1 && pending) return pay(pending).then(() => `pay ${pending.kind}`)
    const open = pick(({ state, kind }) => state === 'pending' && kind !== 'top-up')
    if (step === 2 && open) {
      expectStatus(200, await (open.kind === 'pack' ? cancel : cancelOrder)(fan, open.id))
      open.state = 'over'
      return 'cancel'
    }
    const here = pick(hasLine('here'))
    if (step === 3 && here) {
      const index = here.lines.indexOf('here')
      for (const state of ['ready', 'shipped'] as const) await change(here, index, state)
      here.lines[index] = 'sent'
      return 'ship'
    }
    const left = pick(one => hasLine('here')(one) || hasLine('sent')(one))
    if (step === 4 && left) return withdrawLines(left).then(() => 'withdraw')
    const awaited = pick(hasLine('awaited'))
    if (step >= 5 && step <= 6 && awaited) {
      const index = awaited.lines.indexOf('awaited')
      await change(awaited, index, 'returned')
      awaited.lines[index] = 'back'
      await payOutOrder({ db, log, payments }, awaited.id)
      return 'return'
    }
    const paid = pick(one => isPaid(one) && countOf(one) > 0)
    if (step === 6 && paid && random(2) === 0) return refundWhole(paid).then(() => `refund ${paid.kind}`)
    if (step === 7 && paid) return dispute(paid)
    return begin()
  }

  const done: string[] = []
  for (let step = 0; step < 40; step++) {
    done.push(await take(random(9)))
    const { spending, spent } = expectStatus(200, await fan.get('/api/user/limits'))
    expect({ done, spending, spent: spent.amount }).toEqual({ done, spending: LIMIT, spent: sum() })
  }
  return done
}
