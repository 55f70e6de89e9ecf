/** Two processes that change the same cash at the same moment. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { findWrongCash } from '../../../src/audit/money/verify-cash.ts'
import { realSources } from '../../../src/core/sources.ts'
import { readCashBalances } from '../../../src/economy/cash/balances.ts'
import { captureHold, holdCash } from '../../../src/economy/cash/holds.ts'
import { lockCash } from '../../../src/economy/cash/ledger.ts'
import { givePromotion } from '../../../src/economy/cash/promotions.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'

const PURCHASES = 12
const EACH = 100

for (const engine of engines) {
  describe(`Cash in two processes (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let fan: string

    beforeEach(async () => {
      temporary = await engine.open(realSources)
      fan = await temporary.db.write(
        async tx => (await ensureUser(tx, { provider: 'p', subject: 'ada' })).user.id,
      )
    })
    afterEach(async () => {
      expect(await findWrongCash(temporary.db.read, { only: fan })).toEqual([])
      await temporary.remove()
    })

    const purchases = Array.from({ length: PURCHASES }, (_, n) => `purchase-${n}`)
    const toHold = () => purchases.map(id => `${id}/${fan}/${EACH}`)
    const credit = (delta: number) =>
      temporary.db.write(async tx => {
        await (await lockCash(tx, { userId: fan, currency: 'EUR' })).append({
          delta,
          reason: 'promotion',
          ref: 'x',
        })
        await tx.insert(tx.tables.cashPromotions).values({
          ...{ ref: 'x', source: 'test', userId: fan, currency: 'EUR', amount: delta, remaining: delta },
          createdAt: tx.now(),
        })
      })
    const balance = async () => {
      const [euros] = await readCashBalances(temporary.db.read, fan)
      return [euros?.available, euros?.held]
    }
    async function hold(count: number) {
      const expiresAt = new Date(Date.now() + 900_000)
      for (const purchaseId of purchases.slice(0, count))
        await temporary.db.write(tx =>
          holdCash(tx, { purchaseId, userId: fan, currency: 'EUR', amount: EACH, expiresAt }),
        )
    }

    /** The responses of both, by purchase. */
    async function both(changes: [string, string], ids: string[] = purchases): Promise<unknown[][]> {
      const run = async (change: string) => {
        const command = commandOf('test/economy/cash/cash-process.ts')
        const child = Bun.spawn([...command, temporary.url ?? '', change, ...ids], {
          stdout: 'pipe',
          stderr: 'inherit',
        })
        const out = await new Response(child.stdout).text()
        expect(await child.exited).toBe(0)
        return JSON.parse(out) as unknown[]
      }
      const [first = [], second = []] = await Promise.all(changes.map(run))
      return first.map((outcome, index) => [outcome, second[index]])
    }

    test('hold no more than the available cash, once per purchase', async () => {
      await credit(5 * EACH + 50)
      const outcomes = await both(['hold', 'hold'], toHold())
      for (const [one, other] of outcomes) expect(one).toEqual(other)
      const held = outcomes.filter(([outcome]) => outcome === true)
      expect(held).toHaveLength(5)
      expect(await balance()).toEqual([50, 5 * EACH])
    })

    test('capture each hold once', async () => {
      await credit(PURCHASES * EACH)
      await hold(PURCHASES)
      for (const outcomes of await both(['capture', 'capture']))
        expect(outcomes.toSorted()).toEqual([false, true])
      expect(await balance()).toEqual([0, 0])
    })

    test('capture or release each hold, never both', async () => {
      await credit(PURCHASES * EACH)
      await hold(PURCHASES)
      const captured = (await both(['capture', 'release'])).filter(([outcome]) => outcome === true).length
      expect(await balance()).toEqual([(PURCHASES - captured) * EACH, 0])
    })

    test('refund each payment once, and only captured ones', async () => {
      await credit(PURCHASES * EACH)
      await hold(PURCHASES)
      const paid = purchases.slice(0, 8)
      for (const id of paid)
        await temporary.db.write(tx => captureHold(tx, id, { userId: fan, currency: 'EUR' }))
      const outcomes = await both(['refund', 'refund'])
      for (const of of outcomes.slice(0, 8)) expect(of.toSorted()).toEqual([false, true])
      for (const of of outcomes.slice(8)) expect(of).toEqual([false, false])
      expect(await balance()).toEqual([8 * EACH, 4 * EACH])
    })

    test('give each promotion once', async () => {
      const promotions = purchases.map(ref => `${ref}/${fan}/${EACH}`)
      for (const of of await both(['promote', 'promote'], promotions))
        expect(of.toSorted()).toEqual([false, true])
      expect(await balance()).toEqual([PURCHASES * EACH, 0])
      await expect(
        temporary.db.write(tx =>
          givePromotion(tx, {
            ...{ ref: 'purchase-0', userId: fan, currency: 'GBP', amount: EACH },
            ...{ expiresAt: null, source: 'operator', note: null },
          }),
        ),
      ).rejects.toMatchObject({ code: 'ref_reused' })
    })
  })
}
