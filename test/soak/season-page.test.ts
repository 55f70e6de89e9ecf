/** The page Season of a club with a million fans and two years of counts: each request is timed, and its figures are printed. */
import { expect, test } from 'bun:test'
import { consoleOf } from '../console/support.ts'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { writeSeasonClub } from './season-club.ts'

const RUNS = 40
const PATHS = [
  '/api/session',
  ...['30', '90', '365'].map(days => `/api/season?days=${days}`),
  '/api/season?days=365&segment=team:team-3',
]

for (const engine of engines)
  onEngine(engine, 'The page Season of a million fans', world => {
    const { as } = consoleOf(world)

    test('is read, and the durations are printed', async () => {
      await writeSeasonClub(world.db, world.clock.now())
      const figures: Record<string, Record<string, number>> = {}
      const owner = as('owner')
      for (const path of PATHS) {
        const times: number[] = []
        let cpu = 0
        for (let n = 0; n < RUNS; n++) {
          const [before, used] = [performance.now(), process.cpuUsage()]
          const { status, body } = await owner.get(path)
          times.push(performance.now() - before)
          const { user, system } = process.cpuUsage(used)
          cpu += (user + system) / 1_000
          expect(status).toBe(200)
          if (path.includes('season')) expect(body.funnel[0].fans).toBeGreaterThan(0)
        }
        const round = (ms = 0) => Math.round(ms * 10) / 10
        const [first] = times
        times.sort((a, b) => a - b)
        figures[path] = {
          'first ms': round(first),
          'min ms': round(times[0]),
          'median ms': round(times[RUNS / 2]),
          'max ms': round(times.at(-1)),
          'mean CPU ms of this process': round(cpu / RUNS),
        }
      }
      process.stderr.write(`${Bun.inspect.table(figures)}\n`)
    }, 900_000)
  })
