/** How SQLite, without statistics, finds the orders that have expired, each second. */
import { expect, test } from 'bun:test'
import { noteExpiredOrders } from '../../../src/play/shop/sweep-orders.ts'
import { planSteps } from '../../db/sqlite-plan.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

onEngine(sqliteEngine, 'Orders that have expired', world => {
  test('are read from the index of those that are not noted', async () => {
    expect(await planSteps(world.db, world.databaseUrl, () => noteExpiredOrders(world.db))).toEqual([
      'SEARCH orders USING INDEX orders_expiring (expires_at<?)',
    ])
  })
})
