/**
 * Measures the end of a week of a division, in the background of a server that onboards new fans and accepts claims: until all tables
 * are closed, and fans are in those of the next week.
 */
import type { Engine } from '../databases.ts'
import { endDivision, prepareDivision } from '../divisions.ts'
import { type Meanwhile, prepareWrites } from '../meanwhile.ts'
import { type Bench, row, type Scenario, type ScenarioResult, type Unit } from '../scenario.ts'

const FANS = 500_000

export const divisions: Scenario = {
  name: 'divisions',
  summary: `Closing the tables of ${FANS.toLocaleString('en')} fans in a division, during 50 onboardings and 50 claims a second`,
  long: true,
  async run(bench) {
    const all: ScenarioResult = { rows: [], notes: [], separateRows: true }
    for (const engine of bench.options.engines) {
      const rounds: Meanwhile[] = []
      for (let round = 0; round < bench.options.rounds; round++) rounds.push(await closeOnce(bench, engine))
      const add = (name: string, unit: Unit, read: (closed: Meanwhile) => number) =>
        all.rows.push(row(`${engine}, ${name}`, unit, rounds.map(read)))
      add('close', 's', ({ seconds }) => seconds)
      add('close, CPU of the server', 's', ({ cpuSeconds }) => cpuSeconds)
      add('close, onboardings, p99', 'ms', ({ onboardings }) => onboardings.p99)
      add('close, claims, p99', 'ms', ({ claims }) => claims.p99)
      const failed = rounds.reduce(
        (sum, { onboardings, claims }) => sum + onboardings.failed + claims.failed,
        0,
      )
      if (failed > 0) all.invalid = `${engine}: ${failed} onboardings or claims failed`
    }
    return all
  },
}

async function closeOnce(bench: Bench, engine: Engine): Promise<Meanwhile> {
  const { subjects, options, databases } = bench
  const fans = options.quick ? options.fans : FANS
  const { url, remove } = await databases.copy(engine, fans)
  await prepareDivision(url)
  const running = await subjects.matchdayOn(url)
  let ended: Awaited<ReturnType<typeof endDivision>> | undefined
  try {
    const measure = await prepareWrites(bench, running, fans)
    return await measure({
      problem: 'no more tables are closed',
      everyMs: 50,
      async begin() {
        ended = await endDivision(url)
        return ended.progress
      },
    })
  } finally {
    await ended?.close()
    await running.stop()
    await remove()
  }
}
