/** Injects a fault into a verb before each of its statements, and before its COMMIT. */
import { expect } from 'bun:test'
import { DatabaseError, type Transaction } from '../../db/index.ts'
import { dump } from '../support/dump.ts'
import type { World } from '../support/world.ts'
import type { FaultPoints } from './fault-points.ts'
import { findFaults } from './invariants.ts'
import { type Act, STOCK } from './scenarios.ts'

/** Repeats the verb with a fault at each point in turn; only the attempt without a fault writes. Returns the number of points. */
export async function injectEverywhere(
  world: World,
  points: FaultPoints,
  act: Act,
  inject: (tx: Transaction | null) => void | Promise<void>,
): Promise<number> {
  const before = await dump(world.db)
  for (let n = 1; ; n++) {
    let injected = false
    points.reach = (point, tx) => {
      if (point !== n || injected) return
      injected = true
      return inject(tx)
    }
    const [status, code] = await act().then(
      answer => [answer.status, answer.body?.code],
      error => [503, error instanceof DatabaseError ? 'database_unavailable' : String(error)],
    )
    points.reach = () => {}
    if (!injected) {
      expect(status).toBeLessThan(300)
      expect(await dump(world.db)).not.toEqual(before)
      return n - 1
    }
    expect([n, status, code]).toEqual([n, 503, 'database_unavailable'])
    expect(await dump(world.db)).toEqual(before)
  }
}

/** The violated invariants of a database that only scenarios wrote to. */
export async function faultsOf({ db, clock }: Pick<World, 'db' | 'clock'>): Promise<string[]> {
  const rewards = await db.read.select().from(db.tables.rewards)
  const stock = new Map(rewards.map(({ id, stockRemaining }) => [id, stockRemaining === null ? null : STOCK]))
  return findFaults(db, { stock, onboardingPoints: 100 }, clock.now())
}
