/** Processes that are killed, and connections that are cut, between any two statements of a unit of work. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openDatabase } from '../../db/index.ts'
import { scenarioSettings } from '../crash/cash-scenarios.ts'
import { type FaultPoints, withFaultPoints } from '../crash/fault-points.ts'
import { scenarios } from '../crash/scenarios.ts'
import { faultsOf, injectEverywhere } from '../crash/statements.ts'
import { execute, withRawConnection } from '../db/probe.ts'
import { createClock } from '../support/clock.ts'
import { dump } from '../support/dump.ts'
import { engines, noServer, postgresEngine, type TemporaryDatabase } from '../support/engines.ts'
import { createWorld, type World } from '../support/world.ts'

for (const engine of engines) {
  describe(`Killed between two statements (${engine.name})`, () => {
    for (const scenario of Object.keys(scenarios)) {
      test(`${scenario}: all or nothing`, async () => {
        const clock = createClock()
        const temporary = await engine.open(clock)
        const url = temporary.url ?? ''
        let fans = 0
        /** True when it was killed, false when it came to its end. */
        async function run(point: number | 'committed') {
          const script = join(import.meta.dir, '../crash/faulty-process.ts')
          const child = Bun.spawn([process.execPath, script, url, scenario, String(point), String(fans++)], {
            stdout: 'pipe',
            stderr: 'pipe',
          })
          const before: string[] = JSON.parse(await new Response(child.stdout).text())
          await child.exited
          if (child.exitCode !== 0 && child.signalCode !== 'SIGKILL')
            throw new Error(await new Response(child.stderr).text())
          // Opened again, as the next process does.
          const db = openDatabase(url, clock)
          const after = await dump(db)
          const faults = await faultsOf({ db, clock })
          await db.close()
          expect(faults).toEqual([])
          return {
            killed: child.signalCode === 'SIGKILL',
            changed: JSON.stringify(before) !== JSON.stringify(after),
          }
        }
        let point = 1
        for (;;) {
          const { killed, changed } = await run(point)
          expect([point, changed]).toEqual([point, !killed])
          if (!killed) break
          point++
        }
        expect(point).toBeGreaterThanOrEqual(4)
        expect(await run('committed')).toEqual({ killed: true, changed: true })
        await temporary.remove()
      })
    }
  })
}

describe.skipIf(noServer !== '')(`Cut off between two statements (PostgreSQL)${noServer}`, () => {
  const points: FaultPoints = { reach: () => {} }
  let world: World
  let shared: TemporaryDatabase

  beforeAll(async () => {
    world = await createWorld(withFaultPoints(postgresEngine, points), scenarioSettings)
    shared = { db: world.db, url: world.databaseUrl, remove: async () => {} }
  })
  afterAll(() => world.close())

  for (const [name, prepare] of Object.entries(scenarios)) {
    test(`${name}: all or nothing, and the next attempt uses another connection`, async () => {
      const act = await prepare(world)
      await injectEverywhere(world, points, act, async tx => {
        if (!tx) throw new Error('there is nothing to cut')
        const [row] = await execute(tx, 'SELECT pg_backend_pid() AS pid')
        await withRawConnection(shared, run => run(`SELECT pg_terminate_backend(${row?.pid}, 5000)`))
      })
      expect(await faultsOf(world)).toEqual([])
    })
  }
})
