/** The cash of a seed: balances, and holds in every state. */
import { describe, expect, test } from 'bun:test'
import { seedDatabase } from '../../../scripts/seed/seed.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { readCashBalances } from '../../../src/economy/cash/balances.ts'
import { createClock } from '../../support/clock.ts'
import { dump } from '../../support/dump.ts'
import { engines } from '../../support/engines.ts'
import { options } from './sixty-fans.ts'

const cashCurrencies = ['EUR']

describe.each(engines)('The cash of a seed ($name)', engine => {
  test('has balances, a promotion, and a hold in every state, and is sound', async () => {
    const { db, remove } = await engine.open(createClock())
    await seedDatabase(db, { ...options, cashCurrencies })
    const { cashHolds, cashAccounts } = db.tables
    const holds = await db.read.select().from(cashHolds)
    expect(holds.map(({ state }) => state).toSorted()).toEqual(['captured', 'held', 'refunded', 'released'])
    const accounts = await db.read.select().from(cashAccounts)
    const balances = await Promise.all(accounts.map(({ userId }) => readCashBalances(db.read, userId)))
    const found = balances.flat().map(({ available, held }) => [available, held])
    expect(found.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
      [2_100, 1_900],
      [2_500, 0],
      [5_000, 0],
      [8_600, 0],
    ])
    expect((await verifyLedger(db)).findings).toBe(0)
    await remove()
  })

  test('is written once, and not at all where no euros are kept as cash', async () => {
    const { db, remove } = await engine.open(createClock())
    await seedDatabase(db, options)
    expect(await db.read.select().from(db.tables.cashAccounts)).toEqual([])
    await seedDatabase(db, { ...options, cashCurrencies: ['GBP'] })
    expect(await db.read.select().from(db.tables.cashAccounts)).toEqual([])
    await seedDatabase(db, { ...options, cashCurrencies })
    const rows = await dump(db)
    await seedDatabase(db, { ...options, cashCurrencies })
    expect(await dump(db)).toEqual(rows)
    await remove()
  })
})
