/**
 * Runs a scenario on a database and kills itself at a fault point: before a statement, before the COMMIT, or after it
 * (`committed`). First prints the contents of the database. Arguments: URL, scenario, fault point, number of fans.
 */
import { openDatabase } from '../../db/index.ts'
import { createSpine } from '../../src/app/spine.ts'
import { dump } from '../support/dump.ts'
import { createWorld } from '../support/world.ts'
import { scenarioSettings } from './cash-scenarios.ts'
import { type FaultPoints, withFaultPoints } from './fault-points.ts'
import { scenarios } from './scenarios.ts'

const [url = '', scenario = '', point = '', fansBefore = '0'] = process.argv.slice(2)
const points: FaultPoints = { reach: () => {} }
const world = await createWorld(
  withFaultPoints(
    {
      name: url,
      async open(sources) {
        const db = openDatabase(url, sources, { spine: createSpine() })
        return { db, url, remove: () => db.close() }
      },
    },
    points,
  ),
  scenarioSettings,
)
for (let n = 0; n < Number(fansBefore); n++) await world.fan()
const act = await scenarios[scenario]?.(world)
if (!act) throw new Error(`no such scenario: ${scenario}`)
await Bun.write(Bun.stdout, JSON.stringify(await dump(world.db)))
points.reach = reached => {
  if (String(reached) === point) process.kill(process.pid, 'SIGKILL')
}
const { status } = await act()
await world.close()
process.exit(status < 300 ? 0 : 1)
