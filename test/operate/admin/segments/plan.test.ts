/** How SQLite, without statistics, reads the fans of a condition. */
import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { runStatement } from '../../../../db/schema/shape.ts'
import type { FactCondition } from '../../../../src/club/segments/facts.ts'
import { fanSetOf } from '../../../../src/operate/admin/segments/fact-sets.ts'
import { sqliteEngine } from '../../../support/engines.ts'
import { onEngine } from '../../../support/world.ts'

onEngine(sqliteEngine, 'The fans of a condition', world => {
  test.each<FactCondition>([
    { fact: 'spent.EUR', op: 'gte', value: 5_000 },
    { fact: 'ordersPaid', op: 'gte', value: 1 },
    { fact: 'ordersPaid', op: 'gte', value: 3 },
  ])('%j is read from the index of paid orders alone', async condition => {
    const plan = await world.db.write(tx => {
      const set = fanSetOf(tx, condition)
      return runStatement(tx, sql`explain query plan ${set?.fans}`)
    })
    expect(plan.map(({ detail }) => detail)).toEqual(['SCAN orders USING COVERING INDEX orders_paid'])
  })
})
