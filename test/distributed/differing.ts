/** For `distributed.test.ts`: what a cluster may do in another way. */
import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { runStatement } from '../../db/schema/shape.ts'
import { createClock } from '../support/clock.ts'
import { postgresEngine } from '../support/engines.ts'

test('is at the isolation of the run, in a database of its own (PostgreSQL)', async () => {
  const { db, remove } = await postgresEngine.open(createClock())
  const [row] = await db.write(tx =>
    runStatement(
      tx,
      sql`SELECT current_setting('transaction_isolation') AS isolation, current_database() AS name`,
    ),
  )
  expect(row?.isolation).toBe('serializable')
  expect(row?.name).toStartWith('matchday_cluster_')
  await remove()
})

test('counts "<rows>" as the other engine (PostgreSQL)', () => {
  expect(1).toBe(2)
})
