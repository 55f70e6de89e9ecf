/** Random credits, promotions, holds, captures, releases, refunds and waits: balances are those of a plain model. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { findWrongCash } from '../../../src/audit/money/verify-cash.ts'
import { readCashBalances } from '../../../src/economy/cash/balances.ts'
import { captureHold, holdCash, refundHold, releaseHold } from '../../../src/economy/cash/holds.ts'
import { lockCash } from '../../../src/economy/cash/ledger.ts'
import { givePromotion } from '../../../src/economy/cash/promotions.ts'
import { settleExpiredCash } from '../../../src/economy/cash/settle-expired.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { KICK_OFF } from '../../support/clock.ts'
import { onEachEngine } from '../../support/world.ts'

const HOUR = 3_600_000
const currency = 'EUR'

/** An amount that the club gave, or, without an end, that the fan paid for. */
interface Lot {
  left: number
  endsAt: number
  isPaid: boolean
}

interface Hold {
  purchaseId: string
  parts: { lot: Lot; amount: number }[]
  state: 'held' | 'captured' | 'done'
  endsAt: number
}

class ModelFan {
  lots: Lot[] = []
  holds: Hold[] = []

  /** Cash of the club first, the one that ends first before the others. */
  usable(now: number) {
    return this.lots
      .filter(({ endsAt }) => endsAt > now)
      .toSorted((a, b) => Number(a.isPaid) - Number(b.isPaid) || a.endsAt - b.endsAt)
  }
  available(now: number) {
    return this.usable(now).reduce((sum, { left }) => sum + left, 0)
  }
  expire(now: number) {
    for (const hold of this.holds) if (hold.state === 'held' && hold.endsAt <= now) this.giveBack(hold)
  }
  giveBack(hold: Hold) {
    hold.state = 'done'
    for (const { lot, amount } of hold.parts) lot.left += amount
  }
  held() {
    const parts = this.holds.filter(({ state }) => state === 'held').flatMap(({ parts }) => parts)
    return parts.reduce((sum, { amount }) => sum + amount, 0)
  }
}

const amount = fc.constantFrom(1, 10, 99, 100, 1000)
const nth = fc.nat(10)
const change = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pay' as const), amount }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('promote' as const),
      amount,
      hours: fc.constantFrom(0, 1, 5, 50),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('hold' as const), amount, hours: fc.constantFrom(1, 3) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('capture' as const), nth }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const), nth }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('refund' as const), nth }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.constantFrom(1, 2, 30) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
)
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never

onEachEngine('Random changes of cash', world => {
  let runs = 0

  async function play(changes: Change[]) {
    const run = ++runs
    world.clock.ms = KICK_OFF + run
    const { db, clock } = world
    const userId = await db.write(
      async tx => (await ensureUser(tx, { provider: 'p', subject: `fan-${run}` })).user.id,
    )
    const model = new ModelFan()
    let made = 0
    for (const change of changes) {
      const now = clock.ms
      if (change.kind === 'wait') {
        clock.advance(change.hours * HOUR)
        model.expire(clock.ms)
      } else if (change.kind === 'settle') await settleExpiredCash(db)
      else if (change.kind === 'promote') {
        const ends = change.hours === 0 ? null : now + change.hours * HOUR
        const promotion = { userId, currency, amount: change.amount, ref: `${run}-${++made}` }
        const given = { source: 'test', note: null, expiresAt: ends === null ? null : new Date(ends) }
        await db.write(tx => givePromotion(tx, { ...promotion, ...given }))
        model.lots.push({ left: change.amount, endsAt: ends ?? Number.POSITIVE_INFINITY, isPaid: false })
      } else if (change.kind === 'pay') {
        const topUp = { id: `top-up-${run}-${++made}`, userId, status: 'completed', priceCurrency: currency }
        const at = { createdAt: clock.now(), expiresAt: clock.now(), completedAt: clock.now() }
        await db.write(async tx => {
          const paid = { ...topUp, ...at, priceAmount: change.amount, paymentReference: topUp.id }
          await tx.insert(tx.tables.topUps).values(paid)
          const ledger = await lockCash(tx, { userId, currency })
          await ledger.append({ delta: change.amount, reason: 'top_up', ref: topUp.id })
        })
        model.lots.push({ left: change.amount, endsAt: Number.POSITIVE_INFINITY, isPaid: true })
      } else if (change.kind === 'hold') {
        const purchaseId = `purchase-${run}-${++made}`
        const endsAt = now + change.hours * HOUR
        const hold = { purchaseId, userId, currency, amount: change.amount, expiresAt: new Date(endsAt) }
        const held = await db.write(tx => holdCash(tx, hold)).catch(error => error.code)
        const has = model.available(now) >= change.amount
        expect(held).toBe(has ? true : 'insufficient_cash')
        if (!has) continue
        const parts: Hold['parts'] = []
        let needed = change.amount
        for (const lot of model.usable(now)) {
          const part = Math.min(lot.left, needed)
          if (part === 0) continue
          lot.left -= part
          needed -= part
          parts.push({ lot, amount: part })
        }
        model.holds.push({ purchaseId, parts, state: 'held', endsAt })
      } else {
        const hold = model.holds[change.nth % Math.max(model.holds.length, 1)]
        if (!hold) continue
        const { purchaseId } = hold
        if (change.kind === 'capture') {
          // A purchase asks for no capture once it has expired; the hold is released by then at the latest.
          if (hold.state === 'done') await db.write(tx => releaseHold(tx, purchaseId))
          expect(await db.write(tx => captureHold(tx, purchaseId, { userId, currency }))).toBe(
            hold.state === 'held',
          )
          if (hold.state === 'held') hold.state = 'captured'
        } else if (change.kind === 'release') {
          await db.write(tx => releaseHold(tx, purchaseId))
          if (hold.state === 'held') model.giveBack(hold)
        } else {
          expect(await db.write(tx => refundHold(tx, purchaseId))).toBe(hold.state === 'captured')
          if (hold.state === 'captured') model.giveBack(hold)
        }
      }
      const [euros] = await readCashBalances(db.read, userId)
      expect(euros?.held ?? 0).toBe(model.held())
      await settleExpiredCash(db)
      const [settled] = await readCashBalances(db.read, userId)
      expect([settled?.available ?? 0, settled?.held ?? 0]).toEqual([model.available(clock.ms), model.held()])
    }
    expect(await findWrongCash(db.read, { only: userId })).toEqual([])
  }

  test('available and held are those of the model after each change, and the audit finds nothing', async () => {
    await fc.assert(fc.asyncProperty(fc.array(change, { minLength: 5, maxLength: 30 }), play), {
      numRuns: 60,
    })
  })
})
