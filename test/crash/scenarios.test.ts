/** Every verb that writes in several statements, once on PostgreSQL: without a server, on PGlite. */
import { afterAll, expect, test } from 'bun:test'
import { postgresEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { scenarioSettings } from './cash-scenarios.ts'
import { scenarios } from './scenarios.ts'
import { faultsOf } from './statements.ts'

onEngine(
  postgresEngine,
  'The verb of',
  world => {
    test.each(Object.entries(scenarios))('%s succeeds', async (_, prepare) => {
      const act = await prepare(world)
      const { status, body } = await act()
      expect([status, body?.code]).toEqual([expect.any(Number), undefined])
      expect(status).toBeLessThan(300)
    })
    // Once: it reads the whole database.
    afterAll(async () => expect(await faultsOf(world)).toEqual([]))
  },
  scenarioSettings,
)
