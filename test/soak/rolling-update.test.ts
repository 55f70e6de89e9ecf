/** Two instances behind HAProxy are stopped and started again under load, one after another. */
import { afterEach, describe, expect, test } from 'bun:test'
import { findLostWrites } from '../crash/acknowledged-writes.ts'
import { findFaults } from '../crash/invariants.ts'
import { applyLoad } from '../crash/rounds.ts'
import { seededNumbers } from '../leaderboard/board-model.ts'
import { waitUntil } from '../support/wait-until.ts'
import { missing, startTwoInstances, type TwoInstances } from './two-instances.ts'

const ROUNDS = 3
let two: TwoInstances | undefined

afterEach(() => two?.stop())

describe.skipIf(missing !== null)(
  `A rolling update${missing ? ` (skipped: ${missing} is not installed)` : ''}`,
  () => {
    test(`drops no request, ${ROUNDS} times`, async () => {
      const system = await startTwoInstances(10_000)
      two = system
      const { world, instances } = system
      const { history } = world
      let over = false
      const load = applyLoad(world, { pick: seededNumbers(1), isOver: () => over })

      /** Resolves when HAProxy sends requests of the load to the instance. */
      const isServing = (n: 0 | 1) =>
        waitUntil(`instance ${n + 1} serves`, () =>
          instances[n].output.some(line => line.includes('"path":"/api/')),
        )

      for (let round = 0; round < ROUNDS; round++) {
        for (const n of [0, 1] as const) {
          expect(await instances[n].stop('SIGTERM')).toBe(0)
          await system.restart(n)
          await isServing(n)
        }
      }
      over = true
      await load
      process.stderr.write(`${history.responses.length} responses\n`)
      expect(history.unacknowledged).toEqual([])
      expect(history.responses.filter(({ status }) => status >= 500)).toEqual([])
      expect(await findLostWrites(world.db, history)).toEqual([])
      expect(await findFaults(world.db, world.beginnings, new Date())).toEqual([])
    })
  },
)
