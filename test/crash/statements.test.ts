/** A unit of work that fails at any of its statements writes nothing, and the next attempt writes everything. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DatabaseError } from '../../db/index.ts'
import { engines } from '../support/engines.ts'
import { createWorld, type World } from '../support/world.ts'
import { scenarioSettings } from './cash-scenarios.ts'
import { type FaultPoints, withFaultPoints } from './fault-points.ts'
import { scenarios } from './scenarios.ts'
import { faultsOf, injectEverywhere } from './statements.ts'

for (const engine of engines) {
  describe(`A failure between two statements (${engine.name})`, () => {
    const points: FaultPoints = { reach: () => {} }
    let world: World

    beforeAll(async () => {
      world = await createWorld(withFaultPoints(engine, points), scenarioSettings)
    })
    afterAll(() => world.close())

    for (const [name, prepare] of Object.entries(scenarios)) {
      test(`${name}: all or nothing`, async () => {
        const reached = await injectEverywhere(world, points, await prepare(world), () => {
          throw new DatabaseError('unreachable')
        })
        // At least two statements, and the COMMIT.
        expect(reached).toBeGreaterThanOrEqual(3)
        expect(await faultsOf(world)).toEqual([])
      })
    }
  })
}
